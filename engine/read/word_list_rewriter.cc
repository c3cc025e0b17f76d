// Edits items of YAML and JSON lists of words: a block list gets and loses lines, a flow list items
// with their commas. New items are quoted as their neighbours are.
#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/argument_words.h"
#include "engine/read/launch_rewriter_forms.h"
#include "engine/read/text_edits.h"

namespace assay {
namespace {

class WordListRewriter {
 public:
  WordListRewriter(const SourceSet& sources, const RulePack& pack, const Launch& launch)
      : sources_(sources),
        release_(pack, launch.release),
        launch_(launch),
        text_(sources.get(launch.span.source).text()) {}

  std::string rewrite(std::span<const LaunchEdit> edits) {
    for (const LaunchEdit& edit : edits) apply(edit);
    return edits_.apply(sources_, launch_.span);
  }
  std::string rewrite(std::span<const PartEdit> edits) {
    for (const PartEdit& edit : edits) {
      if (edit.name.empty())
        remove(edit.extent.begin, edit.extent.end);
      else
        edits_.replace(edit.name_span.begin, edit.name_span.end, edit.name);
    }
    return edits_.apply(sources_, launch_.span);
  }

 private:
  struct ItemStyle {
    bool is_block = false;
    std::string separator;  // what goes in front of a further item
    char quote = '\0';
  };

  std::size_t line_begin(std::size_t at) const {
    const auto newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
  }
  // Is the item that begins at `at` one of a block list?
  bool is_block_item(std::size_t at) const {
    while (at > 0 && is_line_space(text_[at - 1])) --at;
    if (at == 0 || text_[at - 1] != '-') return false;
    return at == 1 || is_space(text_[at - 2]);
  }
  ItemStyle style_at(std::size_t begin, std::size_t end) const;
  ItemStyle last_style() const;
  std::string item(std::string_view word, const ItemStyle& style) const;
  std::string items(const ArgumentWords& words, const ItemStyle& style) const {
    std::string result = item(words.flag, style);
    for (const std::string& value : words.values) result += style.separator + item(value, style);
    return result;
  }
  static bool is_equals_form(const LaunchArgument& argument) {
    return argument.value_span.is_known() && argument.value_span != argument.flag_span &&
           argument.value_span.begin >= argument.flag_span.begin &&
           argument.value_span.end <= argument.flag_span.end;
  }
  static std::uint32_t end_of(const LaunchArgument& argument) {
    return argument.value_span.is_known()
               ? std::max(argument.flag_span.end, argument.value_span.end)
               : argument.flag_span.end;
  }
  void apply(const LaunchEdit& edit);
  void set_in_place(const LaunchArgument& argument, const FactDeclaration& fact, const Node& value);
  void remove(std::uint32_t begin, std::uint32_t end);
  void remove(const LaunchArgument& argument) {
    remove(argument.flag_span.begin, end_of(argument));
  }

