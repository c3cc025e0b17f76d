// Words are compared by their longest common subsequence, once the words that both texts begin and
// end with are taken off. A word ends at a blank, a comma or an equals sign, so that of
// "--page-size=8" only the number is marked.
#include "engine/report/fix_example.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxWords = 400;  // of each text, without what they share at both ends

// The kind of part that a line names, with what it says besides.
FixPart named_part(std::string_view line) {
  FixPart part;
  std::string_view rest = line;
  if (rest.starts_with("#"))
    rest.remove_prefix(1);
  else if (rest.starts_with("//"))
    rest.remove_prefix(2);
  else
    return part;
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto take = [&](std::string_view word, FixPart::Kind kind) {
    if (!rest.starts_with(word) || (rest.size() > word.size() && is_letter(rest[word.size()])))
      return;
    part.kind = kind;
    rest.remove_prefix(word.size());
    const auto begin = rest.find_first_not_of(" ,:(");
    if (begin != std::string_view::npos) part.note = std::string(rest.substr(begin));
    if (part.note.ends_with(')')) part.note.pop_back();
    if (part.note.ends_with(':')) part.note.pop_back();
  };
  take("before", FixPart::Kind::before);
  if (part.kind == FixPart::Kind::other) take("after", FixPart::Kind::after);
  return part;
}

using Words = std::vector<std::string_view>;

Words argument_words_of(std::string_view text) {
  Words words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != ' ' && c != '\n' && c != ',' && c != '=') continue;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    words.push_back(text.substr(at, 1));
    begin = at + 1;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

void add(Phrase& phrase, Inline::Kind kind, std::string_view word) {
  if (phrase.empty() || phrase.back().kind != kind) phrase.push_back({kind, {}, {}, {}});
  phrase.back().text += word;
}

void add_all(Phrase& phrase, Inline::Kind kind, std::span<const std::string_view> words) {
  for (const std::string_view word : words) add(phrase, kind, word);
}

void add_difference(std::span<const std::string_view> a, std::span<const std::string_view> b,
                    MarkedPair& pair) {
  // common[i][j]: how many words the rests from i and j have in common.
  const std::size_t width = b.size() + 1;
  std::vector<std::uint16_t> common((a.size() + 1) * width);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i * width + j] =
          a[i] == b[j] ? static_cast<std::uint16_t>(common[(i + 1) * width + j + 1] + 1)
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      add(pair.before, Inline::Kind::text, a[i++]);
      add(pair.after, Inline::Kind::text, b[j++]);
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      add(pair.before, Inline::Kind::removed, a[i++]);
    } else {
      add(pair.after, Inline::Kind::inserted, b[j++]);
    }
  }
  add_all(pair.before, Inline::Kind::removed, a.subspan(i));
  add_all(pair.after, Inline::Kind::inserted, b.subspan(j));
}

}  // namespace

std::vector<FixPart> read_fix_example(std::string_view example) {
  std::vector<FixPart> parts;
  while (!example.empty()) {
    const auto newline = example.find('\n');
    const std::string_view line = example.substr(0, newline);
    example.remove_prefix(newline == std::string_view::npos ? example.size() : newline + 1);
    FixPart named = named_part(line);
    if (named.kind != FixPart::Kind::other) {
      parts.push_back(std::move(named));
      continue;
    }
    if (parts.empty()) parts.emplace_back();
    std::string& text = parts.back().text;
    if (!text.empty()) text += '\n';
    text += line;
  }
  for (FixPart& part : parts)
    while (part.text.ends_with('\n')) part.text.pop_back();
  return parts;
}

MarkedPair mark_changes(std::string_view before, std::string_view after) {
  const Words a = argument_words_of(before);
  const Words b = argument_words_of(after);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::span<const std::string_view> all_a(a);
  const std::span<const std::string_view> all_b(b);
  const auto middle_a = all_a.subspan(head, a.size() - head - tail);
  const auto middle_b = all_b.subspan(head, b.size() - head - tail);
  MarkedPair pair;
  if (head + tail == 0 || middle_a.size() > kMaxWords || middle_b.size() > kMaxWords)
    return {{plain(std::string(before))}, {plain(std::string(after))}};
  add_all(pair.before, Inline::Kind::text, all_a.first(head));
  add_all(pair.after, Inline::Kind::text, all_b.first(head));
  add_difference(middle_a, middle_b, pair);
  add_all(pair.before, Inline::Kind::text, all_a.last(tail));
  add_all(pair.after, Inline::Kind::text, all_b.last(tail));
  return pair;
}

}  // namespace assay
