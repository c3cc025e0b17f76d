// Windows of 64 places are tested without a branch, three bytes of each word at once, sixteen
// places a register; only a window with a hit is looked at place by place. Case is folded by
// setting bit 5, which lets a few other characters pass: a sieve may.
#include "engine/evaluate/error_anchors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace assay {
namespace {

constexpr std::size_t kWindow = 64;
constexpr std::size_t kLongest = 11;
constexpr std::array<std::string_view, 6> kWords{"error",  "exception", "traceback",
                                                 "assert", "fatal",     "critical"};

// Sixteen bytes at once on every compiler that we build with; comparisons give 0 or all ones.
using Bytes = unsigned char __attribute__((vector_size(16)));

unsigned char folded(char c) { return static_cast<unsigned char>(c) | 0x20; }

// Three bytes of each word; of "error" the middle, since its letters are the rarest together.
template <typename B>
auto is_candidate(B a, B b, B c) {
  return ((a == 'r') & (b == 'r') & (c == 'o')) | ((a == 'x') & (b == 'c') & (c == 'e')) |
         ((a == 'c') & (b == 'e') & (c == 'b')) | ((a == 's') & (b == 's') & (c == 'e')) |
         ((a == 'i') & (b == 't') & (c == 'i')) | ((a == 'f') & (b == 'a') & (c == 't'));
}

Bytes load_folded(const char* at) {
  Bytes bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes | 0x20;
}

// Reads two bytes more than the window.
bool has_candidate(const char* window) {
  using Flags = decltype(is_candidate(Bytes{}, Bytes{}, Bytes{}));
  Flags hits{};
  for (std::size_t i = 0; i < kWindow; i += sizeof(Bytes))
    hits |= is_candidate(load_folded(window + i), load_folded(window + i + 1),
                         load_folded(window + i + 2));
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), &hits, sizeof hits);
  return (words[0] | words[1]) != 0;
}

bool has_word_at(std::string_view text, std::size_t at) {
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return text.size() - at >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char w, char t) { return static_cast<unsigned char>(w) == folded(t); });
  });
}

// A word that has a candidate at `at` begins at most four bytes before it.
std::size_t word_around(std::string_view text, std::size_t at, std::size_t from) {
  for (std::size_t back = 0; back <= 4 && back <= at - from; ++back)
    if (has_word_at(text, at - back)) return at - back;
  return std::string_view::npos;
}

}  // namespace

std::size_t find_error_anchor(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size()) {
    if (at + kWindow + kLongest <= text.size()) {
      if (!has_candidate(text.data() + at)) {
        at += kWindow;
        continue;
      }
    }
    const std::size_t end = std::min(at + kWindow, text.size());
    for (; at < end; ++at) {
      if (at + 2 >= text.size()) return std::string_view::npos;
      const bool is_hit =
          is_candidate<int>(folded(text[at]), folded(text[at + 1]), folded(text[at + 2])) != 0;
      if (!is_hit) continue;
      const std::size_t word = word_around(text, at, from);
      if (word != std::string_view::npos) return word;
    }
  }
  return std::string_view::npos;
}

std::vector<std::size_t> find_error_anchors(std::string_view text) {
  std::vector<std::size_t> anchors;
  for (std::size_t at = find_error_anchor(text, 0); at != std::string_view::npos;
       at = find_error_anchor(text, at)) {
    anchors.push_back(at);
    at = text.find('\n', at);
    if (at == std::string_view::npos) break;
  }
  return anchors;
}

}  // namespace assay