  const SourceSet& sources_;
  const PackRelease release_;
  const Launch& launch_;
  std::string_view text_;
  TextEdits edits_;
};

WordListRewriter::ItemStyle WordListRewriter::style_at(std::size_t begin, std::size_t end) const {
  ItemStyle style;
  style.is_block = is_block_item(begin);
  const std::size_t line = line_begin(begin);
  const std::string_view head = text_.substr(line, begin - line);
  if (style.is_block) {
    // The dash of a list's first item may stand behind a key or another dash.
    std::string indent(head);
    std::replace_if(
        indent.begin(), indent.end(), [](char c) { return !is_line_space(c); }, ' ');
    const auto dash = head.rfind('-');
    indent[dash] = '-';
    style.separator = "\n" + indent;
  } else {
    const bool is_alone = std::all_of(head.begin(), head.end(), is_line_space);
    // In a Dockerfile the line before ends with a backslash.
    const bool is_continued = line > 1 && text_[line - 2] == '\\';
    style.separator = is_alone ? (is_continued ? ", \\\n" : ",\n") + std::string(head) : ", ";
  }
  const char last = end > begin ? text_[end - 1] : '\0';
  if (last == '"' || last == '\'') style.quote = last;
  return style;
}

// Of the last item of the launch.
WordListRewriter::ItemStyle WordListRewriter::last_style() const {
  const std::uint32_t end = launch_.append_at.begin;
  for (const LaunchArgument& argument : launch_.arguments) {
    const Span value = argument.value_span;
    if (value.is_known() && value.end == end && !is_equals_form(argument) &&
        sources_.text(value).find('\n') == std::string_view::npos &&
        sources_.text(value).find(',') == std::string_view::npos)
      return style_at(value.begin, end);
    if (argument.flag_span.end == end) return style_at(argument.flag_span.begin, end);
  }
  // The item is the rest of its line behind the dash, or behind the comma or bracket.
  std::size_t begin = end;
  const std::size_t line = line_begin(end);
  const auto dash = text_.find_first_not_of(" \t", line);
  const bool is_block = dash < end && text_[dash] == '-' && is_space(text_[dash + 1]);
  if (is_block) {
    begin = text_.find_first_not_of(" \t", dash + 1);
  } else {
    while (begin > line && text_[begin - 1] != ',' && text_[begin - 1] != '[') --begin;
    while (begin < end && is_line_space(text_[begin])) ++begin;
  }
  return style_at(begin, end);
}

std::string WordListRewriter::item(std::string_view word, const ItemStyle& style) const {
  if (style.quote == '\'') {
    const bool is_simple =
        std::all_of(word.begin(), word.end(), [](char c) { return c >= ' ' || (c & '\x80'); });
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    if (is_simple) return quoted + "'";
  }
  if (style.quote == '\0' && is_plain_yaml(word, !style.is_block)) return std::string(word);
  return write_json_string(word);
}

void WordListRewriter::apply(const LaunchEdit& edit) {
  const FactDeclaration& fact = release_.fact(edit.fact);
  const ArgumentWords words = write_argument(fact, edit.value);
  const bool is_removed = edit.is_unset || words.flag.empty();
  const LaunchArgument* kept = nullptr;
  for (const LaunchArgument& argument : launch_.arguments) {
    if (argument.fact != edit.fact || argument.flag_span.source != launch_.span.source) continue;
    if (kept != nullptr) remove(*kept);
    kept = &argument;
  }
  if (is_removed) {
    if (kept != nullptr) remove(*kept);
  } else if (kept != nullptr) {
    set_in_place(*kept, fact, edit.value);
  } else {
    const ItemStyle style = last_style();
    if (style.is_block)
      edits_.insert(end_with_comment(text_, launch_.append_at.begin),
                    style.separator + items(words, style));
    else
      edits_.append_flow_item(launch_.append_at.begin, style.separator, items(words, style));
  }
}

void WordListRewriter::set_in_place(const LaunchArgument& argument, const FactDeclaration& fact,
                                    const Node& value) {
  const Span flag = argument.flag_span, old_value = argument.value_span;
  const ItemStyle style = style_at(flag.begin, flag.end);
  ArgumentWords words = write_argument(fact, value, argument.spelling);
  const std::string typed = typed_flag(sources_, argument);
  if (words.flag == argument.spelling && !typed.empty()) words.flag = typed;
  const bool is_positional = flag == old_value && !argument.spelling.starts_with('-');
  if (is_positional) {
    edits_.replace(flag.begin, flag.end, item(write_value(value), style));
  } else if (is_equals_form(argument) && words.values.size() == 1) {
    edits_.replace(flag.begin, flag.end, item(words.flag + "=" + words.values[0], style));
  } else if (words.values.size() == 1 && old_value.is_known() && !is_equals_form(argument)) {
    edits_.replace(flag.begin, flag.end, item(words.flag, style));
    edits_.replace(old_value.begin, old_value.end,
                   item(words.values[0], style_at(old_value.begin, old_value.end)));
  } else {
    edits_.replace(flag.begin, end_of(argument), items(words, style));
  }
}

void WordListRewriter::remove(std::uint32_t begin, std::uint32_t end) {
  if (!is_block_item(begin)) return edits_.remove_flow_item(begin, end);
  end = std::min(end_with_comment(text_, end), launch_.span.end);
  while (begin > 0 && text_[begin - 1] != '\n' && begin > launch_.span.begin) --begin;
  if (begin > launch_.span.begin) --begin;  // the line end before it
  edits_.remove(begin, end);
}

}  // namespace

std::optional<std::string> rewrite_word_list(const SourceSet& sources, const RulePack& pack,
                                             const Launch& launch,
                                             std::span<const LaunchEdit> edits) {
  if (!launch.append_at.is_known()) return {};
  return WordListRewriter(sources, pack, launch).rewrite(edits);
}

std::string rewrite_word_list_parts(const SourceSet& sources, const RulePack& pack,
                                    const Launch& launch, std::span<const PartEdit> edits) {
  return WordListRewriter(sources, pack, launch).rewrite(edits);
}

}  // namespace assay
