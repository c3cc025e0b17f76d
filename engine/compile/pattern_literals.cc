// A pattern is cut into tokens (a literal byte, anything else of one width, a group's edge, an
// alternation, a quantifier), once, from left to right. Both questions are then answered on the
// tokens: a literal run is a sequence of literal tokens outside every group that is optional,
// repeated or has alternatives; and the last group is lazy when the token before its closing edge
// is a lazy quantifier. RE2's own parser would know more, but does not tell.
#include "engine/compile/pattern_literals.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay {
namespace {

enum class PatternTokenKind : std::uint8_t {
  literal,      // exactly the byte `byte`
  other,        // a class, an anchor, an escape with a meaning
  open,         // of a group
  close,        // of a group
  alternation,  // |
  optional,     // ? * {...}: what is before it may be missing
  repeated,     // +: what is before it is there at least once
};

struct PatternToken {
  PatternTokenKind kind = PatternTokenKind::other;
  char byte = 0;
  bool is_lazy = false;   // of a quantifier
  std::size_t begin = 0;  // in the pattern
  std::size_t end = 0;
};

struct PatternTokens {
  std::vector<PatternToken> tokens;
  bool is_understood = true;  // false: case is ignored, \Q, or an edge without its other
};

bool is_quantifier(const PatternToken& token) {
  return token.kind == PatternTokenKind::optional || token.kind == PatternTokenKind::repeated;
}

class Scanner {
 public:
  explicit Scanner(std::string_view pattern) : pattern_(pattern) {}

  PatternTokens scan() {
    while (at_ < pattern_.size()) {
      PatternToken token;
      token.begin = at_;
      take(token);
      token.end = at_;
      result_.tokens.push_back(token);
    }
    if (depth_ != 0) result_.is_understood = false;
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }

  void take(PatternToken& token) {
    const char c = pattern_[at_++];
    switch (c) {
      case '\\':
        return take_escape(token);
      case '[':
        return take_class(token);
      case '(':
        return take_group(token);
      case ')':
        token.kind = PatternTokenKind::close;
        if (--depth_ < 0) result_.is_understood = false;
        return;
      case '|':
        token.kind = PatternTokenKind::alternation;
        return;
      case '*':
      case '?':
      case '+':
        token.kind = c == '+' ? PatternTokenKind::repeated : PatternTokenKind::optional;
        take_laziness(token);
        return;
      case '{':
        return take_count(token);
      case '.':
      case '^':
      case '$':
        return;
      default:
        token.kind = PatternTokenKind::literal;
        token.byte = c;
    }
  }

  void take_laziness(PatternToken& token) {
    if (peek() != '?') return;
    token.is_lazy = true;
    ++at_;
  }

  // {2}, {2,}, {2,5}; any other brace is literal. Counts are not read: {0} is possible.
  void take_count(PatternToken& token) {
    std::size_t end = at_;
    while (end < pattern_.size() &&
           ((pattern_[end] >= '0' && pattern_[end] <= '9') || pattern_[end] == ','))
      ++end;
    if (end == at_ || end == pattern_.size() || pattern_[end] != '}' || pattern_[at_] == ',') {
      token.kind = PatternTokenKind::literal;
      token.byte = '{';
      return;
    }
    token.kind = PatternTokenKind::optional;
    at_ = end + 1;
    take_laziness(token);
  }

  void take_escape(PatternToken& token) {
    const char c = peek();
    if (at_ < pattern_.size()) ++at_;
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (c == 'Q') result_.is_understood = false;
    if (c == 'x' || c == 'p' || c == 'P') return take_braced_escape(c);
    if (is_digit) {  // octal: up to three digits
      for (int i = 0; i < 2 && peek() >= '0' && peek() <= '9'; ++i) ++at_;
      return;
    }
    if (c == 't' || c == 'n' || c == 'r') {
      token.kind = PatternTokenKind::literal;
      token.byte = c == 't' ? '\t' : c == 'n' ? '\n' : '\r';
      return;
    }
    if (is_letter) return;  // \d, \b, ...
    token.kind = PatternTokenKind::literal;
    token.byte = c;
  }

  // \x41, \x{41}, \pL, \p{Greek}
  void take_braced_escape(char c) {
    if (peek() == '{') {
      const auto close = pattern_.find('}', at_);
      at_ = close == std::string_view::npos ? pattern_.size() : close + 1;
      return;
    }
    at_ = std::min(pattern_.size(), at_ + (c == 'x' ? 2 : 1));
  }

