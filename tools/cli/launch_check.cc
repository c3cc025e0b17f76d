// Reading comes first for every input, then facts and the check of each launch. Inputs do not
// depend on one another: the fault of one is shown beside the findings of the others.
#include "tools/cli/launch_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/release_scope.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/dataset_reader.h"
#include "engine/report/ci_reports.h"
#include "engine/report/json_report.h"
#include "engine/text/diagnostic_rendering.h"
#include "engine/text/utf16.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxInputBytes = 16u << 20;

Result<SourceId> add_input(const std::string& path, Session& session) {
  if (path != "-") return add_file(session.sources, session.files, path, kMaxInputBytes);
  ASSAY_TRY(std::string text, read_standard_input(kMaxInputBytes));
  return session.sources.add("<stdin>", decode_utf16(std::move(text)));
}

// All launches of all inputs; `faults` are what kept some from being read.
std::list<Launch> read_all(const std::vector<std::string>& paths, const LaunchReading& reading,
                           Session& session, Diagnostics& warnings, Diagnostics& faults) {
  std::list<Launch> launches;
  if (session.command) {
    Result<Launch> launch = read_command(session.sources, *session.command, reading, warnings);
    if (launch)
      launches.push_back(std::move(*launch));
    else
      append(faults, launch.error());
  }
  for (const std::string& path : paths) {
    const Result<SourceId> source = add_input(path, session);
    if (!source) {
      append(faults, source.error());
      continue;
    }
    Result<std::vector<Launch>> found = read_launches(session.sources, *source, reading, warnings);
    if (found)
      launches.insert(launches.end(), std::move_iterator(found->begin()),
                      std::move_iterator(found->end()));
    else
      append(faults, found.error());
  }
  return launches;
}

// Several launches may have the same fault: that of a flag of ours.
void append_new(Diagnostics& faults, const Diagnostics& more) {
  for (const Diagnostic& fault : more)
    if (std::none_of(faults.begin(), faults.end(), [&](const Diagnostic& other) {
          return other.message == fault.message && other.span == fault.span;
        }))
      faults.push_back(fault);
}

Result<std::set<FactId>> pinned_arguments(const std::vector<std::string>& names,
                                          const RulePack& pack) {
  std::set<FactId> pinned;
  Diagnostics faults;
  for (const std::string& name : names) {
    auto found = pack.schema.by_flag.find(name);
    if (found == pack.schema.by_flag.end()) found = pack.schema.by_flag.find("--" + name);
    if (found != pack.schema.by_flag.end()) {
      pinned.insert(found->second);
      continue;
    }
    const auto by_name = pack.schema.by_name.find(name);
    if (by_name != pack.schema.by_name.end() && pack.schema.facts[by_name->second].is_argument) {
      pinned.insert(by_name->second);
      continue;
    }
    std::vector<std::string_view> candidates;
    for (const FactDeclaration& fact : pack.schema.facts)
      if (fact.is_argument) candidates.push_back(fact.name);
    const std::string_view close = closest_name(name, candidates);
    faults.push_back(make_error(code::unknown_fact, {},
                                "`--keep " + name + "`: " + pack.title + " has no such argument",
                                close.empty() ? "" : "did you mean `" + std::string(close) + "`?"));
  }
  if (!faults.empty()) return faults;
  return pinned;
}

Result<CheckedLaunch> check_one(const CheckSettings& settings, const CheckOutcome& outcome,
                                FactTables& tables, Launch& launch, Session& session,
                                Diagnostics& warnings) {
  const CompiledPack& pack = *outcome.knowledge.find_pack(launch.pack);
  ASSAY_TRY(const std::vector<GivenFact> facts,
            collect_facts(settings.facts, tables, source_pack(pack), launch, session, warnings));
  allow_unknown_names(source_pack(pack), facts, launch);
  RepairOptions repairs;
  ASSAY_TRY(repairs.keep, pinned_arguments(settings.keep, source_pack(pack)));
  CheckedLaunch checked{&launch, check_launch(pack, launch, facts)};
  if (checked.report.has_violations())
    find_repairs(pack, session.sources, launch, facts, checked.report, repairs);
  return checked;
}

}  // namespace

