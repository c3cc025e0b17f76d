// Two passes: the expressions are found first, strings and comments in them passed over; then each
// is replaced where it stands. The word for one is `$` and underscores, as long as the expression,
// so that every place in the masked text is the same place in the original.
#include "engine/read/template_mask.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"

namespace assay {
namespace {

// Behind the `}}` of the expression at `at`; npos: there is none.
std::size_t end_of_expression(std::string_view text, std::size_t at) {
  at += 2;
  while (at < text.size()) {
    const char c = text[at];
    if (text.substr(at, 2) == "/*") {
      const auto close = text.find("*/", at + 2);
      if (close == std::string_view::npos) return close;
      at = close + 2;
    } else if (c == '"' || c == '`') {
      ++at;
      while (at < text.size() && text[at] != c) at += c == '"' && text[at] == '\\' ? 2 : 1;
      ++at;
    } else if (text.substr(at, 2) == "}}") {
      return at + 2;
    } else {
      ++at;
    }
  }
  return std::string_view::npos;
}

enum class Kind : std::uint8_t { output, silent, opens, turns, closes };

Kind kind_of(std::string_view expression) {
  expression.remove_prefix(2);
  while (!expression.empty() && (is_line_space(expression[0]) || expression[0] == '-'))
    expression.remove_prefix(1);
  if (expression.starts_with("/*")) return Kind::silent;
  const std::string_view word = expression.substr(0, expression.find_first_of(" \t\r\n-}("));
  constexpr std::array<std::string_view, 5> kOpening = {"if", "range", "with", "define", "block"};
  if (std::find(kOpening.begin(), kOpening.end(), word) != kOpening.end()) return Kind::opens;
  if (word == "else") return Kind::turns;
  if (word == "end") return Kind::closes;
  const bool is_assignment = word.starts_with('$') && expression.find(":=") < expression.find('|');
  return is_assignment ? Kind::silent : Kind::output;
}

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;  // without its line end
};

}  // namespace

class TemplateMasker {
 public:
  explicit TemplateMasker(std::string_view original) : original_(original), text_(original) {}

  void mask(TemplateMask& result) {
    find_expressions();
    for (std::size_t i = 0; i < expressions_.size(); ++i) {
      const Expression& one = expressions_[i];
      if (is_alone(i))
        mask_line(one, result);
      else
        put_word(one.begin, one.end, one, false, result);
    }
    blank_other_branches(result);
    result.text_ = std::move(text_);
  }

 private:
  struct Expression {
    std::size_t begin = 0;
    std::size_t end = 0;
    Kind kind = Kind::output;
  };

  void find_expressions() {
    auto at = original_.find("{{");
    while (at != std::string_view::npos) {
      const auto end = end_of_expression(original_, at);
      if (end == std::string_view::npos) return;
      expressions_.push_back({at, end, kind_of(original_.substr(at, end - at))});
      at = original_.find("{{", end);
    }
  }

  // Nothing else is on its lines.
  bool is_alone(std::size_t index) const {
    const Expression& one = expressions_[index];
    auto begin = one.begin, end = one.end;
    while (begin > 0 && is_line_space(original_[begin - 1])) --begin;
    while (end < original_.size() && is_line_space(original_[end])) ++end;
    return (begin == 0 || original_[begin - 1] == '\n') &&
           (end == original_.size() || original_[end] == '\n');
  }

