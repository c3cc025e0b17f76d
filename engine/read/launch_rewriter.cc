// Chooses the form. Where a launch cannot be edited in place (a dump, shell text put together from
// variables), a command is written afresh.
#include "engine/read/launch_rewriter.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/argument_words.h"
#include "engine/read/launch_rewriter_forms.h"
#include "engine/read/text_edits.h"
#include "engine/text/shell_words.h"

namespace assay {
namespace {

std::string join_words(const ArgumentWords& words) {
  std::string text = words.flag;
  for (const std::string& value : words.values) text += " " + quote_shell_word(value);
  return text;
}

}  // namespace

std::optional<std::string> rewrite_in_place(const SourceSet& sources, const RulePack& pack,
                                            const Launch& launch,
                                            std::span<const LaunchEdit> edits) {
  if (!launch.span.is_known()) return {};
  switch (launch.form) {
    case LaunchForm::shell:
      return rewrite_shell(sources, pack, launch, edits);
    case LaunchForm::word_list:
      return rewrite_word_list(sources, pack, launch, edits);
    case LaunchForm::map:
      return rewrite_map(sources, pack, launch, edits);
    case LaunchForm::dump:
      break;
  }
  return {};
}

std::string rewrite_launch(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                           std::span<const LaunchEdit> edits) {
  const auto rewritten = rewrite_in_place(sources, pack, launch, edits);
  return rewritten ? *rewritten : write_fresh_command(pack, launch, edits);
}

std::string rewrite_parts(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                          std::span<const PartEdit> edits) {
  if (launch.form == LaunchForm::map) return rewrite_map_parts(sources, pack, launch, edits);
  if (launch.form == LaunchForm::word_list)
    return rewrite_word_list_parts(sources, pack, launch, edits);
  TextEdits text;
  if (launch.form == LaunchForm::dump) return text.apply(sources, launch.span);
  const std::string_view whole = sources.get(launch.span.source).text();
  for (const PartEdit& edit : edits) {
    std::uint32_t begin = edit.extent.begin;
    while (begin > launch.span.begin && whole[begin - 1] == ' ') --begin;
    if (edit.name.empty())
      text.remove(begin, edit.extent.end);
    else
      text.replace(edit.name_span.begin, edit.name_span.end, edit.name);
  }
  return text.apply(sources, launch.span);
}

std::string describe_edit(const PackRelease& release, const LaunchEdit& edit,
                          std::string_view typed) {
  const FactDeclaration& fact = release.fact(edit.fact);
  if (!edit.is_unset) {
    ArgumentWords words = write_argument(fact, edit.value);
    const bool is_spelt_so = !typed.empty() && words.flag.starts_with(typed);
    if (is_spelt_so && words.values.size() == 1) words.flag = typed;
    if (!words.flag.empty()) return join_words(words);
  }
  if (!typed.empty()) return "remove " + std::string(typed);
  return "remove " + (fact.flags.empty() ? fact.name : fact.flags[0].spelling);
}

std::string typed_flag(const SourceSet& sources, const LaunchArgument& argument) {
  if (!argument.flag_span.is_known()) return {};
  std::string_view text = sources.text(argument.flag_span);
  if (text.starts_with('"') || text.starts_with('\'')) text = text.substr(1, text.size() - 2);
  text = text.substr(0, text.find('='));
  const bool is_flag =
      text.size() > 1 && text.starts_with('-') && std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '-' || c == '_';
      });
  return is_flag && argument.spelling.starts_with(text) ? std::string(text) : std::string();
}

std::string write_fresh_command(const RulePack& pack, const Launch& launch,
                                std::span<const LaunchEdit> edits) {
  const PackRelease release(pack, launch.release);
  std::string command;
  for (const EnvironmentSetting& setting : launch.environment)
    if (setting.is_known) command += setting.name + "=" + quote_shell_word(setting.value) + " ";
  if (!pack.launchers.empty())
    for (const std::string& word : pack.launchers[0].words) command += word + " ";
  if (command.ends_with(' ')) command.pop_back();
  const auto is_edited = [&](FactId fact) {
    return std::any_of(edits.begin(), edits.end(),
                       [&](const LaunchEdit& edit) { return edit.fact == fact; });
  };
  const auto& arguments = launch.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const LaunchArgument& argument = arguments[i];
    const FactDeclaration& fact = release.fact(argument.fact);
    const bool is_last =
        std::none_of(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end(),
                     [&](const LaunchArgument& later) { return later.fact == argument.fact; });
    const bool is_default = launch.stage == LaunchStage::resolved && fact.default_value &&
                            is_same_value(*fact.default_value, argument.value);
    if (!is_last || is_default || is_edited(argument.fact)) continue;
    const ArgumentWords words = write_argument(fact, argument.value);
    // Of a dump that holds an object or was cut off nobody can type the value.
    const bool is_writable =
        argument.is_known || (launch.form != LaunchForm::dump && !argument.value.text.empty());
    if (words.flag.empty() || !is_writable) continue;
    command +=
        " " + (argument.is_known ? join_words(words) : words.flag + " " + argument.value.text);
  }
  for (const LaunchEdit& edit : edits) {
    if (edit.is_unset) continue;
    const ArgumentWords words = write_argument(release.fact(edit.fact), edit.value);
    if (!words.flag.empty()) command += " " + join_words(words);
  }
  return command;
}

}  // namespace assay
