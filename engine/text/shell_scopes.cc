// A log of changes, undone at the end of each branch. An open scope remembers where the log stood
// when it began; leaving it restores what was known before, and then forgets each name that the log
// or an earlier branch holds. Closing words without an opening one (prose, cut-off scripts) do
// nothing, and a scope that is never closed leaves a script read from top to bottom.
#include "engine/text/shell_scopes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay::shell {
namespace {

std::size_t index_of(ScopeKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

ShellScopes::ShellScopes(const ShellVariables& variables) {
  for (const auto& [name, value] : variables) values_[name] = value;
}

const std::string* ShellScopes::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second ? &*found->second : nullptr;
}

bool ShellScopes::may_be_set(const std::string& name) const {
  return is_lost_ || may_anything_be_set_ || values_.contains(name);
}

bool ShellScopes::spend(std::size_t changes) {
  if (is_lost_) return false;
  work_ += changes;
  if (work_ <= kMaxWork) return true;
  is_lost_ = true;
  values_.clear();
  log_.clear();
  functions_.clear();
  for (Scope& scope : scopes_) scope.touched.clear();
  for (const auto& [name, index] : exports_) forgotten_exports_.push_back(index);
  exports_.clear();
  return false;
}

void ShellScopes::write(const std::string& name, std::optional<Value> value) {
  if (!spend(1)) return;
  const auto found = values_.find(name);
  if (!scopes_.empty()) {
    Change change{name, {}};
    if (found != values_.end()) change.before = std::move(found->second);
    log_.push_back(std::move(change));
  }
  if (value) {
    values_.insert_or_assign(name, *std::move(value));
  } else if (found != values_.end()) {
    values_.erase(found);
  }
}

void ShellScopes::set(const std::string& name, std::string value) {
  write(name, Value(std::move(value)));
}

void ShellScopes::unset(const std::string& name) { write(name, {}); }

void ShellScopes::forget(const std::string& name) {
  write(name, Value());
  forget_export(name);
}

void ShellScopes::forget_export(const std::string& name) {
  const auto found = exports_.find(name);
  if (found == exports_.end()) return;
  forgotten_exports_.push_back(found->second);
  exports_.erase(found);
}

void ShellScopes::forget_all() {
  may_anything_be_set_ = true;
  if (!spend(values_.size())) return;
  std::vector<std::string> known;
  for (const auto& [name, value] : values_)
    if (value) known.push_back(name);
  for (const std::string& name : known) forget(name);
  for (const auto& [name, index] : exports_) forgotten_exports_.push_back(index);
  exports_.clear();
}

void ShellScopes::open(ScopeKind kind, std::string function_name) {
  Scope scope;
  scope.kind = kind;
  scope.serial = ++serial_;
  scope.log_begin = scope.branch_begin = log_.size();
  scope.function_name = std::move(function_name);
  scopes_.push_back(std::move(scope));
  ++open_[index_of(kind)];
}

void ShellScopes::begin_branch() {
  if (scopes_.empty()) return;
  scopes_.back().branch_begin = log_.size();
  scopes_.back().serial = ++serial_;
  scopes_.back().is_in_branch = true;
}

void ShellScopes::undo(std::size_t log_begin, std::vector<std::string>& names) {
  while (log_.size() > log_begin) {
    Change change = std::move(log_.back());
    log_.pop_back();
    if (change.before) {
      values_.insert_or_assign(change.name, *std::move(change.before));
    } else {
      values_.erase(change.name);
    }
    forget_export(change.name);
    names.push_back(std::move(change.name));
  }
}

void ShellScopes::end_branch() {
  if (scopes_.empty()) return;
  Scope& scope = scopes_.back();
  undo(scope.branch_begin, scope.touched);
  for (const std::string& name : std::exchange(scope.exported, {})) forget_export(name);
  scope.is_in_branch = false;
}

void ShellScopes::blur_branch() {
  if (scopes_.empty()) return;
  const std::size_t first = scopes_.back().touched.size();
  end_branch();
  const std::vector<std::string>& touched = scopes_.back().touched;
  const std::vector<std::string> names(touched.begin() + static_cast<std::ptrdiff_t>(first),
                                       touched.end());
  for (const std::string& name : names) forget(name);
}

ScopeKind ShellScopes::close_innermost() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  --open_[index_of(scope.kind)];
  if (scope.kind == ScopeKind::group) {
    if (!scopes_.empty()) {
      std::vector<std::string>& outer = scopes_.back().exported;
      if (outer.size() < scope.exported.size()) outer.swap(scope.exported);
      std::ranges::move(scope.exported, std::back_inserter(outer));
    }
  } else {
    undo(scope.log_begin, scope.touched);
    for (const std::string& name : scope.exported) forget_export(name);
    std::ranges::sort(scope.touched);
    const auto repeated = std::ranges::unique(scope.touched);
    scope.touched.erase(repeated.begin(), repeated.end());
    if (scope.kind != ScopeKind::subshell)
      for (const std::string& name : scope.touched) forget(name);
    if (scope.kind == ScopeKind::function && !is_lost_)
      functions_[scope.function_name] = std::move(scope.touched);
  }
  if (scopes_.empty()) log_.clear();
  return scope.kind;
}

void ShellScopes::close(ScopeKind kind) {
  if (open_[index_of(kind)] == 0) return;
  while (close_innermost() != kind) continue;
}

void ShellScopes::close_body() {
  if (open_[index_of(ScopeKind::group)] + open_[index_of(ScopeKind::function)] == 0) return;
  for (;;) {
    const ScopeKind closed = close_innermost();
    if (closed == ScopeKind::group || closed == ScopeKind::function) return;
  }
}

void ShellScopes::call(const std::string& function) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return;
  const std::vector<std::string> names = found->second;  // `forget` may drop all of them
  for (const std::string& name : names) forget(name);
}

void ShellScopes::note_export(const std::string& name, std::size_t index) {
  if (is_lost_) return;
  exports_.insert_or_assign(name, index);
  if (!scopes_.empty()) scopes_.back().exported.push_back(name);
}

std::vector<std::size_t> ShellScopes::take_forgotten_exports() {
  return std::exchange(forgotten_exports_, {});
}

}  // namespace assay::shell
