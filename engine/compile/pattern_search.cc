// RE2 behind a narrow door: no RE2 type leaves this file, no pattern can take more memory than its
// limit, and nothing is logged. RE2 runs in time linear in the text, so a hostile text can be slow
// only by being long.
#include "engine/compile/pattern_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "engine/compile/pattern_literals.h"

namespace assay {

struct PatternSearch::Program {
  Program(const std::string& pattern, const re2::RE2::Options& options) : re(pattern, options) {}
  re2::RE2 re;
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
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(limits.max_memory_bytes);
  auto program = std::make_unique<Program>(extend_last_group(pattern), options);
  if (!program->re.ok())
    return make_error(code::bad_pattern, place, "the pattern is refused: " + program->re.error(),
                      "patterns are regular expressions as RE2 reads them");
  PatternSearch search(std::move(program));
  for (std::string& run : required_literals(pattern)) {
    search.literal_bytes_ += run.size();
    if (run.size() > search.literal_.size()) search.literal_ = std::move(run);
  }
  return search;
}

bool PatternSearch::matches(std::string_view text) const {
  return program_->re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                            nullptr, 0);
}

bool PatternSearch::search(std::string_view text, PatternHit& hit) const {
  // Groups and the whole; a pattern within max_bytes has at most half as many groups.
  const int groups = 1 + program_->re.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(groups));
  if (!program_->re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                          pieces.data(), groups))
    return false;
  hit.matched = {pieces[0].data(), pieces[0].size()};
  hit.captures.clear();
  for (std::size_t i = 1; i < pieces.size(); ++i)
    hit.captures.emplace_back(pieces[i].data(), pieces[i].size());
  return true;
}

}  // namespace assay
