// What is known of a script's variables where conditions, loops and functions stand around their
// assignments.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/shell_words.h"

namespace assay::shell {

enum class ScopeKind : std::uint8_t {
  condition,  // if ... fi
  loop,       // for, while, until, select ... done
  choice,     // case ... esac
  function,   // the body of one
  group,      // { ... }: no condition of its own
  subshell,   // ( ... ): what it assigns is gone behind it
  list,       // what stands behind && or || until the list ends
};
inline constexpr std::size_t kScopeKinds = 7;

// Inside one branch assignments count in their order; the next branch begins with what was known
// before the first; behind a construct nothing is known of what was assigned anywhere in it. The
// work is bounded: a script that asks for more than kMaxWork changes has no known variable any
// more.
class ShellScopes {
 public:
  static constexpr std::size_t kMaxWork = 1'000'000;

  explicit ShellScopes(const ShellVariables& variables);

  // Null: not known. A default (${X:-8}) holds for such a variable only when nothing may have set
  // it.
  const std::string* find(const std::string& name) const;
  bool may_be_set(const std::string& name) const;

  void set(const std::string& name, std::string value);
  void unset(const std::string& name);
  void forget(const std::string& name);  // it has a value that nobody knows
  void forget_all();                     // of a sourced file, which may set any

  void open(ScopeKind kind, std::string function_name = {});
  // The condition is over: what it assigned holds in every branch from here.
  void begin_branch();
  void end_branch();
  // The branch may have run or not before what follows.
  void blur_branch();
  // With all that stand open inside it; nothing when none is open.
  void close(ScopeKind kind);
  void close_body();  // of the innermost group or function
  void call(const std::string& function);
  bool is_innermost(ScopeKind kind) const {
    return !scopes_.empty() && scopes_.back().kind == kind;
  }
  // Where in the script's control flow something stands, and whether what was certain there is so
  // here: every scope that was open then is open still.
  struct Place {
    std::size_t depth = 0;
    std::size_t serial = 0;  // of the innermost scope
  };
  Place place() const { return {scopes_.size(), scopes_.empty() ? 0 : scopes_.back().serial}; }
  bool is_within(Place place) const {
    return place.depth == 0 ||
           (place.depth <= scopes_.size() && scopes_[place.depth - 1].serial == place.serial);
  }
  bool is_in_branch() const { return !scopes_.empty() && scopes_.back().is_in_branch; }

  // `index` is the caller's own, and comes back when the exported value is no longer certain.
  void note_export(const std::string& name, std::size_t index);
  std::vector<std::size_t> take_forgotten_exports();

 private:
  using Value = std::optional<std::string>;  // none: it has one, which is not known
  struct Change {
    std::string name;
    std::optional<Value> before;  // none: never set
  };
  struct Scope {
    ScopeKind kind = ScopeKind::group;
    std::size_t serial = 0;
    std::size_t log_begin = 0;
    std::size_t branch_begin = 0;
    bool is_in_branch = false;
    std::string function_name;
    std::vector<std::string> touched;   // in branches that are over
    std::vector<std::string> exported;  // in this one
  };

  void write(const std::string& name, std::optional<Value> value);
  void undo(std::size_t log_begin, std::vector<std::string>& names);
  void forget_export(const std::string& name);
  ScopeKind close_innermost();
  bool spend(std::size_t changes);

  std::map<std::string, Value> values_;
  std::vector<Change> log_;  // while a scope is open
  std::vector<Scope> scopes_;
  std::array<std::size_t, kScopeKinds> open_{};
  std::map<std::string, std::vector<std::string>> functions_;  // what each assigns
  std::map<std::string, std::size_t> exports_;                 // certain ones
  std::vector<std::size_t> forgotten_exports_;
  std::size_t work_ = 0;
  std::size_t serial_ = 0;
  bool is_lost_ = false;              // too much work: nothing is known
  bool may_anything_be_set_ = false;  // by a sourced file
};

}  // namespace assay::shell
