// Four sentences of the engines are searched for: two that a server prints first, two that it
// prints when it serves. "Started server process" is none of them, since each of several HTTP
// workers prints it.
#include "engine/evaluate/server_runs.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/evaluate/prompt_spans.h"
#include "engine/text/byte_scan.h"

namespace assay {
namespace {

constexpr std::size_t kMaxMarks = 1024;

struct Sentence {
  std::string_view text;
  bool is_service;
};
constexpr std::array<Sentence, 4> kSentences{{
    {"server_args=ServerArgs(", false},
    {"vLLM API server version ", false},
    {"The server is fired up and ready to roll!", true},
    {"Application startup complete.", true},
}};

std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  const void* at = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

bool is_quoted(std::string_view text, std::size_t at) {
  const auto feed = text.substr(0, at).rfind('\n');
  const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  return PromptSpans(text.substr(begin, at - begin)).holds(at - begin);
}

}  // namespace

void ServerRuns::note(std::string_view text, std::size_t first_line) {
  std::vector<std::pair<std::size_t, bool>> found;
  for (const Sentence& sentence : kSentences)
    for (auto at = find_part(text, sentence.text, 0); at != std::string_view::npos;) {
      if (!is_quoted(text, at)) found.emplace_back(at, sentence.is_service);
      at = std::min(text.find('\n', at), text.size());
      at = find_part(text, sentence.text, at);
    }
  std::sort(found.begin(), found.end());
  std::size_t counted = 0;
  for (const auto& [at, is_service] : found) {
    first_line += count_line_feeds(text.substr(counted, at - counted));
    counted = at;
    marks_.push_back({first_line, is_service});
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
