// Bottom-up deduction. A part that is wrong is reported once and counts as `dyn` from there on, so
// that one fault does not cause others. As the language definition has it, operators do not mix
// number types (`dyn(x)` or a conversion says that it is meant), a list of several types is a list
// of `dyn`, and a nullable type (CEL's wrapper types) is accepted where its plain one is expected.
#include "engine/compile/cel_type_checker.h"

#include <array>
#include <string>
#include <unordered_map>

#include "engine/compile/cel_functions.h"
#include "engine/compile/cel_name_resolver.h"
#include "engine/compile/cel_types.h"

namespace assay {
namespace {

struct OperatorOverload {
  std::string_view name;
  std::string_view signature;
};
constexpr OperatorOverload kOperatorOverloads[] = {
    {"==", "(A, A) -> bool"},
    {"!=", "(A, A) -> bool"},
    {"<", "(ordered) -> bool"},
    {"<=", "(ordered) -> bool"},
    {">", "(ordered) -> bool"},
    {">=", "(ordered) -> bool"},
    {"in", "(A, list<A>) -> bool"},
    {"in", "(A, map<A, B>) -> bool"},
    {"+", "(int, int) -> int"},
    {"+", "(uint, uint) -> uint"},
    {"+", "(double, double) -> double"},
    {"+", "(string, string) -> string"},
    {"+", "(bytes, bytes) -> bytes"},
    {"+", "(list<A>, list<A>) -> list<A>"},
    {"-", "(int, int) -> int"},
    {"-", "(uint, uint) -> uint"},
    {"-", "(double, double) -> double"},
    {"*", "(int, int) -> int"},
    {"*", "(uint, uint) -> uint"},
    {"*", "(double, double) -> double"},
    {"/", "(int, int) -> int"},
    {"/", "(uint, uint) -> uint"},
    {"/", "(double, double) -> double"},
    {"%", "(int, int) -> int"},
    {"%", "(uint, uint) -> uint"},
    {"-_", "(int) -> int"},
    {"-_", "(double) -> double"},
    {"!_", "(bool) -> bool"},
    {"_[_]", "(list<A>, int) -> A"},
    {"_[_]", "(map<A, B>, A) -> B"},
};
constexpr std::array<std::string_view, 6> kOrderedSignatures = {
    "(int, int) -> bool",       "(uint, uint) -> bool",   "(double, double) -> bool",
    "(string, string) -> bool", "(bytes, bytes) -> bool", "(bool, bool) -> bool"};

class Checker {
 public:
  Checker(const SyntaxTree& tree, const Environment& environment, ExpressionFaults& faults)
      : tree_(tree), environment_(environment), faults_(faults) {}

  Type check(NodeIndex index) {
    const SyntaxNode& node = tree_[index];
    switch (node.kind) {
      case SyntaxKind::literal:
        return literal_type(node.literal);
      case SyntaxKind::slot:
        return environment_.variable(node.number).type;
      case SyntaxKind::local:
        return locals_[node.number][node.small];
      case SyntaxKind::select:
      case SyntaxKind::has:
        return check_field(node);
      case SyntaxKind::call:
        return check_call(node);
      case SyntaxKind::logical_and:
      case SyntaxKind::logical_or:
        for (const NodeIndex child : node.children)
          require_boolean(child, "`" + node.text + "` needs a bool on both sides");
        return Type::of(TypeKind::boolean);
      case SyntaxKind::conditional:
        return check_conditional(node);
      case SyntaxKind::list:
        return limited(Type::list_of(element_type(node.children, 0, 1)));
      case SyntaxKind::map:
        return check_map(node);
      case SyntaxKind::comprehension:
        return check_comprehension(index);
      case SyntaxKind::bind:
        locals_[index][0] = check(node.children[0]);
        return check(node.children[1]);
      case SyntaxKind::name:
      case SyntaxKind::given:
      case SyntaxKind::failure:
        break;
    }
    return {};
  }

 private:
  static Type literal_type(const Value& value) {
    switch (value.kind()) {
      case ValueKind::null:
        return Type::of(TypeKind::null);
      case ValueKind::boolean:
        return Type::of(TypeKind::boolean);
      case ValueKind::integer:
        return Type::of(TypeKind::integer);
      case ValueKind::unsigned_integer:
        return Type::of(TypeKind::unsigned_integer);
      case ValueKind::real:
        return Type::of(TypeKind::real);
      case ValueKind::string:
        return Type::of(TypeKind::string);
      case ValueKind::bytes:
        return Type::of(TypeKind::bytes);
      case ValueKind::type:
        return Type::of(TypeKind::type);
      default:
        return {};
    }
  }

