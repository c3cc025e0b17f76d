// Edits in the bytes of the command itself, so that wrappers, quoting, comments and line breaks of
// everything else stay. Written words pass through every level of quoting around the command, from
// the inside out. Blanks are copied from in front of the last flag, whatever they look like at
// that level: that is what puts new flags on continued lines of their own.
//
// Flags that came out of a variable ($ARGS) have no bytes of their own: setting one again behind
// them is enough, since the last one counts; removing one writes the others of that variable out.
#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/argument_words.h"
#include "engine/read/launch_rewriter_forms.h"
#include "engine/read/text_edits.h"
#include "engine/text/shell_words.h"

namespace assay {
namespace {

std::string double_each(std::string_view text, char c) {
  std::string result;
  for (const char byte : text) {
    if (byte == c) result += c;
    result += byte;
  }
  return result;
}

class ShellRewriter {
 public:
  ShellRewriter(const SourceSet& sources, const RulePack& pack, const Launch& launch)
      : sources_(sources),
        release_(pack, launch.release),
        launch_(launch),
        text_(sources.get(launch.span.source).text()) {}

  std::optional<std::string> rewrite(std::span<const LaunchEdit> edits) {
    for (const Enclosure enclosure : launch_.enclosures)
      if (enclosure == Enclosure::opaque) return {};
    find_gap();
    for (const LaunchEdit& edit : edits) apply(edit);
    write_tangles();
    if (!is_possible_) return {};
    return edits_.apply(sources_, launch_.span);
  }

 private:
  bool is_inside(Span span) const {
    return span.source == launch_.span.source && span.begin >= launch_.span.begin &&
           span.end <= launch_.span.end;
  }
  static bool is_positional(const LaunchArgument& argument) {
    return argument.flag_span == argument.value_span && !argument.spelling.starts_with('-');
  }
  // Its flag came out of a variable.
  bool is_tangled(const LaunchArgument& argument) const {
    if (is_positional(argument)) return false;
    return sources_.text(argument.flag_span).find('$') != std::string_view::npos &&
           argument.spelling.find('$') == std::string::npos && !is_equals_form(argument);
  }
  // The parser stops at its value, also where another one counts.
  bool is_refused(const LaunchArgument& argument) const {
    return std::any_of(launch_.faults.begin(), launch_.faults.end(), [&](const LaunchFault& fault) {
      return fault.diagnostic.severity == Severity::error && fault.flag == argument.spelling &&
             fault.diagnostic.span == argument.value_span;
    });
  }
  static bool is_equals_form(const LaunchArgument& argument) {
    return argument.value_span.is_known() && argument.value_span != argument.flag_span &&
           argument.value_span.begin > argument.flag_span.begin &&
           argument.value_span.end <= argument.flag_span.end;
  }
  // Where the blanks and line continuations before `at` begin. Inside double quotes a continuation
  // is more than one backslash.
  std::uint32_t blanks_before(std::uint32_t at) const {
    bool is_at_line_end = false;
    while (at > launch_.span.begin) {
      const char c = text_[at - 1];
      if (!is_space(c) && !(c == '\\' && is_at_line_end)) break;
      is_at_line_end = c == '\n' || c == '\r' || c == '\\';
      --at;
    }
    return at;
  }
  void find_gap();
  void apply(const LaunchEdit& edit);
  void set_in_place(const LaunchArgument& argument, const FactDeclaration& fact, const Node& value);
  void append(const ArgumentWords& words);
  void remove(const LaunchArgument& argument);
  void write_tangles();
  std::string written(std::string_view word);
  std::string written(const ArgumentWords& words) {
    std::string text = written(words.flag);
    for (const std::string& value : words.values) text += " " + written(value);
    return text;
  }

