// A command is found by a launcher's last words ("sglang.launch_server") and cut out of its line:
// back over `python -m`, assignments and wrappers that shells allow in front, forward over lines
// that end in a backslash, up to the bracket that an orchestrator's line closes. Lists with quotes
// and commas become words. Dumps are found by the reader of dumps.
//
// A command in a log is evidence, not an order: what cannot be read of it is passed over in
// silence.
#include "engine/evaluate/log_launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/ascii.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/repair_search.h"
#include "engine/evaluate/root_cause.h"
#include "engine/read/launch_reader.h"
#include "engine/read/server_args_reader.h"
#include "engine/read/stated_release.h"
#include "engine/text/byte_scan.h"
#include "engine/text/privacy_mask.h"

namespace assay {
namespace {

constexpr std::size_t kMaxLaunches = 16;
constexpr std::size_t kMaxCommandBytes = 16 << 10;
// One of these stands in every launch: a sieve for those who have not loaded the packs.
constexpr std::array<std::string_view, 3> kSieve{"launch_server", " serve ", ".api_server"};

// A word that may stand in front of a launcher.
bool is_lead(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kWords{"-m",   "-u",    "exec", "env",
                                                          "sudo", "nohup", "time"};
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  const auto name =
      word.rfind('/') == std::string_view::npos ? word : word.substr(word.rfind('/') + 1);
  if (name.starts_with("python")) return true;
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         word.substr(0, equals).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
             std::string_view::npos;
}

// Where the command whose launcher stands at `launcher` begins.
std::size_t command_begin(std::string_view text, std::size_t launcher) {
  std::size_t begin = launcher;
  for (;;) {
    std::size_t end = begin;
    while (end > 0 && (is_blank(text[end - 1]) || text[end - 1] == '\\' ||
                       (text[end - 1] == '\n' && end > 1 && text[end - 2] == '\\')))
      --end;
    std::size_t word = end;
    while (word > 0 && !is_blank(text[word - 1]) && text[word - 1] != '\n' &&
           text[word - 1] != '[' && text[word - 1] != '(' && text[word - 1] != '`')
      --word;
    if (word == end || !is_lead(text.substr(word, end - word))) return begin;
    begin = word;
  }
}

// The end of the command's text: its last line's end, or the bracket or quote around it.
std::size_t command_end(std::string_view text, std::size_t begin) {
  const char before = begin > 0 ? text[begin - 1] : '\n';
  const char closing = before == '[' ? ']' : before == '(' ? ')' : before == '`' ? '`' : '\0';
  const std::size_t limit = std::min(text.size(), begin + kMaxCommandBytes);
  int depth = 0;
  char quote = '\0';
  for (std::size_t at = begin; at < limit; ++at) {
    const char c = text[at];
    if (c == '\n') {
      std::size_t last = at;
      while (last > begin && (is_blank(text[last - 1]) || text[last - 1] == '\r')) --last;
      if (text[last - 1] != '\\') return at;
    }
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == before && closing != '`') ++depth;
    if (closing != '\0' && c == closing && depth-- == 0) return at;
  }
  return limit;
}

// "'python', '-m', 'sglang.launch_server', '--tp', '2'": one word each.
std::string from_list(std::string_view text) {
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find_first_of("'\"", at);
    if (open == std::string_view::npos) break;
    const auto close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) break;
    words +=
        (words.empty() ? "'" : " '") + std::string(text.substr(open + 1, close - open - 1)) + "'";
    at = close + 1;
  }
  return words;
}

struct FoundCommand {
  std::string text;
  std::size_t begin = 0;
};

// What of a launcher stands in every command of it: "sglang.launch_server", "sglang serve".
std::string launcher_needle(const std::vector<std::string>& launcher) {
  std::string needle;
  for (const std::string& word : launcher) {
    if (word == "-m") {
      needle.clear();
      continue;
    }
    needle += (needle.empty() ? "" : " ") + word;
  }
  return needle;
}

std::vector<FoundCommand> find_commands(std::string_view text, const RulePack& pack) {
  std::vector<FoundCommand> commands;
  std::set<std::string> seen;
  for (const Launcher& known : pack.launchers) {
    const std::string launcher = launcher_needle(known.words);
    auto at = text.find(launcher);
    while (at != std::string_view::npos && commands.size() < kMaxLaunches) {
      const bool is_listed = at > 0 && (text[at - 1] == '\'' || text[at - 1] == '"');
      std::size_t begin = command_begin(text, at);
      if (is_listed) {
        const auto open = text.rfind('[', at);
        if (open != std::string_view::npos && at - open < 256) begin = open + 1;
      }
      const std::size_t end = std::max(command_end(text, begin), at + launcher.size());
      std::string command(text.substr(begin, end - begin));
      if (is_listed) command = from_list(command);
      // Without a flag it is a sentence about the launcher.
      if (command.find("--") != std::string::npos && seen.insert(command).second)
        commands.push_back({std::move(command), begin});
      at = text.find(launcher, end);
    }
  }
  return commands;
}

