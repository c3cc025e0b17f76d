// Recursive descent over the tokens, one function a level of the grammar in the language
// definition.
// `&&` and `||` chains become one node each, other chains of binary operators a left-leaning tree.
// Every way to go deeper passes `Descent`, which refuses nesting past the limit, and every node has
// its height checked, so that neither this nor a later recursive pass can exhaust the C++ stack.
// The first fault of the grammar ends parsing: what follows it would only be noise.
#include "engine/compile/cel_parser.h"

#include <string>
#include <utility>

#include "engine/compile/cel_macros.h"
#include "engine/compile/expression_compiler.h"

namespace assay {
namespace {

class Parser {
 public:
  Parser(std::vector<Token> tokens, const ExpressionLimits& limits, ParseFaults& faults)
      : tokens_(std::move(tokens)), limits_(limits), faults_(faults) {}

  SyntaxTree run() {
    tree_.root = parse_conditional();
    if (!has_failed() && token().kind != TokenKind::end) {
      if (is_symbol("{"))
        fail("a message cannot be built here: there are no message types",
             "a map is written `{\"key\": value}`");
      else
        fail("expected an operator or the end of the expression, found " + found(),
             help_for_token());
    }
    return std::move(tree_);
  }

 private:
  // One level of nesting.
  struct Descent {
    explicit Descent(Parser& p) : parser(p) {
      if (++parser.depth_ > parser.limits_.max_depth) parser.fail_depth();
    }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    ~Descent() { --parser.depth_; }
    Parser& parser;
  };

  const Token& token() const { return tokens_[at_]; }
  bool is_symbol(std::string_view symbol) const {
    return token().kind == TokenKind::symbol && token().text == symbol;
  }
  bool is_word(std::string_view word) const {
    return token().kind == TokenKind::name && token().text == word;
  }
  bool has_failed() const { return faults_.any(); }
  void advance() {
    if (token().kind != TokenKind::end) ++at_;
  }
  bool take(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view symbol, std::string_view where) {
    if (take(symbol)) return true;
    fail("expected `" + std::string(symbol) + "` " + std::string(where) + ", found " + found());
    return false;
  }
  std::string found() const {
    if (token().kind == TokenKind::end) return "the end of the expression";
    if (token().kind == TokenKind::string || token().kind == TokenKind::bytes) return "a string";
    return "`" + token().text + "`";
  }
  std::string help_for_token() const {
    if (is_word("and")) return "logical and is written `&&`";
    if (is_word("or")) return "logical or is written `||`";
    if (is_word("not")) return "negation is written `!`; \"not in\" is written `!(x in list)`";
    if (is_word("is")) return "equality is written `==`";
    return {};
  }

  // After a fault the rest is skipped, so that every loop ends.
  void fail(std::string message, std::string help = {}) {
    if (!has_failed())
      faults_.syntax.push_back({token().begin, token().end, std::move(message), std::move(help)});
    at_ = tokens_.size() - 1;
  }
  void fail_size(std::string message) {
    if (!has_failed())
      faults_.size.push_back({token().begin, token().end, std::move(message),
                              "split the expression, or give a part of it a name"});
    at_ = tokens_.size() - 1;
  }
  void fail_depth() {
    fail_size("the expression is nested more than " + std::to_string(limits_.max_depth) +
              " levels deep");
  }

  NodeIndex add(SyntaxNode node) {
    std::uint32_t height = 0;
    for (const NodeIndex child : node.children)
      height = std::max<std::uint32_t>(height, tree_[child].height);
    if (height + 1 > limits_.max_depth) fail_depth();
    if (tree_.nodes.size() >= limits_.max_nodes)
      fail_size("the expression has more than " + std::to_string(limits_.max_nodes) + " parts");
    node.height = static_cast<std::uint16_t>(std::min<std::uint32_t>(height + 1, 0xffff));
    tree_.nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }
  SyntaxNode make(SyntaxKind kind, std::uint32_t begin) const {
    SyntaxNode node;
    node.kind = kind;
    node.begin = node.place_begin = begin;
    node.end = node.place_end = at_ > 0 ? tokens_[at_ - 1].end : begin;
    return node;
  }
  NodeIndex add_literal(const Token& from, Value value) {
    SyntaxNode node = make(SyntaxKind::literal, from.begin);
    node.literal = value;
    return add(std::move(node));
  }
  // A call of the operator at `operator_token` on `operands`.
  NodeIndex add_operator(SyntaxKind kind, const Token& operator_token,
                         std::vector<NodeIndex> operands) {
    const std::uint32_t first = tree_[operands.front()].begin;
    SyntaxNode node = make(kind, std::min(first, operator_token.begin));
    node.text = operator_token.text;
    node.place_begin = operator_token.begin;
    node.place_end = operator_token.end;
    node.children = std::move(operands);
    return add(std::move(node));
  }