  // `[.]` is how some people quote a byte, and common enough to be worth its case.
  void take_class(PatternToken& token) {
    const std::size_t first = at_;
    if (peek() == '^') ++at_;
    if (peek() == ']') ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      if (pattern_[at_] == '\\') {
        at_ += 2;
      } else if (pattern_[at_] == '[' && peek(1) == ':') {
        const auto close = pattern_.find(":]", at_ + 2);
        at_ = close == std::string_view::npos ? at_ + 1 : close + 2;
      } else {
        ++at_;
      }
    }
    at_ = std::min(at_, pattern_.size());
    const std::string_view inside = pattern_.substr(first, at_ - first);
    if (at_ < pattern_.size()) ++at_;
    if (inside.size() == 1 && inside != "^" && inside != "\\") {
      token.kind = PatternTokenKind::literal;
      token.byte = inside[0];
    }
  }

  // "(", "(?:", "(?P<name>", "(?i)", "(?i:"
  void take_group(PatternToken& token) {
    token.kind = PatternTokenKind::open;
    ++depth_;
    if (peek() != '?') return;
    ++at_;
    if (peek() == 'P' || peek() == '<') {
      const auto close = pattern_.find('>', at_);
      at_ = close == std::string_view::npos ? pattern_.size() : close + 1;
      return;
    }
    bool sets = true;
    while (at_ < pattern_.size() && peek() != ':' && peek() != ')') {
      if (peek() == '-') sets = false;
      // `i` ignores case, `U` swaps lazy and greedy: neither is worth following.
      if ((peek() == 'i' || peek() == 'U') && sets) result_.is_understood = false;
      ++at_;
    }
    if (peek() == ':') {
      ++at_;
    } else if (peek() == ')') {  // flags for the rest: no group at all
      ++at_;
      --depth_;
      token.kind = PatternTokenKind::other;
    }
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  PatternTokens result_;
};

// Collects the runs of tokens [at, close of this group), recursing into groups that every match
// passes through whole.
class LiteralCollector {
 public:
  explicit LiteralCollector(const std::vector<PatternToken>& tokens) : tokens_(tokens) {}

  std::vector<std::string> collect() {
    if (!has_alternatives(0, tokens_.size())) collect(0, tokens_.size());
    end_run();
    return std::move(runs_);
  }

 private:
  void collect(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      const PatternToken& token = tokens_[i];
      std::size_t next = i + 1;
      if (token.kind == PatternTokenKind::open) next = after_group(i, end);
      const bool quantified = next < end && is_quantifier(tokens_[next]);
      const bool may_miss = quantified && tokens_[next].kind == PatternTokenKind::optional;
      if (token.kind == PatternTokenKind::literal && !may_miss) {
        run_ += token.byte;
      } else if (token.kind == PatternTokenKind::open && !quantified &&
                 !has_alternatives(i + 1, next - 1)) {
        collect(i + 1, next - 1);
      } else {
        end_run();
      }
      if (quantified) {
        end_run();
        while (next < end && is_quantifier(tokens_[next])) ++next;
      }
      i = next;
    }
  }

  std::size_t after_group(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (tokens_[i].kind == PatternTokenKind::open) ++depth;
      if (tokens_[i].kind == PatternTokenKind::close && --depth == 0) return i + 1;
    }
    return end;
  }

  bool has_alternatives(std::size_t begin, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens_[i].kind == PatternTokenKind::open) ++depth;
      if (tokens_[i].kind == PatternTokenKind::close) --depth;
      if (tokens_[i].kind == PatternTokenKind::alternation && depth == 0) return true;
    }
    return false;
  }

  void end_run() {
    if (!run_.empty()) runs_.push_back(std::move(run_));
    run_.clear();
  }

  const std::vector<PatternToken>& tokens_;
  std::vector<std::string> runs_;
  std::string run_;
};

}  // namespace

std::vector<std::string> required_literals(std::string_view pattern) {
  const PatternTokens scanned = Scanner(pattern).scan();
  if (!scanned.is_understood) return {};
  return LiteralCollector(scanned.tokens).collect();
}

std::string extend_last_group(std::string_view pattern) {
  const PatternTokens scanned = Scanner(pattern).scan();
  const auto& tokens = scanned.tokens;
  if (!scanned.is_understood) return std::string(pattern);
  std::size_t end = tokens.size();
  while (end > 0 && tokens[end - 1].kind == PatternTokenKind::literal) --end;
  if (end < 2 || tokens[end - 1].kind != PatternTokenKind::close) return std::string(pattern);
  const PatternToken& last = tokens[end - 2];
  if (!is_quantifier(last) || !last.is_lazy) return std::string(pattern);
  std::string extended(pattern.substr(0, last.end - 1));  // without the `?`
  extended += pattern.substr(last.end);
  return extended;
}

}  // namespace assay