std::vector<Option> CheckSettings::table() {
  std::vector<Option> options = facts.table();
  std::vector<std::string_view> kinds;
  for (const InputKindName& entry : kInputKindNames) kinds.push_back(entry.name);
  options.push_back({.name = "keep",
                     .target = &keep,
                     .placeholder = "ARGUMENT",
                     .help = "An argument that repairs leave alone; may be repeated"});
  options.push_back({.name = "input",
                     .target = &input,
                     .placeholder = "KIND",
                     .help = "What the input is, where its content does not say it",
                     .choices = std::move(kinds)});
  options.push_back({.name = "format",
                     .target = &format,
                     .placeholder = "FORMAT",
                     .help = "How findings are written",
                     .choices = {"text", "json", "sarif", "github", "junit"}});
  options.push_back({.name = "strict",
                     .target = &strict,
                     .placeholder = "",
                     .help = "Exit with 1 for warnings and undecided rules too"});
  options.push_back({.name = "verbose",
                     .target = &verbose,
                     .placeholder = "",
                     .help = "Say more: each undecided rule, every value the engine changes"});
  return options;
}

bool CheckOutcome::has_violations() const {
  return std::any_of(checked.begin(), checked.end(),
                     [](const CheckedLaunch& one) { return one.report.has_violations(); });
}

bool CheckOutcome::has_warnings() const {
  const auto is_more_than_a_note = [](const Finding& finding) {
    return finding.severity != Severity::note;
  };
  return !warnings.empty() ||
         std::any_of(checked.begin(), checked.end(), [&](const CheckedLaunch& one) {
           return !one.report.undecided.empty() ||
                  std::any_of(one.report.findings.begin(), one.report.findings.end(),
                              is_more_than_a_note);
         });
}

namespace {

// The records that the rules of the findings join.
Result<Dataset> records_of(const CheckOutcome& outcome, Session& session, Diagnostics& warnings) {
  std::set<std::string> ids;
  const auto add = [&](const Finding& finding) {
    if (finding.rule != nullptr && !finding.rule->error.empty()) ids.insert(finding.rule->error);
  };
  for (const CheckedLaunch& checked : outcome.checked) {
    std::for_each(checked.report.findings.begin(), checked.report.findings.end(), add);
    std::for_each(checked.report.undecided.begin(), checked.report.undecided.end(), add);
  }
  if (ids.empty() || !session.files.is_folder(outcome.folder.dataset)) return Dataset();
  return read_records(session.sources, session.files, outcome.folder.dataset, ids, warnings);
}

}  // namespace

std::optional<CheckOutcome> check_launches(const CheckSettings& settings,
                                           const std::vector<std::string>& files,
                                           Session& session) {
  const auto show = [&](const Diagnostics& faults) {
    session.console.show(faults, session.sources);
    return std::nullopt;
  };
  const Result<KnowledgePlace> place = find_knowledge(session.common.knowledge);
  if (!place) return show(place.error());
  Diagnostics unshown;
  Result<Knowledge> knowledge = load_knowledge(session, *place, KnowledgeParts::rules, unshown);
  if (!knowledge) return show(knowledge.error());
  CheckOutcome outcome{place->folder, std::move(*knowledge), {}, {}, {}};

  const std::vector<const RulePack*> packs = outcome.knowledge.rule_packs();
  LaunchReading reading{packs, &session.files, InputKind::automatic};
  if (settings.input)
    reading.kind = find_input_kind(*settings.input).value_or(InputKind::automatic);

  reading.release = settings.facts.release();

  Diagnostics faults;
  outcome.launches = read_all(files, reading, session, outcome.warnings, faults);
  FactTables tables(outcome.folder, outcome.knowledge.tables);
  for (Launch& launch : outcome.launches) {
    Result<CheckedLaunch> checked =
        check_one(settings, outcome, tables, launch, session, outcome.warnings);
    if (checked)
      outcome.checked.push_back(std::move(*checked));
    else
      append_new(faults, checked.error());
  }
  outcome.has_faults = !faults.empty();
  if (outcome.checked.empty()) return show(faults);
  if (outcome.has_faults) session.console.show(faults, session.sources);
  if (outcome.knowledge.bundle == nullptr) {
    Result<Dataset> records = records_of(outcome, session, unshown);
    if (!records) return show(records.error());
    outcome.knowledge.dataset = std::move(*records);
  }
  return outcome;
}

std::string report_text(const CheckSettings& settings, const CheckOutcome& outcome,
                        const Session& session, const TextOptions& options) {
  const ReportInput input{outcome.checked, &session.sources, &outcome.knowledge.dataset};
  const std::string format = settings.format.value_or("text");
  if (format == "json") return write_json_report(input);
  if (format == "sarif") return write_sarif_report(input);
  if (format == "github") return write_github_report(input);
  if (format == "junit") return write_junit_report(input);
  return write_text_report(input, options);
}

}  // namespace assay::cli
