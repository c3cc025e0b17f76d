// The language definition's rules: a variable of an enclosing macro comes first; else the longest
// prefix of a dotted name that is declared is the variable, and what follows selects fields; a
// leading dot skips the macros' variables. `a.f(x)` is the function `a.f` where there is one.
#include "engine/compile/cel_name_resolver.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/compile/cel_functions.h"
#include "engine/text/diagnostic_rendering.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 10> kTypeNames = {
    "bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"};

class Resolver {
 public:
  Resolver(SyntaxTree& tree, const Environment& environment, const CompileOptions& options,
           ExpressionFaults& faults)
      : tree_(tree), environment_(environment), options_(options), faults_(faults) {}

  void resolve(NodeIndex index) {
    switch (tree_[index].kind) {
      case SyntaxKind::name:
      case SyntaxKind::select:
        return resolve_name(index);
      case SyntaxKind::has:
        return resolve_has(index);
      case SyntaxKind::given:
        return resolve_given(index);
      case SyntaxKind::call:
        return resolve_call(index);
      case SyntaxKind::comprehension:
      case SyntaxKind::bind:
        return resolve_scope(index);
      default:
        return resolve_children(index);
    }
  }

 private:
  struct Local {
    std::string name;
    NodeIndex binder;
    std::uint8_t variable;
  };

  void resolve_children(NodeIndex index) {
    const std::vector<NodeIndex> children = tree_[index].children;
    for (const NodeIndex child : children) resolve(child);
  }

