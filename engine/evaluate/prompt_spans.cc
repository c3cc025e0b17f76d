// Servers log requests and answers as Python or JSON prints them: `text='...'`, `prompt: '...'`,
// `{"content": "..."}`. The line is read once, quotation by quotation, with the escapes of both;
// the name in front of the last `=` or `:` says what a quotation is. Names that may hold a message
// of the program ("message", "reason", "detail") are not in the list: an error is rather told twice
// than not at all.
#include "engine/evaluate/prompt_spans.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxBytes = 64 << 10;

bool is_field_name_byte(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// The name that ends before `at`, out of its quotes.
std::string_view name_before(std::string_view line, std::size_t at) {
  if (at > 0 && (line[at - 1] == '"' || line[at - 1] == '\'')) --at;
  std::size_t begin = at;
  while (begin > 0 && is_field_name_byte(line[begin - 1])) --begin;
  return line.substr(begin, at - begin);
}

bool is_prompt_name(std::string_view name) {
  static constexpr std::array<std::string_view, 15> kNames{"text",        "prompt",
                                                           "prompts",     "content",
                                                           "input",       "inputs",
                                                           "output",      "outputs",
                                                           "query",       "question",
                                                           "messages",    "completion",
                                                           "arguments",   "reasoning_content",
                                                           "instructions"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.ends_with("_text") ||
         name.ends_with("_prompt") || name.ends_with("_content");
}

// Apart from an apostrophe, which follows a letter.
bool opens_quotation(std::string_view line, std::size_t at) {
  if (line[at] != '"' && line[at] != '\'') return false;
  return at == 0 || std::string_view("=:([{, ").find(line[at - 1]) != std::string_view::npos;
}

}  // namespace

PromptSpans::PromptSpans(std::string_view line) {
  const std::string_view text = line.substr(0, kMaxBytes);
  std::string_view name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '=' || text[at] == ':') name = name_before(text, at);
    if (!opens_quotation(text, at)) continue;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
    if (is_prompt_name(name))
      spans_.push_back({at + 1, end < text.size() ? end : std::string_view::npos});
    at = end;
  }
}

bool PromptSpans::holds(std::size_t at) const {
  const auto after =
      std::upper_bound(spans_.begin(), spans_.end(), at,
                       [](std::size_t place, const Span& span) { return place < span.begin; });
  return after != spans_.begin() && at < (after - 1)->end;
}

}  // namespace assay