  // cel.bind can nest types deeper than the text is; past a depth nobody needs they are `dyn`.
  static Type limited(Type type) {
    constexpr int kMaxTypeDepth = 64;
    int depth = 0;
    for (const Type* inner = &type; !inner->parameters.empty(); inner = &inner->parameters.back())
      if (++depth > kMaxTypeDepth) return {};
    return type;
  }

  void mismatch(const SyntaxNode& node, std::string message, std::string help = {}) {
    faults_.add_at(node, code::type_mismatch, std::move(message), std::move(help));
  }
  void require_boolean(NodeIndex index, const std::string& message) {
    const Type type = check(index);
    if (is_assignable(type, Type::of(TypeKind::boolean))) return;
    const SyntaxNode& node = tree_[index];
    faults_.add(code::type_mismatch, node.begin, node.end,
                message + ", this is " + to_string(type));
  }

  Type check_field(const SyntaxNode& node) {
    const Type operand = check(node.children[0]);
    const bool is_map = operand.kind == TypeKind::map || operand.kind == TypeKind::dynamic;
    if (!is_map)
      mismatch(node, "cannot select `" + node.text + "` from " + to_string(operand) +
                         ", which has no fields");
    else if (!operand.parameters.empty() &&
             !is_assignable(Type::of(TypeKind::string), operand.parameters[0]))
      mismatch(node,
               "cannot select `" + node.text + "` from " + to_string(operand) +
                   ", whose keys are no strings",
               "write the key in brackets: x[key]");
    if (node.kind == SyntaxKind::has) return Type::of(TypeKind::boolean);
    return is_map && operand.parameters.size() == 2 ? operand.parameters[1] : Type();
  }

  std::vector<Type> check_all(const std::vector<NodeIndex>& nodes) {
    std::vector<Type> types;
    types.reserve(nodes.size());
    for (const NodeIndex node : nodes) types.push_back(check(node));
    return types;
  }

  Type check_call(const SyntaxNode& node) {
    const std::vector<Type> arguments = check_all(node.children);
    if (is_operator(node)) return check_operator(node, arguments);
    std::optional<Type> result;
    for (const FunctionOverload* overload : find_overloads(node.text)) {
      if (overload->is_member() != node.is_member) continue;
      std::optional<Type> type = overload->is_variadic()
                                     ? match_numbers(arguments)
                                     : match_signature(overload->signature, arguments);
      if (!type) continue;
      // Several overloads fit only where an argument is `dyn`: so is the result then, unless they
      // agree.
      result = !result || *result == *type ? *type : Type();
    }
    if (result) return *result;
    std::string help = "its forms are";
    const char* separator = " ";
    for (const FunctionOverload* overload : find_overloads(node.text)) {
      help += separator + std::string(overload->signature);
      separator = ", ";
    }
    mismatch(node, "`" + node.text + "` does not take " + list_types(arguments), std::move(help));
    return {};
  }

  // math.greatest and math.least: numbers of any types, or one list of them.
  static std::optional<Type> match_numbers(const std::vector<Type>& arguments) {
    const bool is_list = arguments.size() == 1 && arguments[0].kind == TypeKind::list;
    std::vector<Type> numbers = is_list ? arguments[0].parameters : arguments;
    if (numbers.empty()) return Type();
    Type common = numbers[0];
    for (const Type& number : numbers) {
      if (!is_number(number) && number.kind != TypeKind::dynamic) return std::nullopt;
      if (number.kind != common.kind) common = Type();
    }
    return common;
  }

  Type check_operator(const SyntaxNode& node, const std::vector<Type>& arguments) {
    std::optional<Type> result;
    const auto add = [&](std::string_view signature) {
      std::optional<Type> type = match_signature(signature, arguments);
      if (type) result = !result || *result == *type ? *type : Type();
    };
    for (const OperatorOverload& overload : kOperatorOverloads) {
      if (overload.name != node.text) continue;
      if (overload.signature == "(ordered) -> bool")
        for (const std::string_view signature : kOrderedSignatures) add(signature);
      else
        add(overload.signature);
    }
    if (result) return *result;
    std::string name = node.text == "_[_]" ? "[]" : node.text;
    if (name.size() == 2 && name[1] == '_') name.pop_back();
    mismatch(node, "`" + name + "` does not go with " + list_types(arguments),
             operator_help(arguments));
    return {};
  }
  static std::string operator_help(const std::vector<Type>& arguments) {
    if (arguments.size() != 2) return {};
    const Type& a = arguments[0];
    const Type& b = arguments[1];
    if (is_number(a) && is_number(b))
      return "numbers of different types do not mix: write 1.0 for a double, 1u for a uint, or "
             "convert "
             "one with int(), uint() or double()";
    if (a.kind == TypeKind::null || b.kind == TypeKind::null)
      return "the other side can never be null";
    return {};
  }
  static std::string list_types(const std::vector<Type>& types) {
    if (types.empty()) return "no arguments";
    std::string text;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) text += i + 1 == types.size() ? " and " : ", ";
      text += to_string(types[i]);
    }
    return text;
  }

