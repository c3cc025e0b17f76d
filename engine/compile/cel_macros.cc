// A macro is recognised by name, call style and number of arguments alone, before names are
// resolved, as the language definition has it; with another number of arguments the call is an
// ordinary one. A comprehension stays one node here (rather than the fold it is defined as): that
// is what lets the evaluator run it without building intermediate values.
#include "engine/compile/cel_macros.h"

#include <array>
#include <string>
#include <utility>

namespace assay {
namespace {

// e.name(variables..., [filter,] body)
struct LoopMacro {
  std::string_view name;
  LoopKind kind;
  std::size_t variables;
  bool has_filter;
};
constexpr std::array<LoopMacro, 17> kLoopMacros = {{
    {"all", LoopKind::all, 1, false},
    {"all", LoopKind::all, 2, false},
    {"exists", LoopKind::exists, 1, false},
    {"exists", LoopKind::exists, 2, false},
    {"exists_one", LoopKind::exists_one, 1, false},
    {"exists_one", LoopKind::exists_one, 2, false},
    {"existsOne", LoopKind::exists_one, 1, false},
    {"existsOne", LoopKind::exists_one, 2, false},
    {"map", LoopKind::build_list, 1, false},
    {"map", LoopKind::build_list, 1, true},
    {"filter", LoopKind::keep_elements, 1, false},
    {"transformList", LoopKind::build_list, 2, false},
    {"transformList", LoopKind::build_list, 2, true},
    {"transformMap", LoopKind::build_map, 2, false},
    {"transformMap", LoopKind::build_map, 2, true},
    {"transformMapEntry", LoopKind::merge_map, 2, false},
    {"transformMapEntry", LoopKind::merge_map, 2, true},
}};

class Expansion {
 public:
  Expansion(const SyntaxTree& tree, SyntaxNode& call, std::vector<SyntaxFault>& faults)
      : tree_(tree), call_(call), faults_(faults) {}

  void run() {
    if (call_.is_member) {
      if (call_.text == "bind" && call_.children.size() == 4 && is_name(call_.children[0], "cel"))
        return expand_bind();
      for (const LoopMacro& macro : kLoopMacros)
        if (macro.name == call_.text &&
            call_.children.size() == 2 + macro.variables + (macro.has_filter ? 1 : 0))
          return expand_loop(macro);
    } else if (call_.children.size() == 1 && !call_.has_leading_dot) {
      if (call_.text == "has") expand_has();
      if (call_.text == "given") expand_given();
    }
  }

 private:
  bool is_name(NodeIndex index, std::string_view name) const {
    const SyntaxNode& node = tree_[index];
    return node.kind == SyntaxKind::name && node.text == name && !node.has_leading_dot;
  }
  void fault(NodeIndex at, std::string message, std::string help) {
    faults_.push_back({tree_[at].begin, tree_[at].end, std::move(message), std::move(help)});
  }

  // Takes the variable's name from argument `index`.
  void take_variable(NodeIndex index) {
    const SyntaxNode& node = tree_[index];
    if (node.kind != SyntaxKind::name || node.has_leading_dot)
      fault(index, "`" + call_.text + "` needs a simple name here, for its variable",
            "write it as in `list.all(x, x > 0)`");
    for (const std::string& other : call_.variables)
      if (other == node.text)
        fault(index, "two variables of one macro have the name `" + node.text + "`", {});
    call_.variables.push_back(node.text);
  }

  void expand_loop(const LoopMacro& macro) {
    const std::vector<NodeIndex> arguments = std::move(call_.children);
    call_.kind = SyntaxKind::comprehension;
    call_.loop = macro.kind;
    call_.children = {arguments[0], arguments.back()};
    for (std::size_t i = 0; i < macro.variables; ++i) take_variable(arguments[1 + i]);
    if (macro.has_filter) call_.children.push_back(arguments[1 + macro.variables]);
  }

  void expand_bind() {
    const std::vector<NodeIndex> arguments = std::move(call_.children);
    call_.kind = SyntaxKind::bind;
    call_.children = {arguments[2], arguments[3]};
    take_variable(arguments[1]);
  }

  void expand_has() {
    const SyntaxNode argument = tree_[call_.children[0]];
    if (argument.kind == SyntaxKind::select) {
      call_.kind = SyntaxKind::has;
      call_.text = argument.text;
      call_.children = argument.children;
      return;
    }
    if (argument.kind == SyntaxKind::name) {
      call_.kind = SyntaxKind::has;
      call_.text = argument.text;
      call_.has_leading_dot = argument.has_leading_dot;
      call_.children.clear();
      return;
    }
    fault(call_.children[0], "`has` needs a field selection", "write `has(x.field)`");
  }

  void expand_given() {
    const SyntaxKind kind = tree_[call_.children[0]].kind;
    if (kind == SyntaxKind::name || kind == SyntaxKind::select) {
      call_.kind = SyntaxKind::given;
      return;
    }
    fault(call_.children[0], "`given` needs the name of a fact", "write `given(tp_size)`");
  }

  const SyntaxTree& tree_;
  SyntaxNode& call_;
  std::vector<SyntaxFault>& faults_;
};

}  // namespace

void expand_macro(const SyntaxTree& tree, SyntaxNode& call, std::vector<SyntaxFault>& faults) {
  Expansion(tree, call, faults).run();
}

}  // namespace assay
