// Works on the text: the word of an unknown flag is replaced by the closest known one, or taken out
// (as is a flag without its value) with the words up to the next flag; then the text is read again,
// so that what the flag brings is checked like anything else. Only shell commands are edited in
// this way.
#include "engine/evaluate/repair_flags.h"

#include <algorithm>
#include <utility>

#include "engine/read/launch_reader.h"
#include "engine/text/diagnostic_rendering.h"

namespace assay {
namespace {

struct TextEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\\'; }

// Where the words after `at` stop being values of the flag before it.
std::size_t end_of_values(std::string_view text, std::size_t at, std::size_t limit) {
  while (true) {
    std::size_t word = at;
    while (word < limit && is_blank(text[word])) ++word;
    if (word >= limit || text[word] == '-' || text[word] == '#' || text[word] == ';' ||
        text[word] == '&' || text[word] == '|' || text[word] == '>' || text[word] == '"' ||
        text[word] == '\'')
      return at;
    while (word < limit && !is_blank(text[word])) ++word;
    at = word;
  }
}

std::string closest_flag(const RulePack& pack, std::string_view flag) {
  std::vector<std::string_view> known;
  for (const auto& [spelling, fact] : pack.schema.by_flag) known.push_back(spelling);
  std::sort(known.begin(), known.end());
  return std::string(closest_name(flag, known));
}

// The edit of one unknown flag, and what to say of it.
std::pair<TextEdit, RepairChange> mend_flag(const RulePack& pack, std::string_view text,
                                            const Launch& launch, const LaunchFault& fault) {
  const Span span = fault.diagnostic.span;
  const std::string_view word = text.substr(span.begin, span.end - span.begin);
  const auto equals = word.find('=');
  const std::string_view flag = word.substr(0, equals);
  RepairChange change;
  change.fact = kNoFact;
  change.name = flag;
  change.before = word;
  const bool is_unknown = fault.diagnostic.code == code::unknown_flag;
  const std::string closest = is_unknown ? closest_flag(pack, flag) : std::string();
  if (!closest.empty()) {
    change.value.kind = NodeKind::string;
    change.value.text = closest;
    change.flag = closest + " for " + std::string(flag);
    return {{span.begin, span.begin + flag.size(), closest}, std::move(change)};
  }
  change.is_unset = true;
  change.flag = "remove " + std::string(flag);
  std::size_t end = span.end;
  if (equals == std::string_view::npos) end = end_of_values(text, end, launch.span.end);
  std::size_t begin = span.begin;
  while (begin > launch.span.begin && text[begin - 1] == ' ') --begin;
  return {{begin, end, {}}, std::move(change)};
}

std::optional<Launch> read_again(const RulePack& pack, SourceSet& sources, std::size_t begin) {
  const RulePack* packs[] = {&pack};
  Diagnostics warnings;
  auto launches = read_launches(sources, 0, {packs, nullptr, InputKind::automatic}, warnings);
  if (!launches) return std::nullopt;
  for (Launch& launch : *launches)
    if (launch.span.source == 0 && launch.span.begin == begin) return std::move(launch);
  return std::nullopt;
}

}  // namespace

std::optional<MendedLaunch> mend_flags(const RulePack& pack, const SourceSet& sources,
                                       const Launch& launch) {
  if (launch.form != LaunchForm::shell || !launch.span.is_known()) return std::nullopt;
  const Source& source = sources.get(launch.span.source);
  std::vector<TextEdit> edits;
  MendedLaunch mended;
  for (const LaunchFault& fault : launch.faults) {
    const Span span = fault.diagnostic.span;
    const bool is_of_flag = fault.diagnostic.code == code::unknown_flag ||
                            fault.diagnostic.code == code::missing_flag_value;
    if (!is_of_flag || span.source != launch.span.source) continue;
    auto [edit, change] = mend_flag(pack, source.text(), launch, fault);
    edits.push_back(std::move(edit));
    mended.changes.push_back(std::move(change));
  }
  if (edits.empty()) return std::nullopt;
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin > b.begin; });
  std::string text(source.text());
  std::size_t last = text.size();
  for (const TextEdit& edit : edits) {
    if (edit.end > last) continue;  // inside one that is made already
    text.replace(edit.begin, edit.end - edit.begin, edit.text);
    last = edit.begin;
  }
  mended.sources.add(source.name(), std::move(text));
  auto read = read_again(pack, mended.sources, launch.span.begin);
  if (!read) return std::nullopt;
  mended.launch = std::move(*read);
  return mended;
}

}  // namespace assay