  void put_word(std::size_t begin, std::size_t end, const Expression& one, bool is_item,
                TemplateMask& result) {
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(begin),
              text_.begin() + static_cast<std::ptrdiff_t>(end), '_');
    text_[begin] = '$';
    result.places_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                              std::string(original_.substr(one.begin, one.end - one.begin)),
                              is_item});
  }

  // Line ends stay, but for those of lines that a shell's text goes on behind.
  void blank(std::size_t begin, std::size_t end) {
    const Line line = line_before(begin);
    const bool goes_on = ends_open(line);
    for (auto at = begin; at < end; ++at)
      if (goes_on || (text_[at] != '\n' && text_[at] != '\r')) text_[at] = ' ';
    const auto next = text_.find_first_not_of(" \t\r", end);
    if (goes_on && next != std::string::npos && text_[next] == '\n') text_[next] = ' ';
  }

  // Does it end with a backslash?
  bool ends_open(Line line) const {
    const std::string_view written(text_.data() + line.begin, line.end - line.begin);
    const auto last = written.find_last_not_of(" \t\r");
    return last != std::string_view::npos && written[last] == '\\';
  }

  void mask_line(const Expression& one, TemplateMask& result) {
    auto begin = one.begin;
    while (begin > 0 && text_[begin - 1] != '\n') --begin;
    if (one.kind == Kind::output && ends_open(line_before(begin)))
      return put_word(one.begin, one.end, one, false, result);  // flags of a shell's text
    const auto indent = one.kind == Kind::output ? item_indent(begin, one) : std::string::npos;
    blank(begin, one.end);
    if (indent == std::string::npos || begin + indent + 4 > one.end) return;
    if (original_.substr(one.begin, one.end - one.begin).find('\n') != std::string_view::npos)
      return;
    text_[begin + indent] = '-';
    put_word(begin + indent + 2, one.end, one, true, result);
  }

  Line line_before(std::size_t begin) const {
    while (begin > 0) {
      Line line{0, begin - 1};
      const auto newline = line.end == 0 ? std::string::npos : text_.rfind('\n', line.end - 1);
      line.begin = newline == std::string::npos ? 0 : newline + 1;
      const bool is_empty =
          std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(line.begin),
                      text_.begin() + static_cast<std::ptrdiff_t>(line.end), is_line_space);
      if (!is_empty) return line;
      if ((looked_at_ += line.end - line.begin + 1) > kMaxLookedAt) break;
      begin = line.begin;
    }
    return {};
  }

  // Of the first line behind that is neither empty nor a template; 0 at the end.
  std::size_t indent_behind(std::size_t at) const {
    while ((at = original_.find('\n', at)) != std::string_view::npos) {
      const auto content = original_.find_first_not_of(" \t\r\n", ++at);
      if (content == std::string_view::npos) return 0;
      const auto newline = original_.rfind('\n', content);
      if (original_.substr(content, 2) != "{{") return content - newline - 1;
      if ((looked_at_ += content - at + 1) > kMaxLookedAt) return std::string::npos;
      at = content;
    }
    return 0;
  }

  // Where an item would be that the template on the line at `begin` makes; npos: it makes none.
  std::size_t item_indent(std::size_t begin, const Expression& one) const {
    const Line line = line_before(begin);
    std::string_view before(text_.data() + line.begin, line.end - line.begin);
    while (!before.empty() && is_line_space(before.back())) before.remove_suffix(1);
    const auto content = std::min(before.find_first_not_of(' '), before.size());
    const std::string_view written = before.substr(content);
    auto indent = std::string::npos;
    if (written.starts_with("- ")) {
      const std::string_view item = written.substr(2);
      const bool is_quoted = item.starts_with('"') || item.starts_with('\'');
      if (is_quoted || (item.find(": ") == std::string_view::npos && !item.ends_with(':')))
        indent = content;
    } else if (written == "args:" || written == "command:" || written == "entrypoint:") {
      indent = std::max(content, one.begin - begin);
    }
    if (indent == std::string::npos || indent_behind(one.end) > indent) return std::string::npos;
    return indent;
  }

  void blank_other_branches(TemplateMask& result) {
    std::vector<std::size_t> turns;   // of each open block: behind its first `else`, or npos
    std::vector<std::size_t> opened;  // ... and where it begins
    for (std::size_t i = 0; i < expressions_.size(); ++i) {
      const Expression& one = expressions_[i];
      if (one.kind == Kind::opens) {
        turns.push_back(std::string::npos);
        opened.push_back(one.begin);
        note_block(one.end, opened, result);
      }
      if (turns.empty()) continue;
      if (one.kind == Kind::turns && turns.back() == std::string::npos && is_alone(i))
        turns.back() = one.end;
      if (one.kind != Kind::closes) continue;
      if (turns.back() != std::string::npos && is_alone(i) && one.begin > blanked_) {
        const auto begin = std::max(turns.back(), blanked_);
        blank(begin, one.begin);
        result.hidden_.push_back(
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(one.begin)});
        std::erase_if(result.places_, [&](const TemplateMask::Place& place) {
          return place.begin >= begin && place.end <= one.begin;
        });
        blanked_ = one.begin;
      }
      turns.pop_back();
      opened.pop_back();
      note_block(one.begin, opened, result);
    }
  }

  static void note_block(std::size_t at, const std::vector<std::size_t>& opened,
                         TemplateMask& result) {
    const auto begin = opened.empty() ? TemplateMask::kNoBlock : opened.back();
    result.blocks_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(begin)});
  }

  static constexpr std::size_t kMaxLookedAt = 64u << 20;  // bytes of empty lines, all in all

  std::string_view original_;
  std::string text_;
  std::vector<Expression> expressions_;
  std::size_t blanked_ = 0;
  mutable std::size_t looked_at_ = 0;
};

