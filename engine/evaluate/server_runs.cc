// Four sentences of the engines are searched for: two that a server prints first, two that it
// prints when it serves. "Started server process" is none of them, since each of several HTTP
// workers prints it.
//
// They are sampled like the literals of messages (compile/literal_tables.h), at every 16th byte of
// the text: eight bytes there are looked up in a set of bits, one in a thousand others passes.
#include "engine/evaluate/server_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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

constexpr std::size_t kSampled = 16;  // bytes from one sample to the next
constexpr std::size_t kGramBytes = 8;
constexpr std::size_t kHashBits = 16;

constexpr std::size_t hash_of(std::uint64_t gram) {
  return static_cast<std::size_t>((gram * 0x9e3779b97f4a7c15u) >> (64 - kHashBits));
}

using GramBits = std::array<std::uint64_t, (1u << kHashBits) / 64>;

// Of the first sixteen grams of each sentence: one of them begins at a sampled place.
constexpr GramBits make_gram_bits() {
  GramBits bits{};
  for (const Sentence& sentence : kSentences)
    for (std::size_t at = 0; at < kSampled; ++at) {
      std::uint64_t gram = 0;
      for (std::size_t i = kGramBytes; i > 0; --i)
        gram = gram << 8 | static_cast<unsigned char>(sentence.text[at + i - 1]);
      const std::size_t hash = hash_of(gram);
      bits[hash / 64] |= std::uint64_t{1} << (hash % 64);
    }
  return bits;
}

constexpr GramBits kGramBits = make_gram_bits();
static_assert(std::endian::native == std::endian::little, "a gram is loaded as it was made");
static_assert(std::ranges::all_of(kSentences, [](const Sentence& sentence) {
  return sentence.text.size() >= kSampled + kGramBytes - 1;
}));

// Where the sentence begins that has a sample at `at` of `text`; npos if it has none.
std::size_t begin_of(std::string_view text, std::size_t at, const Sentence& sentence) {
  const std::string_view sample = text.substr(at, kGramBytes);
  for (auto in = sentence.text.find(sample); in < kSampled; in = sentence.text.find(sample, in + 1))
    if (in <= at && text.substr(at - in).starts_with(sentence.text)) return at - in;
  return std::string_view::npos;
}

bool may_hold(const char* sample) {
  std::uint64_t gram = 0;
  std::memcpy(&gram, sample, kGramBytes);
  const std::size_t hash = hash_of(gram);
  return (kGramBits[hash / 64] >> (hash % 64) & 1) != 0;
}

// The first sample at or behind `at` that may be of a sentence; four are looked at together.
std::size_t next_sample(std::string_view text, std::size_t at) {
  constexpr std::size_t kTurn = 4 * kSampled;
  for (; at + kTurn <= text.size(); at += kTurn) {
    const char* const samples = text.data() + at;
    if (may_hold(samples) | may_hold(samples + kSampled) | may_hold(samples + 2 * kSampled) |
        may_hold(samples + 3 * kSampled))
      break;
  }
  while (at + kGramBytes <= text.size() && !may_hold(text.data() + at)) at += kSampled;
  return at;
}

// Calls `visit` with each place of each sentence, and the sentence.
template <class Visit>
void for_each_sentence(std::string_view text, Visit visit) {
  for (std::size_t at = next_sample(text, 0); at + kGramBytes <= text.size();
       at = next_sample(text, at + kSampled))
    for (const Sentence& sentence : kSentences)
      if (const std::size_t begin = begin_of(text, at, sentence); begin != std::string_view::npos)
        visit(begin, sentence);
}

bool is_quoted(std::string_view text, std::size_t at) {
  const auto feed = text.substr(0, at).rfind('\n');
  const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  return PromptSpans(text.substr(begin, at - begin)).holds(at - begin);
}

}  // namespace

void ServerRuns::note(std::string_view text, std::size_t first_line) {
  std::vector<std::pair<std::size_t, bool>> found;
  std::array<std::size_t, kSentences.size()> line_ends{};  // the first of a line counts
  for_each_sentence(text, [&](std::size_t at, const Sentence& sentence) {
    std::size_t& line_end = line_ends[static_cast<std::size_t>(&sentence - kSentences.data())];
    if (at < line_end) return;
    line_end = std::min(text.find('\n', at), text.size());
    if (!is_quoted(text, at)) found.emplace_back(at, sentence.is_service);
  });
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