  NodeIndex parse_conditional() {
    const Descent descent(*this);
    const NodeIndex condition = parse_logical_or();
    if (!is_symbol("?")) return condition;
    const Token question = token();
    advance();
    const NodeIndex when_true = parse_logical_or();
    if (!expect(":", "and the value for `false` after it")) return condition;
    const NodeIndex when_false = parse_conditional();
    return add_operator(SyntaxKind::conditional, question, {condition, when_true, when_false});
  }

  NodeIndex parse_logical_or() {
    return parse_chain("||", SyntaxKind::logical_or, &Parser::parse_logical_and);
  }
  NodeIndex parse_logical_and() {
    return parse_chain("&&", SyntaxKind::logical_and, &Parser::parse_relation);
  }
  NodeIndex parse_chain(std::string_view symbol, SyntaxKind kind,
                        NodeIndex (Parser::*parse_operand)()) {
    const NodeIndex first = (this->*parse_operand)();
    if (!is_symbol(symbol)) return first;
    const Token operator_token = token();
    std::vector<NodeIndex> operands = {first};
    while (take(symbol)) operands.push_back((this->*parse_operand)());
    return add_operator(kind, operator_token, std::move(operands));
  }

  template <class IsOperator>
  NodeIndex parse_binary(IsOperator is_operator, NodeIndex (Parser::*parse_operand)()) {
    NodeIndex left = (this->*parse_operand)();
    while (is_operator()) {
      const Token operator_token = token();
      advance();
      const NodeIndex right = (this->*parse_operand)();
      left = add_operator(SyntaxKind::call, operator_token, {left, right});
    }
    return left;
  }
  NodeIndex parse_relation() {
    return parse_binary(
        [&] {
          return is_symbol("==") || is_symbol("!=") || is_symbol("<") || is_symbol("<=") ||
                 is_symbol(">") || is_symbol(">=") || is_word("in");
        },
        &Parser::parse_addition);
  }
  NodeIndex parse_addition() {
    return parse_binary([&] { return is_symbol("+") || is_symbol("-"); },
                        &Parser::parse_multiplication);
  }
  NodeIndex parse_multiplication() {
    return parse_binary([&] { return is_symbol("*") || is_symbol("/") || is_symbol("%"); },
                        &Parser::parse_unary);
  }

  NodeIndex parse_unary() {
    if (!is_symbol("!") && !is_symbol("-")) return parse_member();
    const Descent descent(*this);
    Token operator_token = token();
    advance();
    if (operator_token.text == "-" &&
        (token().kind == TokenKind::integer || token().kind == TokenKind::real)) {
      const NodeIndex literal = parse_number(operator_token.begin, true);
      return parse_member_tail(literal);
    }
    const NodeIndex operand = parse_unary();
    operator_token.text = operator_token.text == "!" ? "!_" : "-_";
    return add_operator(SyntaxKind::call, operator_token, {operand});
  }

  NodeIndex parse_member() { return parse_member_tail(parse_primary()); }

  NodeIndex parse_member_tail(NodeIndex node) {
    while (!has_failed()) {
      const Token start = token();
      if (take(".")) {
        node = parse_selection(node);
      } else if (take("[")) {
        if (is_symbol("?")) fail("optional indexing `[?` is not part of this language");
        const NodeIndex index = parse_conditional();
        if (!expect("]", "after the index")) break;
        Token operator_token = start;
        operator_token.text = "_[_]";
        node = add_operator(SyntaxKind::call, operator_token, {node, index});
      } else {
        break;
      }
    }
    return node;
  }

  // After `.`: a field, or a call with `target` as its receiver.
  NodeIndex parse_selection(NodeIndex target) {
    const Token name = token();
    if (is_symbol("?")) fail("optional selection `.?` is not part of this language");
    if (name.kind != TokenKind::name && name.kind != TokenKind::quoted_name) {
      fail("expected the name of a field or function after `.`, found " + found());
      return target;
    }
    if (name.kind == TokenKind::name && is_keyword(name.text)) {
      fail("`" + name.text + "` is a keyword and cannot name a field",
           "write the key as a string: `x[\"" + name.text + "\"]`");
      return target;
    }
    advance();
    if (name.kind == TokenKind::name && is_symbol("(")) return parse_call(target, name, false);
    SyntaxNode node = make(SyntaxKind::select, tree_[target].begin);
    node.text = name.text;
    node.place_begin = name.begin;
    node.place_end = name.end;
    node.children = {target};
    node.small = name.kind == TokenKind::quoted_name;
    return add(std::move(node));
  }

  // At `(`. `receiver`: kNoNode for a global call.
  NodeIndex parse_call(NodeIndex receiver, const Token& name, bool has_leading_dot) {
    std::vector<NodeIndex> children;
    if (receiver != kNoNode) children.push_back(receiver);
    expect("(", "");
    parse_list_items(")", "after the arguments", children, false);
    SyntaxNode node =
        make(SyntaxKind::call, receiver != kNoNode ? tree_[receiver].begin : name.begin);
    node.text = name.text;
    node.is_member = receiver != kNoNode;
    node.has_leading_dot = has_leading_dot;
    node.place_begin = name.begin;
    node.place_end = name.end;
    node.children = std::move(children);
    if (!has_failed()) expand_macro(tree_, node, faults_.syntax);
    return add(std::move(node));
  }

