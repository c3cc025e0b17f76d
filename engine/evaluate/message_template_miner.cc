// A message is read token by token, without a training phase and without looking at other messages:
// equal messages give equal templates on every machine and in every order. What holds no digit, no
// path separator and no quotes is taken to be the author's text. Not done: merging templates that
// differ in one word (as Drain does), since a word may be all that tells two errors apart.
#include "engine/evaluate/message_template_miner.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxMessage = 1024;

bool is_token(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '/' || c == '\\' || c == '.' || c == '-' ||
         c == ':' || c == '@' || c == '~' || c == '+' || c == '%';
}

// Punctuation at a token's ends belongs to the sentence.
std::string_view without_ends(std::string_view token, std::size_t& front) {
  front = 0;
  while (front < token.size() && (token[front] == ':' || token[front] == '-')) ++front;
  std::size_t end = token.size();
  while (end > front && (token[end - 1] == '.' || token[end - 1] == ':' || token[end - 1] == '-'))
    --end;
  return token.substr(front, end - front);
}

bool is_long_identifier(std::string_view word) {
  if (word.size() < 8) return false;
  const bool is_hex = word.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
  const auto digits = std::count_if(word.begin(), word.end(), is_digit);
  return digits > 0 && (is_hex || (digits >= 4 && word.size() >= 16));
}

// A name with a number at its end that counts something: "TP3", "rank12", "layers.17".
bool is_numbered_name(std::string_view word) {
  const auto digits = word.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == word.size()) return false;
  const std::string_view name = word.substr(0, digits + 1);
  return name == "TP" || name == "DP" || name == "PP" || name == "EP" || name == "rank" ||
         name == "GPU" || name == "gpu" || name.ends_with('.') || name.ends_with(':');
}

bool is_variable(std::string_view word) {
  if (word.empty()) return false;
  if (is_digit(word[0])) return true;
  if (word.size() > 1 && (word[0] == '-' || word[0] == '.' || word[0] == '+') && is_digit(word[1]))
    return true;
  if (word[0] == '/' && word.size() > 1) return true;
  if (word.find("://") != std::string_view::npos) return true;
  if (word.size() > 3 && is_letter(word[0]) && word[1] == ':' && word[2] == '\\') return true;
  return is_numbered_name(word) || is_long_identifier(word);
}

// The closing quote of the text that opens at `at`; npos for an apostrophe.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]))) return std::string_view::npos;
  for (auto close = text.find(quote, at + 1); close != std::string_view::npos;
       close = text.find(quote, close + 1)) {
    const bool is_inside = quote == '\'' && close + 1 < text.size() && is_letter(text[close + 1]);
    if (!is_inside) return close;
  }
  return std::string_view::npos;
}

void add_variable(std::string& out) {
  // "<*>, <*>" and "<*> <*>" are one list of whatever length.
  std::string_view tail = out;
  while (!tail.empty() && (tail.back() == ' ' || tail.back() == ',' || tail.back() == 'x'))
    tail.remove_suffix(1);
  if (tail.ends_with(kVariablePart)) {
    out.resize(tail.size());
    return;
  }
  out += kVariablePart;
}

bool is_unit(std::string_view word) {
  return word == "GiB" || word == "MiB" || word == "KiB" || word == "GB" || word == "MB" ||
         word == "KB" || word == "TiB" || word == "TB" || word == "bytes" || word == "B";
}

// The size of a mask (text/privacy_mask.h) that `text` begins with, or 0: what it hides varies.
std::size_t mask_size(std::string_view text) {
  constexpr std::array<std::string_view, 4> kMasks = {"<token>", "<user>", "<address>", "<host>"};
  for (const std::string_view mask : kMasks)
    if (text.starts_with(mask)) return mask.size();
  return 0;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

template <typename Literal>
std::string with_parts(std::string_view text, std::string_view part, Literal literal) {
  std::string out;
  for (std::size_t at = 0;;) {
    const auto next = text.find(kVariablePart, at);
    out += literal(text.substr(at, next == std::string_view::npos ? next : next - at));
    if (next == std::string_view::npos) return out;
    out += part;
    at = next + kVariablePart.size();
  }
}

}  // namespace

std::string message_template(std::string_view message) {
  const std::string_view text = message.substr(0, std::min(message.find('\n'), kMaxMessage));
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\'' || c == '"' || c == '`') {
      const auto close = closing_quote(text, at);
      if (close != std::string_view::npos) {
        out += c;
        out += kVariablePart;
        out += c;
        at = close + 1;
        continue;
      }
    }
    if (const std::size_t size = mask_size(text.substr(at)); size > 0) {
      add_variable(out);
      at += size;
      continue;
    }
    if (!is_token(c)) {
      out += c;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_token(text[end])) ++end;
    const std::string_view token = text.substr(at, end - at);
    std::size_t front = 0;
    const std::string_view word = without_ends(token, front);
    // "2.00 GiB": the unit varies with the number.
    const bool follows_number = out.ends_with("<*> ") && is_unit(word);
    if (is_variable(word) || follows_number) {
      out += token.substr(0, front);
      add_variable(out);
      out += token.substr(front + word.size());
    } else {
      out += token;
    }
    at = end;
  }
  return out;
}

std::string template_as_error_message(std::string_view message_template) {
  return with_parts(message_template, "{}",
                    [](std::string_view text) { return std::string(text); });
}

std::string template_as_pattern(std::string_view message_template) {
  return with_parts(message_template, "(.+?)", escaped);
}

void MessageTemplateMiner::add(std::string_view error_class, std::string_view message,
                               std::string_view source, std::size_t line, std::string_view file) {
  std::string text = message_template(message);
  std::string key = std::string(error_class) + '\n' + text;
  const auto known = templates_.find(key);
  if (known != templates_.end()) {
    ++known->second.count;
    return;
  }
  if (templates_.size() >= kMaxTemplates) drop_rare();
  templates_.emplace(std::move(key), MinedTemplate{std::string(error_class), std::move(text), 1,
                                                   std::string(message.substr(0, kMaxMessage)),
                                                   std::string(source), line, std::string(file)});
}

// Drops at least an eighth of them, the least frequent.
void MessageTemplateMiner::drop_rare() {
  std::vector<std::size_t> counts;
  for (const auto& [key, mined] : templates_) counts.push_back(mined.count);
  const auto middle = counts.begin() + kMaxTemplates / 8;
  std::nth_element(counts.begin(), middle, counts.end());
  const std::size_t bound = *middle;
  std::erase_if(templates_, [&](const auto& entry) {
    if (entry.second.count > bound) return false;
    dropped_ += entry.second.count;
    return true;
  });
}

std::vector<MinedTemplate> MessageTemplateMiner::ranked() const {
  std::vector<MinedTemplate> all;
  for (const auto& [key, mined] : templates_) all.push_back(mined);
  std::sort(all.begin(), all.end(), [](const MinedTemplate& a, const MinedTemplate& b) {
    return std::tuple(b.count, std::string_view(a.source), a.line, std::string_view(a.text)) <
           std::tuple(a.count, std::string_view(b.source), b.line, std::string_view(b.text));
  });
  return all;
}

}  // namespace assay