// A literal as Python's repr prints it; empty for a list or a map.
std::string literal_repr(const Assignment& assignment) {
  if (assignment.kind == Assignment::Kind::unset) return "None";
  const Node& node = assignment.literal;
  switch (node.kind) {
    case NodeKind::null:
      return "None";
    case NodeKind::boolean:
      return node.boolean ? "True" : "False";
    case NodeKind::integer:
      return std::to_string(node.integer);
    case NodeKind::string:
      return "'" + node.text + "'";
    default:
      return {};
  }
}

// Which values the engine writes into its arguments, and when.
class EngineWrites {
 public:
  explicit EngineWrites(const RulePack& pack) : pack_(pack) {
    std::size_t order = 0;
    for (const PipelineStage& stage : pack.stages)
      for (const PipelineStep& step : stage.steps) steps_.emplace(step.name, order++);
    for (const Rule& rule : pack.rules)
      for (const Assignment& assignment : rule.effect)
        writes_.emplace(assignment.target, std::pair(&rule, &assignment));
  }

  // Whether a step behind the check may have written what the check reads now.
  bool may_disprove(const Finding& finding) const {
    const auto step = steps_.find(finding.rule->step);
    if (step == steps_.end()) return false;
    return std::any_of(finding.facts.begin(), finding.facts.end(), [&](const FactUse& fact) {
      if (fact.origin == Origin::default_value) return false;
      const auto [first, last] = writes_.equal_range(fact.name);
      return std::any_of(first, last, [&](const auto& write) {
        const auto& [rule, assignment] = write.second;
        const auto at = steps_.find(rule->step);
        const bool is_later = at == steps_.end() || at->second >= step->second;
        const bool is_known = assignment->kind != Assignment::Kind::compute;
        const std::string value = is_known ? literal_repr(*assignment) : std::string();
        return is_later && (value.empty() || value == fact.value);
      });
    });
  }

 private:
  const RulePack& pack_;
  std::map<std::string_view, std::size_t> steps_;
  std::multimap<std::string_view, std::pair<const Rule*, const Assignment*>> writes_;
};

const CompiledPack* pack_named(std::span<const CompiledPackPtr> packs, std::string_view name) {
  for (const CompiledPackPtr& pack : packs)
    if (source_pack(*pack).name == name) return pack.get();
  return nullptr;
}

bool is_in_log(const Explanation& explanation, const std::string& record) {
  return !record.empty() &&
         std::any_of(explanation.errors.begin(), explanation.errors.end(),
                     [&](const ExplainedError& e) { return e.record && e.record->id == record; });
}

class LogLaunches {
 public:
  LogLaunches(std::span<const CompiledPackPtr> packs, SourceSet& sources, bool mask,
              Explanation& explanation, const Cancellation* cancellation)
      : packs_(packs),
        sources_(sources),
        mask_(mask),
        explanation_(explanation),
        cancellation_(cancellation) {
    for (const CompiledPackPtr& pack : packs) rule_packs_.push_back(&source_pack(*pack));
  }

  void run(std::string_view text, std::size_t first_line) {
    if (checked_ >= kMaxLaunches) return;
    const auto line_in_log = [&](std::size_t at) {
      return first_line + count_line_feeds(text.substr(0, at));
    };
    const LaunchReading reading{rule_packs_, nullptr, InputKind::command};
    for (const RulePack* pack : rule_packs_) {
      std::vector<FoundCommand> commands = find_commands(text, *pack);
      if (commands.empty()) continue;
      const std::vector<StatedRelease> stated = find_stated_releases(text, pack->name);
      for (FoundCommand& command : commands) {
        const std::size_t line = line_in_log(command.begin);
        const StatedRelease* told = release_stated_for(stated, command.begin);
        const std::size_t told_at = told == nullptr ? 0 : line_in_log(told->begin);
        for (Launch& launch : read_released(std::move(command.text), told, told_at, reading))
          check(std::move(launch), line);
      }
    }
    if (!holds_dump(text)) return;
    const SourceId source = sources_.add(explanation_.source, std::string(text));
    Diagnostics unshown;
    for (Launch& launch : read_dumps(sources_, source, reading, unshown, first_line)) {
      const std::size_t line = line_in_log(launch.span.begin);
      check(std::move(launch), line);
    }
  }