  // Expressions up to `close`, which is taken.
  void parse_list_items(std::string_view close, std::string_view where,
                        std::vector<NodeIndex>& items, bool allows_trailing_comma) {
    if (take(close)) return;
    while (!has_failed()) {
      if (is_symbol("?")) fail("optional elements `?` are not part of this language");
      items.push_back(parse_conditional());
      if (!take(",")) break;
      if (allows_trailing_comma && is_symbol(close)) break;
    }
    expect(close, where);
  }

  NodeIndex parse_primary() {
    const Token start = token();
    switch (start.kind) {
      case TokenKind::integer:
      case TokenKind::unsigned_integer:
      case TokenKind::real:
        return parse_number(start.begin, false);
      case TokenKind::string:
        advance();
        return add_literal(start, Value::string(tree_.memory->copy(start.text)));
      case TokenKind::bytes:
        advance();
        return add_literal(start, Value::bytes(tree_.memory->copy(start.text)));
      case TokenKind::name:
        return parse_name(false);
      case TokenKind::symbol:
        return parse_bracketed();
      case TokenKind::quoted_name:
      case TokenKind::end:
        break;
    }
    fail("expected an expression, found " + found());
    return add_literal(start, Value());
  }

  NodeIndex parse_bracketed() {
    const Token start = token();
    if (take("(")) {
      const NodeIndex inside = parse_conditional();
      expect(")", "after the expression in parentheses");
      return inside;
    }
    if (take("[")) {
      std::vector<NodeIndex> items;
      parse_list_items("]", "after the elements of the list", items, true);
      SyntaxNode node = make(SyntaxKind::list, start.begin);
      node.children = std::move(items);
      return add(std::move(node));
    }
    if (take("{")) return parse_map(start);
    if (take(".")) {
      if (token().kind == TokenKind::name) return parse_name(true);
      fail("expected a name after `.`, found " + found());
      return add_literal(start, Value());
    }
    fail("expected an expression, found " + found(),
         is_symbol("=") ? "equality is written `==`" : "");
    return add_literal(start, Value());
  }

  NodeIndex parse_map(const Token& start) {
    std::vector<NodeIndex> children;
    if (is_symbol("?")) fail("optional entries `?` are not part of this language");
    while (!has_failed() && !is_symbol("}")) {
      children.push_back(parse_conditional());
      if (!expect(":", "between a key and its value")) break;
      children.push_back(parse_conditional());
      if (!take(",")) break;
    }
    expect("}", "after the entries of the map");
    SyntaxNode node = make(SyntaxKind::map, start.begin);
    node.children = std::move(children);
    return add(std::move(node));
  }

  // At a name that stands first.
  NodeIndex parse_name(bool has_leading_dot) {
    const Token name = token();
    if (!has_leading_dot && name.text == "true") {
      advance();
      return add_literal(name, Value::boolean(true));
    }
    if (!has_leading_dot && name.text == "false") {
      advance();
      return add_literal(name, Value::boolean(false));
    }
    if (!has_leading_dot && name.text == "null") {
      advance();
      return add_literal(name, Value());
    }
    if (is_keyword(name.text) || is_reserved_word(name.text)) {
      fail("`" + name.text + "` is a reserved word and cannot be a name here");
      return add_literal(name, Value());
    }
    advance();
    if (is_symbol("(")) return parse_call(kNoNode, name, has_leading_dot);
    SyntaxNode node = make(SyntaxKind::name, name.begin);
    node.text = name.text;
    node.has_leading_dot = has_leading_dot;
    return add(std::move(node));
  }

  // At a number; `begin` is where it or its sign stands.
  NodeIndex parse_number(std::uint32_t begin, bool is_negative) {
    Token number = token();
    Value value;
    const std::string fault = read_number_token(number, is_negative, value);
    if (!fault.empty()) fail(fault);
    advance();
    number.begin = begin;
    return add_literal(number, value);
  }

  std::vector<Token> tokens_;
  const ExpressionLimits& limits_;
  ParseFaults& faults_;
  SyntaxTree tree_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace

std::optional<SyntaxTree> parse_expression(std::string_view text, const ExpressionLimits& limits,
                                           ParseFaults& faults) {
  if (text.size() > limits.max_bytes) {
    faults.size.push_back({0,
                           0,
                           "the expression has " + std::to_string(text.size()) +
                               " bytes, more than the " + std::to_string(limits.max_bytes) +
                               " that are allowed",
                           {}});
    return std::nullopt;
  }
  std::vector<Token> tokens = lex_expression(text, faults.syntax);
  if (faults.any()) return std::nullopt;
  SyntaxTree tree = Parser(std::move(tokens), limits, faults).run();
  if (faults.any()) return std::nullopt;
  return tree;
}

}  // namespace assay