  Type check_conditional(const SyntaxNode& node) {
    require_boolean(node.children[0], "the condition of `?:` needs a bool");
    const Type a = check(node.children[1]);
    const Type b = check(node.children[2]);
    if (std::optional<Type> common = common_type(a, b)) return *common;
    if (a.kind == TypeKind::null || b.kind == TypeKind::null) {
      Type type = a.kind == TypeKind::null ? b : a;
      type.is_nullable = true;
      return type;
    }
    mismatch(node, "the branches of `?:` have different types, " + list_types({a, b}),
             "if that is meant, write dyn(...) around one of them");
    return {};
  }

  // What children first, first + step, ... have in common, else dyn.
  Type element_type(const std::vector<NodeIndex>& nodes, std::size_t first, std::size_t step) {
    std::optional<Type> type;
    bool is_mixed = false;
    for (std::size_t i = first; i < nodes.size(); i += step) {
      const Type next = check(nodes[i]);
      std::optional<Type> common = type ? common_type(*type, next) : next;
      is_mixed |= !common;
      if (common) type = std::move(common);
    }
    return is_mixed || !type ? Type() : *type;
  }

  Type check_map(const SyntaxNode& node) {
    const Type key = element_type(node.children, 0, 2);
    const bool is_key = key.kind == TypeKind::dynamic || key.kind == TypeKind::boolean ||
                        key.kind == TypeKind::integer || key.kind == TypeKind::unsigned_integer ||
                        key.kind == TypeKind::string;
    if (!is_key)
      mismatch(node, "a map's keys are bool, int, uint or string, not " + to_string(key));
    return limited(Type::map_of(is_key ? key : Type(), element_type(node.children, 1, 2)));
  }

  Type check_comprehension(NodeIndex index) {
    const SyntaxNode& node = tree_[index];
    const Type range = check(node.children[0]);
    const bool has_two = node.variables.size() == 2;
    std::array<Type, 2> variables;
    if (range.kind == TypeKind::list) {
      const Type element = range.parameters.empty() ? Type() : range.parameters[0];
      variables = has_two ? std::array<Type, 2>{Type::of(TypeKind::integer), element}
                          : std::array<Type, 2>{element, Type()};
    } else if (range.kind == TypeKind::map) {
      if (range.parameters.size() == 2) variables = {range.parameters[0], range.parameters[1]};
    } else if (range.kind != TypeKind::dynamic) {
      mismatch(node, "`" + node.text + "` goes over a list or a map, this is " + to_string(range));
    }
    locals_[index] = variables;
    if (node.children.size() == 3)
      require_boolean(node.children[2], "the condition of `" + node.text + "` needs a bool");
    switch (node.loop) {
      case LoopKind::all:
      case LoopKind::exists:
      case LoopKind::exists_one:
        require_boolean(node.children[1], "the condition of `" + node.text + "` needs a bool");
        return Type::of(TypeKind::boolean);
      case LoopKind::keep_elements:
        require_boolean(node.children[1], "the condition of `" + node.text + "` needs a bool");
        return Type::list_of(variables[0]);
      case LoopKind::build_list:
        return limited(Type::list_of(check(node.children[1])));
      case LoopKind::build_map:
        return limited(Type::map_of(variables[0], check(node.children[1])));
      case LoopKind::merge_map:
        break;
    }
    const Type entries = check(node.children[1]);
    if (entries.kind != TypeKind::map && entries.kind != TypeKind::dynamic)
      mismatch(node,
               "`" + node.text + "` needs a map for each element, this is " + to_string(entries));
    return entries;
  }

  const SyntaxTree& tree_;
  const Environment& environment_;
  ExpressionFaults& faults_;
  std::unordered_map<NodeIndex, std::array<Type, 2>> locals_;
};

}  // namespace

Type check_types(const SyntaxTree& tree, const Environment& environment, ExpressionFaults& faults) {
  return Checker(tree, environment, faults).check(tree.root);
}

}  // namespace assay