 private:
  // A command's launches, of the release that the log tells unless they tell one themselves.
  std::vector<Launch> read_released(std::string text, const StatedRelease* told,
                                    std::size_t told_at, LaunchReading reading) {
    const SourceId source = sources_.add(explanation_.source, std::move(text));
    Diagnostics unshown;
    Result<std::vector<Launch>> launches = read_launches(sources_, source, reading, unshown);
    if (!launches) return {};
    const bool is_told = std::ranges::any_of(*launches, tells_release);
    if (told == nullptr || is_told) return std::move(*launches);
    reading.release = told->release;
    launches = read_launches(sources_, source, reading, unshown);
    if (!launches) return {};
    for (Launch& launch : *launches)
      launch.facts.push_back(release_fact(*told, kNoSource, told_at));
    return std::move(*launches);
  }

  static bool tells_release(const Launch& launch) {
    return std::ranges::any_of(launch.facts,
                               [](const GivenFact& fact) { return fact.name == "version.engine"; });
  }

  void check(Launch launch, std::size_t line) {
    const CompiledPack* pack = pack_named(packs_, launch.pack);
    if (pack == nullptr || checked_ >= kMaxLaunches || is_cancelled(cancellation_)) return;
    ++checked_;
    auto explained = std::make_unique<ExplainedLaunch>();
    explained->launch = std::move(launch);
    explained->launch.faults
        .clear();  // another release may know the flag, and the parser let it pass
    explained->line = line;
    CheckReport& report = explained->report;
    report = check_launch(*pack, explained->launch, {}, {}, workspace_for(*pack));
    keep_proven(source_pack(*pack), explained->launch, report);
    if (report.findings.empty() || is_told(report)) return;
    RepairOptions repairs;
    repairs.cancellation = cancellation_;
    find_repairs(*pack, sources_, explained->launch, {}, report, repairs);
    if (!report.repairs.empty()) explained->command = report.repairs.front().command;
    if (mask_) mask_texts(*explained);
    explanation_.launches.push_back(std::move(explained));
  }

  // None for the first launch of a pack: making one costs as much as a check.
  CheckWorkspace* workspace_for(const CompiledPack& pack) {
    const auto [known, is_first] = workspaces_.try_emplace(&pack);
    if (!is_first && !known->second) known->second.emplace(pack);
    return known->second ? &*known->second : nullptr;
  }

  void keep_proven(const RulePack& pack, const Launch& launch, CheckReport& report) const {
    const bool is_resolved = launch.stage == LaunchStage::resolved;
    std::optional<EngineWrites> writes;  // made of all rules: only for a finding that needs it
    std::erase_if(report.findings, [&](const Finding& finding) {
      if (finding.rule == nullptr || finding.severity != Severity::error) return true;
      if (is_in_log(explanation_, finding.rule->error)) return false;
      if (!is_resolved) return false;
      if (!writes) writes.emplace(pack);
      return writes->may_disprove(finding);
    });
  }

  // A dump repeats what the command in front of it broke.
  bool is_told(const CheckReport& report) {
    return std::all_of(report.findings.begin(), report.findings.end(),
                       [&](const Finding& finding) { return !told_.insert(finding.rule).second; });
  }

  static void mask_texts(ExplainedLaunch& explained) {
    explained.command = mask_private(explained.command);
    for (Repair& repair : explained.report.repairs) repair.command = mask_private(repair.command);
    for (Finding& finding : explained.report.findings) {
      finding.message = mask_private(finding.message);
      for (FactUse& fact : finding.facts) fact.value = mask_private(fact.value);
    }
  }

  std::span<const CompiledPackPtr> packs_;
  SourceSet& sources_;
  bool mask_;
  Explanation& explanation_;
  const Cancellation* cancellation_;
  std::vector<const RulePack*> rule_packs_;
  std::set<const Rule*> told_;
  std::map<const CompiledPack*, std::optional<CheckWorkspace>> workspaces_;
  std::size_t checked_ = 0;
};

}  // namespace

bool shows_launch(std::string_view text) {
  return holds_dump(text) || std::any_of(kSieve.begin(), kSieve.end(), [&](std::string_view word) {
           return text.find(word) != std::string_view::npos;
         });
}

void explain_launches(std::span<const CompiledPackPtr> packs, SourceSet& sources, bool mask,
                      Explanation& explanation, const Cancellation* cancellation) {
  LogLaunches launches(packs, sources, mask, explanation, cancellation);
  for (const LaunchText& text : explanation.launch_texts) launches.run(text.text, text.first_line);
  explanation.launch_texts.clear();
  weigh_launches(explanation);
}

}  // namespace assay