TemplateMask::TemplateMask(std::string_view text) { TemplateMasker(text).mask(*this); }

bool TemplateMask::touches(Span span) const {
  const auto place = std::partition_point(places_.begin(), places_.end(),
                                          [&](const Place& one) { return one.end <= span.begin; });
  return place != places_.end() && place->begin < span.end;
}

// The first from `near` on, else of all, that is written as a word of at most `size` bytes.
std::vector<TemplateMask::Place>::const_iterator TemplateMask::find_place(
    std::vector<Place>::const_iterator near, std::size_t size) const {
  constexpr std::ptrdiff_t kLookedAt = 64;
  const auto fits = [&](const Place& one) { return one.end - one.begin <= size; };
  for (const auto first : {near, places_.begin()}) {
    const auto last = first + std::min(kLookedAt, places_.end() - first);
    const auto found = std::find_if(first, last, fits);
    if (found != last) return found;
  }
  return places_.end();
}

// Words for templates are known by their size; within `span`, where that is known, by their order.
std::string TemplateMask::restored(std::string_view text, Span span) const {
  std::string result;
  auto near = places_.begin();
  if (span.is_known())
    near = std::partition_point(places_.begin(), places_.end(),
                                [&](const Place& one) { return one.end <= span.begin; });
  std::size_t at = 0;
  while (at < text.size()) {
    const auto mark = std::min(text.find("$__", at), text.size());
    result += text.substr(at, mark - at);
    at = mark;
    if (mark == text.size()) break;
    auto run = std::min(text.find_first_not_of('_', mark + 1), text.size()) - mark;
    const auto place = find_place(near, run);
    if (place == places_.end()) {
      result += text.substr(at, run);
      at += run;
      continue;
    }
    result += place->original;
    at += place->end - place->begin;
    if (place >= near && span.is_known()) near = place + 1;
  }
  return result;
}

void TemplateMask::restore(SourceId from, SourceId to, Span& span) const {
  if (span.source == from) span.source = to;
}

void TemplateMask::restore(SourceId from, SourceId to, Node& node) const {
  if (node.span.source == from && node.text.find("$__") != std::string::npos)
    node.text = restored(node.text, node.span);
  restore(from, to, node.span);
  for (Node& item : node.items) restore(from, to, item);
  for (Entry& entry : node.entries) {
    restore(from, to, entry.key_span);
    restore(from, to, entry.value);
  }
}

