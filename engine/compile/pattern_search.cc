// RE2 behind a narrow door: no RE2 type leaves this file, no pattern can take more memory than its
// limit, and nothing is logged. RE2 runs in time linear in the text, so a hostile text can be slow
// only by being long. A pattern that is literals and groups of any text needs no RE2: it is matched
// by linear_pattern.h, and RE2's program is made only if a text of several lines asks for it.
#include "engine/compile/pattern_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/compile/linear_pattern.h"
#include "engine/compile/pattern_literals.h"

namespace assay {

struct PatternSearch::Program {
  std::optional<LinearPattern> linear;
  std::string pattern;
  std::int64_t max_memory_bytes = 0;
  std::once_flag once;
  std::unique_ptr<re2::RE2> compiled;

  const re2::RE2& re() {
    std::call_once(once, [this] {
      re2::RE2::Options options(re2::RE2::Latin1);
      options.set_log_errors(false);
      options.set_max_mem(max_memory_bytes);
      compiled = std::make_unique<re2::RE2>(pattern, options);
    });
    return *compiled;
  }

  bool is_linear_in(std::string_view text) const {
    return linear && text.find('\n') == std::string_view::npos;
  }
};

PatternSearch::PatternSearch(std::unique_ptr<Program> program) : program_(std::move(program)) {}
PatternSearch::PatternSearch(PatternSearch&&) noexcept = default;
PatternSearch& PatternSearch::operator=(PatternSearch&&) noexcept = default;
PatternSearch::~PatternSearch() = default;

Result<PatternSearch> PatternSearch::compile(std::string_view pattern, Span place,
                                             const PatternLimits& limits) {
  if (pattern.empty()) return make_error(code::bad_pattern, place, "the pattern is empty");
  if (pattern.size() > limits.max_bytes)
    return make_error(code::bad_pattern, place,
                      "the pattern has " + std::to_string(pattern.size()) + " bytes, more than " +
                          std::to_string(limits.max_bytes));
  auto program = std::make_unique<Program>();
  program->pattern = extend_last_group(pattern);
  program->max_memory_bytes = limits.max_memory_bytes;
  program->linear = LinearPattern::parse(program->pattern);
  if (!program->linear && !program->re().ok())
    return make_error(code::bad_pattern, place, "the pattern is refused: " + program->re().error(),
                      "patterns are regular expressions as RE2 reads them");
  PatternSearch search(std::move(program));
  search.literals_ = required_literals(pattern);
  for (const std::string& run : search.literals_) search.literal_bytes_ += run.size();
  return search;
}

// Cheap, and false for nearly every text that RE2 would search in vain.
bool PatternSearch::has_literals(std::string_view text) const {
  std::size_t at = 0;
  for (const std::string& literal : literals_) {
    const auto found = text.find(literal, at);
    if (found == std::string_view::npos) return false;
    at = found + literal.size();
  }
  return true;
}

bool PatternSearch::matches(std::string_view text) const {
  if (program_->is_linear_in(text)) {
    std::string_view matched;
    std::vector<std::string_view> captures;
    return program_->linear->search(text, matched, captures);
  }
  if (!has_literals(text)) return false;
  return program_->re().Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                              nullptr, 0);
}

bool PatternSearch::search(std::string_view text, PatternHit& hit) const {
  if (program_->is_linear_in(text))
    return program_->linear->search(text, hit.matched, hit.captures);
  if (!has_literals(text)) return false;
  const re2::RE2& re = program_->re();
  // Groups and the whole; a pattern within max_bytes has at most half as many groups.
  const int groups = 1 + re.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(groups));
  if (!re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, pieces.data(),
                groups))
    return false;
  hit.matched = {pieces[0].data(), pieces[0].size()};
  hit.captures.clear();
  for (std::size_t i = 1; i < pieces.size(); ++i)
    hit.captures.emplace_back(pieces[i].data(), pieces[i].size());
  return true;
}

}  // namespace assay
