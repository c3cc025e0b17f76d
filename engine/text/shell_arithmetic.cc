// By descent: sums of products of signed numbers, names and parentheses, as bash computes them in
// 64 bits (division cuts towards zero). A result that would wrap around is none.
#include "engine/text/shell_arithmetic.h"

#include <charconv>

#include "engine/base/ascii.h"

namespace assay::shell {
namespace {

constexpr int kMaxDepth = 32;

using Number = std::optional<std::int64_t>;

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const VariableLookup& variables)
      : text_(text), variables_(variables) {}

  Number whole() {
    const Number value = sum(0);
    skip_blanks();
    return at_ == text_.size() ? value : Number();
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // The operator at hand, when it is one of `wanted` and not doubled (** ++).
  char take(std::string_view wanted) {
    skip_blanks();
    if (at_ == text_.size() || wanted.find(text_[at_]) == std::string_view::npos) return '\0';
    if (at_ + 1 < text_.size() && text_[at_ + 1] == text_[at_]) return '\0';
    return text_[at_++];
  }

  Number sum(int depth) {
    Number left = product(depth);
    while (left) {
      const char sign = take("+-");
      if (sign == '\0') break;
      const Number right = product(depth);
      std::int64_t result = 0;
      const bool is_too_large =
          !right || (sign == '+' ? __builtin_add_overflow(*left, *right, &result)
                                 : __builtin_sub_overflow(*left, *right, &result));
      left = is_too_large ? Number() : Number(result);
    }
    return left;
  }

  Number product(int depth) {
    Number left = factor(depth);
    while (left) {
      const char sign = take("*/%");
      if (sign == '\0') break;
      left = multiplied(*left, sign, factor(depth));
    }
    return left;
  }

  static Number multiplied(std::int64_t left, char sign, Number right) {
    if (!right) return {};
    if (sign == '*') {
      std::int64_t result = 0;
      return __builtin_mul_overflow(left, *right, &result) ? Number() : Number(result);
    }
    if (*right == 0 || *right == -1) return {};
    return sign == '/' ? left / *right : left % *right;
  }

  Number factor(int depth) {
    if (depth > kMaxDepth) return {};
    if (take("-") != '\0') {
      const Number value = factor(depth + 1);
      return value && *value != INT64_MIN ? Number(-*value) : Number();
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      const Number value = sum(depth + 1);
      skip_blanks();
      if (at_ == text_.size() || text_[at_] != ')') return {};
      ++at_;
      return value;
    }
    return operand();
  }

  Number operand() {
    const bool is_dollar = at_ < text_.size() && text_[at_] == '$';
    if (is_dollar) ++at_;
    const bool is_braced = is_dollar && at_ < text_.size() && text_[at_] == '{';
    if (is_braced) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (is_braced && (at_ == text_.size() || text_[at_++] != '}')) return {};
    if (word.empty()) return {};
    if (is_digit(word.front())) return number(word);
    const std::string* value = variables_(std::string(word));
    return value == nullptr ? Number() : number(*value);
  }

  // Decimal: a leading zero would make it octal.
  static Number number(std::string_view word) {
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, value);
    const bool is_octal = word.size() > 1 && word.front() == '0';
    return read.ec == std::errc{} && read.ptr == end && !is_octal ? Number(value) : Number();
  }

  std::string_view text_;
  const VariableLookup& variables_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluate_arithmetic(std::string_view text,
                                                const VariableLookup& variables) {
  return Arithmetic(text, variables).whole();
}

}  // namespace assay::shell