  const Local* find_local(const SyntaxNode& name) const {
    if (name.has_leading_dot) return nullptr;
    const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Local& local) { return local.name == name.text; });
    return found == locals_.rend() ? nullptr : &*found;
  }

  // The variable called `name`, looked for in the container first and then ever further out.
  std::uint32_t find_slot(const std::string& name, bool has_leading_dot) const {
    std::string_view container = has_leading_dot ? std::string_view() : options_.container;
    while (!container.empty()) {
      const std::uint32_t slot = environment_.find(std::string(container) + "." + name);
      if (slot != kNoSlot) return slot;
      const std::size_t dot = container.rfind('.');
      container = dot == std::string_view::npos ? std::string_view() : container.substr(0, dot);
    }
    return environment_.find(name);
  }

  // The nodes of a dotted name a.b.c, innermost (the name a) first; empty when `index` is none.
  std::vector<NodeIndex> dotted_name(NodeIndex index) const {
    std::vector<NodeIndex> chain;
    while (tree_[index].kind == SyntaxKind::select && tree_[index].small == 0) {
      chain.push_back(index);
      index = tree_[index].children[0];
    }
    if (tree_[index].kind != SyntaxKind::name) return {};
    chain.push_back(index);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }
  std::string join(const std::vector<NodeIndex>& chain, std::size_t count) const {
    std::string name = tree_[chain[0]].text;
    for (std::size_t i = 1; i < count; ++i) name += "." + tree_[chain[i]].text;
    return name;
  }

  void become_slot(NodeIndex index, std::uint32_t slot, std::string name) {
    SyntaxNode& node = tree_[index];
    node.kind = SyntaxKind::slot;
    node.number = slot;
    node.text = std::move(name);
    node.place_begin = node.begin;
    node.children.clear();
  }
  void become_failure(NodeIndex index, std::string message) {
    SyntaxNode& node = tree_[index];
    node.kind = SyntaxKind::failure;
    node.text = std::move(message);
    node.children.clear();
  }
  void undeclared(NodeIndex index, std::string message, std::string help = {}) {
    if (options_.check_types)
      faults_.add_at(tree_[index], code::undeclared_name, message, std::move(help));
    become_failure(index, std::move(message));
  }

  void resolve_name(NodeIndex index) {
    const std::vector<NodeIndex> chain = dotted_name(index);
    if (chain.empty()) return resolve(tree_[index].children[0]);  // a field of something else
    const SyntaxNode& first = tree_[chain[0]];
    if (const Local* local = find_local(first)) {
      SyntaxNode& node = tree_[chain[0]];
      node.kind = SyntaxKind::local;
      node.number = local->binder;
      node.small = local->variable;
      return;
    }
    for (std::size_t count = chain.size(); count > 0; --count) {
      std::string name = join(chain, count);
      const std::uint32_t slot = find_slot(name, first.has_leading_dot);
      if (slot != kNoSlot) return become_slot(chain[count - 1], slot, std::move(name));
    }
    if (std::find(kTypeNames.begin(), kTypeNames.end(), first.text) != kTypeNames.end()) {
      SyntaxNode& node = tree_[chain[0]];
      node.kind = SyntaxKind::literal;
      node.literal = Value::type(tree_.memory->copy(node.text));
      return;
    }
    report_undeclared(chain);
  }

  void report_undeclared(const std::vector<NodeIndex>& chain) {
    if (!options_.check_types || faults_.is_full())
      return become_failure(chain.back(), "`" + join(chain, chain.size()) + "` is not declared");
    const std::string whole = join(chain, chain.size());
    const std::vector<std::string_view> names = all_names();
    // Either the dotted name is misspelt, or fields are selected from a misspelt one.
    std::string_view closest = closest_name(whole, names);
    std::size_t count = chain.size();
    for (std::size_t shorter = chain.size() - 1; closest.empty() && shorter > 0; --shorter) {
      closest = closest_name(join(chain, shorter), names);
      if (!closest.empty()) count = shorter;
    }
    const NodeIndex at = chain[count - 1];
    tree_[at].place_begin = tree_[chain[0]].begin;
    std::string help;
    if (!closest.empty()) help = "did you mean `" + std::string(closest) + "`?";
    undeclared(at, "`" + join(chain, count) + "` is not declared", std::move(help));
  }
  std::vector<std::string_view> all_names() const {
    std::vector<std::string_view> names = environment_.names();
    for (const Local& local : locals_) names.push_back(local.name);
    return names;
  }

  void resolve_has(NodeIndex index) {
    SyntaxNode& node = tree_[index];
    std::vector<NodeIndex> chain;
    if (!node.children.empty()) chain = dotted_name(node.children[0]);
    const bool is_dotted = node.children.empty() || !chain.empty();
    const std::string prefix = chain.empty() ? "" : join(chain, chain.size()) + ".";
    const SyntaxNode& first = chain.empty() ? node : tree_[chain[0]];
    std::uint32_t slot = kNoSlot;
    if (is_dotted && find_local(first) == nullptr)
      slot = find_slot(prefix + node.text, first.has_leading_dot);
    if (slot != kNoSlot) {
      const std::uint32_t presence = environment_.variable(slot).presence_slot;
      std::string name = prefix + node.text;
      if (presence != kNoSlot) return become_slot(index, presence, "has(" + name + ")");
      return undeclared(index, "`has` cannot ask for `" + name + "`, which is always there",
                        "compare it with null, or ask for one of its fields");
    }
    if (!node.children.empty()) return resolve(node.children[0]);
    undeclared(index, "`has` needs a field selection, and `" + node.text + "` is a simple name",
               "write `has(x.field)`");
  }

  void resolve_given(NodeIndex index) {
    const NodeIndex argument = tree_[index].children[0];
    const std::vector<NodeIndex> chain = dotted_name(argument);
    const std::string name = chain.empty() ? "" : join(chain, chain.size());
    const std::uint32_t slot =
        chain.empty() ? kNoSlot : find_slot(name, tree_[chain[0]].has_leading_dot);
    if (slot != kNoSlot && environment_.variable(slot).given_slot != kNoSlot)
      return become_slot(index, environment_.variable(slot).given_slot, "given(" + name + ")");
    if (slot != kNoSlot)
      return undeclared(index, "`given` cannot ask for `" + name + "`, which nobody types",
                        "it is for arguments of the engine");
    std::string help;
    if (const std::string_view closest = closest_name(name, environment_.names()); !closest.empty())
      help = "did you mean `" + std::string(closest) + "`?";
    tree_[index].place_begin = tree_[argument].begin;
    tree_[index].place_end = tree_[argument].end;
    undeclared(index, "`" + name + "` is not declared", std::move(help));
  }

  void resolve_call(NodeIndex index) {
    if (is_operator(tree_[index])) return resolve_children(index);
    take_namespace(index);
    const SyntaxNode& call = tree_[index];
    const auto overloads = find_overloads(call.text);
    const auto fits = [&](const FunctionOverload* o) {
      return o->is_member() == call.is_member &&
             (o->is_variadic() ? !call.children.empty()
                               : o->parameter_count() == call.children.size());
    };
    const auto found = std::find_if(overloads.begin(), overloads.end(), fits);
    if (found != overloads.end()) {
      tree_[index].number = static_cast<std::uint32_t>((*found)->id);
      return resolve_children(index);
    }
    if (options_.check_types) resolve_children(index);
    report_call(index, overloads);
  }

  // math.ceil(x) was read as a call with the receiver `math`.
  void take_namespace(NodeIndex index) {
    SyntaxNode& call = tree_[index];
    if (!call.is_member) return;
    const std::vector<NodeIndex> chain = dotted_name(call.children[0]);
    if (chain.empty() || find_local(tree_[chain[0]]) != nullptr) return;
    const std::string name = join(chain, chain.size()) + "." + call.text;
    const auto overloads = find_overloads(name);
    if (overloads.empty() || overloads.front()->is_member()) return;
    call.text = name;
    call.is_member = false;
    call.place_begin = call.begin;
    call.children.erase(call.children.begin());
  }

  void report_call(NodeIndex index, const std::vector<const FunctionOverload*>& overloads) {
    const SyntaxNode& call = tree_[index];
    if (!options_.check_types || faults_.is_full())
      return become_failure(index, "there is no function `" + call.text + "` of these arguments");
    const std::string name = "`" + call.text + "`";
    if (overloads.empty()) {
      std::vector<std::string_view> names;
      for (const FunctionOverload& overload : function_overloads()) names.push_back(overload.name);
      std::string help;
      if (const std::string_view closest = closest_name(call.text, names); !closest.empty())
        help = "did you mean `" + std::string(closest) + "`?";
      return undeclared(index, "there is no function " + name, std::move(help));
    }
    const bool has_style =
        std::any_of(overloads.begin(), overloads.end(),
                    [&](const FunctionOverload* o) { return o->is_member() == call.is_member; });
    std::string message = has_style        ? name + " does not take that many arguments"
                          : call.is_member ? name + " is not called as x." + call.text + "()"
                                           : name + " is called as x." + call.text + "()";
    std::string help = "its forms are";
    for (const FunctionOverload* overload : overloads)
      help += (overload == overloads.front() ? " " : ", ") + call.text + ": " +
              std::string(overload->signature);
    undeclared(index, std::move(message), std::move(help));
  }

  void resolve_scope(NodeIndex index) {
    const std::vector<NodeIndex> children = tree_[index].children;
    resolve(children[0]);
    const std::size_t outer = locals_.size();
    const std::vector<std::string> variables = tree_[index].variables;
    for (std::size_t i = 0; i < variables.size(); ++i)
      locals_.push_back({variables[i], index, static_cast<std::uint8_t>(i)});
    for (std::size_t i = 1; i < children.size(); ++i) resolve(children[i]);
    locals_.resize(outer);
  }

  SyntaxTree& tree_;
  const Environment& environment_;
  const CompileOptions& options_;
  ExpressionFaults& faults_;
  std::vector<Local> locals_;
};

}  // namespace

bool is_operator(const SyntaxNode& call) {
  if (call.text == "in") return true;
  const char c = call.text.front();
  return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c == '_' && call.text != "_[_]"));
}

void resolve_names(SyntaxTree& tree, const Environment& environment, const CompileOptions& options,
                   ExpressionFaults& faults) {
  Resolver(tree, environment, options, faults).resolve(tree.root);
}

}  // namespace assay