  const SourceSet& sources_;
  const PackRelease release_;
  const Launch& launch_;
  std::string_view text_;
  std::string gap_ = " ";
  TextEdits edits_;
  std::vector<const LaunchArgument*> removed_tangled_;
  bool is_possible_ = true;
};

// `word` quoted for the shell, then for everything around it.
std::string ShellRewriter::written(std::string_view word) {
  std::string text = quote_shell_word(word);
  for (auto level = launch_.enclosures.rbegin(); level != launch_.enclosures.rend(); ++level) {
    switch (*level) {
      case Enclosure::shell_single_quotes: {
        std::string escaped;
        for (const char c : text) escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text = std::move(escaped);
        break;
      }
      case Enclosure::shell_double_quotes:
        text = escape_for_double_quotes(text);
        break;
      case Enclosure::yaml_single_quotes:
        text = double_each(text, '\'');
        break;
      case Enclosure::yaml_double_quotes: {
        const std::string quoted = write_json_string(text);
        text = quoted.substr(1, quoted.size() - 2);
        break;
      }
      case Enclosure::yaml_plain:
        // It stands in the middle of a scalar: what matters is what could end it.
        if (!is_plain_yaml("x" + text + "x", false) ||
            text.find_first_of(",[]{}") != std::string::npos)
          is_possible_ = false;
        break;
      case Enclosure::systemd_unit:
        // A backslash escapes there inside single quotes too.
        if (text.find_first_of("\\\n") != std::string::npos) is_possible_ = false;
        text = double_each(double_each(text, '%'), '$');
        break;
      case Enclosure::yaml_block:
      case Enclosure::opaque:
        break;
    }
  }
  return text;
}

// One flag per line: new ones are set off as the last one is.
void ShellRewriter::find_gap() {
  for (auto argument = launch_.arguments.rbegin(); argument != launch_.arguments.rend();
       ++argument) {
    if (!is_inside(argument->flag_span)) continue;
    const std::uint32_t begin = blanks_before(argument->flag_span.begin);
    const std::string_view gap = text_.substr(begin, argument->flag_span.begin - begin);
    if (gap.find('\n') != std::string_view::npos) gap_ = gap;
    return;
  }
}

void ShellRewriter::apply(const LaunchEdit& edit) {
  const FactDeclaration& fact = release_.fact(edit.fact);
  std::vector<const LaunchArgument*> given;
  for (const LaunchArgument& argument : launch_.arguments)
    if (argument.fact == edit.fact && is_inside(argument.flag_span)) given.push_back(&argument);
  const bool is_removed = edit.is_unset || write_argument(fact, edit.value).flag.empty();
  const LaunchArgument* kept = nullptr;
  if (!is_removed && !given.empty() && !is_tangled(*given.back())) kept = given.back();
  for (const LaunchArgument* argument : given) {
    if (argument == kept) continue;
    if (!is_tangled(*argument)) {
      remove(*argument);
    } else if (is_removed || is_refused(*argument)) {
      removed_tangled_.push_back(argument);
    }
  }
  if (is_removed) return;
  if (kept != nullptr) {
    set_in_place(*kept, fact, edit.value);
  } else {
    append(write_argument(fact, edit.value));
  }
}

void ShellRewriter::set_in_place(const LaunchArgument& argument, const FactDeclaration& fact,
                                 const Node& value) {
  const Span flag = argument.flag_span, old_value = argument.value_span;
  if (is_positional(argument)) {
    edits_.replace(flag.begin, flag.end, written(write_value(value)));
    return;
  }
  ArgumentWords words = write_argument(fact, value, argument.spelling);
  const std::string typed = typed_flag(sources_, argument);
  if (words.flag == argument.spelling && !typed.empty()) words.flag = typed;
  if (is_equals_form(argument) && words.values.size() == 1) {
    edits_.replace(flag.begin, flag.end, written(words.flag + "=" + words.values[0]));
    return;
  }
  const std::uint32_t end = old_value.is_known() ? std::max(flag.end, old_value.end) : flag.end;
  const bool has_one_each =
      old_value.is_known() && words.values.size() == 1 && !is_equals_form(argument);
  if (has_one_each) {  // the blanks in between stay
    edits_.replace(flag.begin, flag.end, written(words.flag));
    edits_.replace(old_value.begin, end, written(words.values[0]));
  } else {
    edits_.replace(flag.begin, end, written(words));
  }
}

void ShellRewriter::append(const ArgumentWords& words) {
  edits_.insert(launch_.append_at.begin, gap_ + written(words));
}

void ShellRewriter::remove(const LaunchArgument& argument) {
  const Span flag = argument.flag_span, value = argument.value_span;
  const std::uint32_t end = value.is_known() ? std::max(flag.end, value.end) : flag.end;
  edits_.remove(blanks_before(flag.begin), end);
}

void ShellRewriter::write_tangles() {
  for (std::size_t i = 0; i < removed_tangled_.size(); ++i) {
    const Span place = removed_tangled_[i]->flag_span;
    const auto is_done = std::any_of(
        removed_tangled_.begin(), removed_tangled_.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const LaunchArgument* earlier) { return earlier->flag_span == place; });
    if (is_done) continue;
    std::string text;
    for (const LaunchArgument& argument : launch_.arguments) {
      const bool is_gone = std::find(removed_tangled_.begin(), removed_tangled_.end(), &argument) !=
                           removed_tangled_.end();
      if (argument.flag_span != place || is_gone) continue;
      const ArgumentWords words = write_argument(release_.fact(argument.fact), argument.value);
      if (words.flag.empty()) continue;
      if (!text.empty()) text += ' ';
      text += written(words);
    }
    edits_.replace(text.empty() ? blanks_before(place.begin) : place.begin, place.end, text);
  }
}

}  // namespace

std::optional<std::string> rewrite_shell(const SourceSet& sources, const RulePack& pack,
                                         const Launch& launch, std::span<const LaunchEdit> edits) {
  return ShellRewriter(sources, pack, launch).rewrite(edits);
}

}  // namespace assay
