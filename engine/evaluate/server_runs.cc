// The engines' sentences are found by the matcher of messages, in the same pass.
#include "engine/evaluate/server_runs.h"

#include <algorithm>
#include <array>

#include "engine/evaluate/prompt_spans.h"
#include "engine/text/byte_scan.h"

namespace assay {
namespace {

constexpr std::size_t kMaxMarks = 1024;

bool is_quoted(std::string_view text, std::size_t at) {
  const auto feed = text.substr(0, at).rfind('\n');
  const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  return PromptSpans(text.substr(begin, at - begin)).holds(at - begin);
}

}  // namespace

void ServerRuns::note(std::string_view text, std::size_t first_line,
                      std::span<const SeenSentence> sentences) {
  std::size_t counted = 0;
  std::array<std::size_t, kServerSentences.size()> line_ends{};  // the first of a line counts
  for (const auto& [at, sentence] : sentences) {
    std::size_t& line_end = line_ends[sentence];
    if (at < line_end) continue;
    line_end = std::min(text.find('\n', at), text.size());
    if (is_quoted(text, at)) continue;
    first_line += count_line_feeds(text.substr(counted, at - counted));
    counted = at;
    marks_.push_back({first_line, kServerSentences[sentence].is_service});
  }
  if (marks_.size() > kMaxMarks)
    marks_.erase(marks_.begin(), marks_.end() - static_cast<std::ptrdiff_t>(kMaxMarks));
}

std::size_t ServerRuns::stretch_of(std::size_t line) const {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), line,
                       [](std::size_t l, const Mark& mark) { return l < mark.line; });
  return static_cast<std::size_t>(after - marks_.begin());
}

bool ServerRuns::ends_in_service(std::size_t stretch) const {
  return stretch < marks_.size() && marks_[stretch].is_service;
}

}  // namespace assay