void TemplateMask::restore(SourceId from, SourceId to, Diagnostic& diagnostic) const {
  if (diagnostic.span.source == from) {
    diagnostic.message = restored(diagnostic.message, diagnostic.span);
    diagnostic.help = restored(diagnostic.help, diagnostic.span);
  }
  restore(from, to, diagnostic.span);
  for (auto& related : diagnostic.related) restore(from, to, related.span);
}

void TemplateMask::restore(SourceId from, SourceId to, Diagnostics& diagnostics) const {
  for (Diagnostic& diagnostic : diagnostics) restore(from, to, diagnostic);
}

bool TemplateMask::is_conditional(Span span, Span whole) const {
  const auto behind = std::partition_point(
      blocks_.begin(), blocks_.end(), [&](const Range& one) { return one.begin <= span.begin; });
  if (behind == blocks_.begin()) return false;
  const std::uint32_t block = std::prev(behind)->end;
  return block != kNoBlock && block >= whole.begin && block < whole.end;
}

// What stands in a branch may be there or not.
void TemplateMask::doubt_branches(SourceId from, Launch& launch) const {
  for (LaunchArgument& argument : launch.arguments)
    if (argument.flag_span.source == from && is_conditional(argument.flag_span, launch.span))
      argument.is_known = false;
  for (EnvironmentSetting& setting : launch.environment)
    if (setting.span.source == from &&
        is_conditional(setting.span, {from, launch.span.begin, setting.span.end}))
      setting.is_known = false;
  launch.has_unseen_arguments |= std::ranges::any_of(hidden_, [&](const Range& one) {
    return one.begin >= launch.span.begin && one.end <= launch.span.end;
  });
}

void TemplateMask::restore(SourceId from, SourceId to, Launch& launch) const {
  if (launch.span.source == from) doubt_branches(from, launch);
  const auto is_item = [&](std::uint32_t end) {
    const auto place = std::partition_point(places_.begin(), places_.end(),
                                            [&](const Place& one) { return one.end < end; });
    return place != places_.end() && place->end == end && place->is_item;
  };
  if (launch.append_at.source == from && is_item(launch.append_at.begin)) {
    launch.append_at.begin = launch.append_at.end = 0;
    for (const LaunchArgument& argument : launch.arguments) {
      const Span last = argument.value_span.is_known() ? argument.value_span : argument.flag_span;
      if (last.source == from && last.end > launch.append_at.begin && !is_item(last.end))
        launch.append_at.begin = launch.append_at.end = last.end;
    }
    if (launch.append_at.end == 0) launch.append_at = {};
  }
  launch.label = restored(launch.label, {});
  for (LaunchFault& fault : launch.faults) {
    const Span span = fault.diagnostic.span;
    fault.message = restored(fault.message, span);
    fault.flag = restored(fault.flag, span);
    restore(from, to, fault.diagnostic);
    restore(from, to, fault.extent);
  }
  for (LaunchArgument& argument : launch.arguments) {
    restore(from, to, argument.value);
    restore(from, to, argument.flag_span);
    restore(from, to, argument.value_span);
  }
  for (GivenFact& fact : launch.facts) {
    restore(from, to, fact.value);
    restore(from, to, fact.span);
  }
  for (EnvironmentSetting& setting : launch.environment) {
    setting.value = restored(setting.value, setting.span);
    restore(from, to, setting.span);
  }
  restore(from, to, launch.span);
  restore(from, to, launch.append_at);
}

bool holds_templates(std::string_view text) {
  const auto open = text.find("{{");
  return open != std::string_view::npos && text.find("}}", open) != std::string_view::npos;
}

bool is_templated_manifest(std::string_view text) {
  if (!holds_templates(text)) return false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto content = line.find_first_not_of(" \t-");
    if (content == std::string_view::npos) continue;
    line.remove_prefix(content);
    for (const std::string_view key : {"apiVersion:", "containers:", "services:"})
      if (line.starts_with(key)) return true;
  }
  return false;
}

}  // namespace assay
