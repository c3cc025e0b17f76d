// Each side is a launch that walks the whole pipeline, on the surroundings that the rule's own
// examples say, one example after the other, until `before` breaks the rule and `after` breaks
// nothing. Where none does, the attempt that came furthest is reported.
#include "engine/evaluate/example_fix_prover.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/base/version.h"
#include "engine/compile/literal.h"
#include "engine/evaluate/check_workspace.h"
#include "engine/evaluate/example_fix.h"
#include "engine/evaluate/example_surroundings.h"
#include "engine/evaluate/finding_builder.h"
#include "engine/evaluate/launch_facts.h"
#include "engine/evaluate/pipeline.h"
#include "engine/read/launch_reader.h"
#include "engine/read/model_table.h"

namespace assay {
namespace {

// What one side came to.
struct SideResult {
  std::string unreadable;                     // why it is no launch; the rest is empty then
  Verdict of_rule = Verdict::not_applicable;  // violated: also a derivation that changed a value
  std::vector<std::string> waits_for;
  // Other rules of severity error, and faults of the arguments, in the engine's order; how many of
  // them come before the rule.
  std::vector<std::string> broken;
  std::size_t broken_before = 0;
};

class SideVisit {
 public:
  SideVisit(const CompiledPack& pack, std::uint32_t rule, SideResult& result)
      : pack_(pack), rule_(rule), result_(result) {}

  void enter(std::uint32_t /*position*/) {}
  void skip(std::uint32_t /*begin*/, std::uint32_t /*end*/) {}
  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const Judgement& judgement = outcome.judgement;
    const CompiledRule& rule = pack_.rules()[position];
    const bool is_change =
        rule.is_derivation() && std::ranges::any_of(outcome.changes, &FactChange::is_change);
    const bool fires = judgement.verdict == Verdict::violated ||
                       (judgement.verdict == Verdict::satisfied && is_change);
    if (position == rule_) {
      result_.of_rule = fires ? Verdict::violated : judgement.verdict;
      result_.waits_for = slot_names(pack_, judgement.waits_for);
      result_.broken_before = result_.broken.size();
    } else if (judgement.verdict == Verdict::violated) {
      if (rule.source->severity == Severity::error)
        result_.broken.push_back("`" + rule.source->id + "`");
    }
  }

 private:
  const CompiledPack& pack_;
  const std::uint32_t rule_;
  SideResult& result_;
};

std::string joined(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

// How far an attempt came, and what stopped it.
struct Attempt {
  enum class Stage : std::uint8_t { none, unreadable, before, shadowed, after, others, proven };
  Stage stage = Stage::none;
  std::string fault;

  bool is_proven() const { return stage == Stage::proven; }
  void keep_better(Attempt other) {
    if (other.stage > stage) *this = std::move(other);
  }
};

std::string side_outcome(const SideResult& side) {
  if (side.of_rule != Verdict::undecided) return std::string(to_string(side.of_rule));
  return "undecided" +
         (side.waits_for.empty() ? std::string() : ", waiting for " + joined(side.waits_for));
}

// What one attempt is made on.
struct Trial {
  std::uint32_t rule = 0;
  std::span<const GivenFact> gpu;
  std::span<const GivenFact> said;
  bool said_is_strongest = false;
};

// The rules of one pack, and what its launches are tried on.
class PackTrials {
 public:
  PackTrials(const CompiledPack& pack, ExampleSurroundingsTable surroundings)
      : pack_(pack), surroundings_(std::move(surroundings)), workspace_(pack) {}

  const CompiledPack& pack() const { return pack_; }

  // With what each example of the rule says; `said` in place of that.
  Attempt attempt(const ExampleFix& fix, std::uint32_t rule, const std::vector<GivenFact>* said) {
    if (said != nullptr) return attempt_on_each_gpu(fix, rule, *said, true);
    Attempt best;
    for (const RuleExample& example : pack_.rules()[rule].source->examples) {
      const bool acts =
          example.kind == RuleExample::Kind::violates || example.kind == RuleExample::Kind::changes;
      if (acts && !best.is_proven())
        best.keep_better(attempt_on_each_gpu(fix, rule, facts_of_example(example), false));
    }
    return best;
  }

 private:
  std::vector<GivenFact> facts_of_example(const RuleExample& example) const {
    std::vector<GivenFact> facts;
    for (const FactValue& value : example.facts) {
      const FactDeclaration* fact = pack_.source().schema.find(value.name);
      if (fact != nullptr && is_of_surroundings(*fact))
        facts.push_back(
            {value.name, value.value, Origin::command_line_fact, value.name_span, "the example"});
    }
    return facts;
  }

  // What is said of the release; else the newest covered one that the rule is of.
  std::string release_for(const Trial& trial) const {
    const auto said = std::ranges::find(trial.said, "version.engine", &GivenFact::name);
    if (said != trial.said.end()) return said->value.text;
    const auto& versions = pack_.source().versions;
    for (auto text = versions.rbegin(); text != versions.rend(); ++text) {
      const auto version = parse_version(*text);
      if (version && pack_.rules()[trial.rule].versions.contains(*version)) return *text;
    }
    return {};
  }

  Attempt attempt_on_each_gpu(const ExampleFix& fix, std::uint32_t rule,
                              const std::vector<GivenFact>& said, bool said_is_strongest) {
    Attempt best;
    for (const std::span<const GivenFact> gpu : surroundings_.gpus_for(said))
      if (!best.is_proven())
        best.keep_better(attempt_on(fix, {rule, gpu, said, said_is_strongest}));
    return best;
  }

  Attempt attempt_on(const ExampleFix& fix, const Trial& trial) {
    using Stage = Attempt::Stage;
    const std::string& id = pack_.rules()[trial.rule].source->id;
    const SideResult before = walk(fix.before, trial);
    if (!before.unreadable.empty())
      return {Stage::unreadable, "`before` is no launch: " + before.unreadable};
    if (before.of_rule != Verdict::violated) {
      std::string fault = "`before` does not break `" + id + "`: it is " + side_outcome(before);
      if (!before.broken.empty()) fault += "; it breaks " + joined(before.broken);
      return {Stage::before, std::move(fault)};
    }
    if (before.broken_before > 0)
      return {Stage::shadowed, "`before` breaks `" + id +
                                   "`, but is refused before that: it breaks " +
                                   joined(std::span(before.broken).first(before.broken_before))};
    const SideResult after = walk(fix.after, trial);
    if (!after.unreadable.empty())
      return {Stage::unreadable, "`after` is no launch: " + after.unreadable};
    if (after.of_rule == Verdict::violated || after.of_rule == Verdict::undecided)
      return {Stage::after,
              "`after` does not mend `" + id + "`: it is still " + side_outcome(after)};
    if (!after.broken.empty())
      return {Stage::others, "`after` mends `" + id + "`, but breaks " + joined(after.broken)};
    return {Stage::proven, {}};
  }

  SideResult walk(const std::string& side, const Trial& trial) {
    SideResult result;
    const RulePack* const source = &pack_.source();
    SourceSet sources;
    const SourceId text =
        sources.add("<example fix>", completed_command(side, source->example_surroundings.command));
    Diagnostics warnings;
    const std::string release = release_for(trial);
    const auto launches = read_launches(
        sources, text, {{&source, 1}, nullptr, InputKind::automatic, release}, warnings);
    if (!launches || launches->size() != 1) {
      result.unreadable = launches ? "it starts several" : launches.error().front().message;
      return result;
    }
    const Launch& launch = launches->front();
    for (const LaunchFault& fault : launch.faults)
      if (fault.diagnostic.severity == Severity::error)
        result.broken.push_back("the arguments (" + fault.diagnostic.message + ")");
    CheckWorkspace::State& state = workspace_.state();
    load_launch(launch,
                surroundings_.facts_for(model_path_of(launch), release, trial.gpu, trial.said,
                                        trial.said_is_strongest),
                state.table);
    std::vector<bool> is_enabled;
    WakeSet* wake = prepare_walk(state, launch.stage, {}, is_enabled);
    Pipeline(state.table, is_enabled, wake, state.outcome)
        .run(SideVisit(pack_, trial.rule, result));
    return result;
  }

  std::string model_path_of(const Launch& launch) const {
    const auto found = pack_.source().schema.by_name.find("model_path");
    std::string path;
    if (found == pack_.source().schema.by_name.end()) return path;
    for (const LaunchArgument& argument : launch.arguments)
      if (argument.fact == found->second && argument.is_known) path = argument.value.text;
    return path;
  }

  const CompiledPack& pack_;
  ExampleSurroundingsTable surroundings_;
  CheckWorkspace workspace_;
};

struct RuleJoin {
  PackTrials* trial = nullptr;
  std::uint32_t rule = 0;
};

// Judges one record after the other.
class FixProver {
 public:
  FixProver(std::vector<PackTrials>& trials, ExampleCounts& counts, Diagnostics& faults)
      : counts_(counts), faults_(faults), has_rules_(!trials.empty()) {
    for (PackTrials& trial : trials)
      for (std::uint32_t rule = 0; rule < trial.pack().rules().size(); ++rule) {
        const std::string& error = trial.pack().rules()[rule].source->error;
        if (!error.empty()) joins_[error].push_back({&trial, rule});
      }
  }

  void prove(const ErrorRecord& record) {
    const auto found = joins_.find(record.id);
    const ExampleProof* proof = record.example_proof ? &*record.example_proof : nullptr;
    if (found == joins_.end()) {
      if (proof != nullptr && has_rules_)
        refuse(code::needless_proof, proof->span,
               "no rule joins `" + record.slug + "`, so there is nothing to prove",
               "Take `exampleProof` out.");
      return;
    }
    ++counts_.run;
    const std::size_t before = faults_.size();
    prove_joined(record, proof, found->second);
    if (faults_.size() > before) ++counts_.failed;
  }

 private:
  void prove_joined(const ErrorRecord& record, const ExampleProof* proof,
                    const std::vector<RuleJoin>& joins) {
    const auto fix = split_example_fix(record.example_fix.value_or(""));
    if (!fix) {
      if (proof == nullptr || proof->obstacle.empty())
        not_proven(record, record.example_fix ? "it has not the form # before … # after …"
                                              : "there is none");
      return;
    }
    const Attempt usual = attempt(*fix, joins, nullptr);
    if (usual.is_proven()) {
      if (proof != nullptr)
        refuse(code::needless_proof, proof->span,
               "the example fix of `" + record.slug + "` is proven without it",
               "Take `exampleProof` out.");
      return;
    }
    if (proof == nullptr) return not_proven(record, usual.fault);
    if (!proof->obstacle.empty()) return;
    const Attempt with_facts = attempt(*fix, joins, &proof->facts);
    if (!with_facts.is_proven()) not_proven(record, with_facts.fault);
  }

  // With all rules that join the record, until one proves the fix.
  Attempt attempt(const ExampleFix& fix, const std::vector<RuleJoin>& joins,
                  const std::vector<Entry>* entries) {
    Attempt best;
    for (const RuleJoin& join : joins) {
      if (best.is_proven()) break;
      std::vector<GivenFact> said;
      if (entries != nullptr && !read_facts(*entries, join.trial->pack(), said)) return best;
      best.keep_better(join.trial->attempt(fix, join.rule, entries == nullptr ? nullptr : &said));
    }
    return best;
  }

  // False: a fault was reported.
  bool read_facts(const std::vector<Entry>& entries, const CompiledPack& pack,
                  std::vector<GivenFact>& said) {
    const std::size_t before = faults_.size();
    Arena memory;
    for (const Entry& entry : entries) {
      const FactDeclaration* fact = pack.source().schema.find(entry.key);
      if (fact == nullptr)
        refuse(code::unknown_fact, entry.key_span, "no fact is called `" + entry.key + "`", {});
      else if (!is_of_surroundings(*fact))
        refuse(code::invalid_value, entry.key_span,
               "`" + entry.key + "` is not of the machine, the model or the release",
               "Write it into the commands of the example fix.");
      else if (!literal_value(entry.value, memory, fact->type))
        refuse(code::invalid_value, entry.value.span,
               "`" + entry.key + "` is " + to_string(fact->type) + ", and this value is none", {});
      else
        said.push_back({entry.key, entry.value, Origin::command_line_fact, entry.key_span,
                        "the record's exampleProof"});
    }
    return faults_.size() == before;
  }

  void not_proven(const ErrorRecord& record, const std::string& why) {
    const Span span =
        record.example_fix_span.is_known() ? record.example_fix_span : record.pattern_span;
    refuse(code::fix_not_proven, span,
           "the example fix of `" + record.slug + "` is not proven: " + why,
           "Mend it, or say in `exampleProof` which facts it needs or what stands in the way.");
  }

  void refuse(DiagnosticCode code, Span span, std::string message, std::string help) {
    faults_.push_back(make_error(code, span, std::move(message), std::move(help)));
  }

  std::map<std::string, std::vector<RuleJoin>, std::less<>> joins_;
  ExampleCounts& counts_;
  Diagnostics& faults_;
  const bool has_rules_;  // false: a dataset by itself, whose joins nobody knows
};

// The table of a bundle, or the file; nothing where there is none.
Result<std::optional<SourceId>> find_table(std::optional<SourceId> of_bundle,
                                           const std::string& path, SourceSet& sources,
                                           const FileSystem& files) {
  if (of_bundle || !files.is_file(path)) return of_bundle;
  ASSAY_TRY(const SourceId read, add_file(sources, files, path, kMaxTableBytes));
  return std::optional(read);
}

// Some records at a time, on the machine's cores; each part has its own workspaces.
Diagnostics prove_in_parts(const Knowledge& knowledge,
                           const std::vector<ExampleSurroundingsTable>& surroundings,
                           ExampleCounts& counts) {
  struct Part {
    ExampleCounts counts;
    Diagnostics faults;
  };
  constexpr std::size_t kRecordsOfAPart = 128;
  const auto& records = knowledge.dataset.records;
  std::vector<Part> parts((records.size() + kRecordsOfAPart - 1) / kRecordsOfAPart);
  for_each_in_parallel(parts.size(), 2, [&](std::size_t part) {
    std::vector<PackTrials> trials;
    trials.reserve(knowledge.packs.size());
    for (std::size_t at = 0; at < knowledge.packs.size(); ++at)
      trials.emplace_back(*knowledge.packs[at], surroundings[at]);
    FixProver prover(trials, parts[part].counts, parts[part].faults);
    const std::size_t end = std::min(records.size(), (part + 1) * kRecordsOfAPart);
    for (std::size_t at = part * kRecordsOfAPart; at < end; ++at) prover.prove(records[at]);
  });
  Diagnostics faults;
  for (Part& part : parts) {
    counts.run += part.counts.run;
    counts.failed += part.counts.failed;
    append(faults, std::move(part.faults));
  }
  return faults;
}

Result<Diagnostics> prove_all(const Knowledge& knowledge, SourceSet& sources,
                              const FileSystem& files, const KnowledgeFolder& folder,
                              ExampleCounts& counts) {
  ASSAY_TRY(const auto gpus, find_table(knowledge.tables.gpus, folder.gpu_table(), sources, files));
  ASSAY_TRY(const auto model_table,
            find_table(knowledge.tables.models, folder.model_table(), sources, files));
  std::vector<PublicModel> models;
  if (model_table) {
    ASSAY_TRY(models, read_model_table(sources, *model_table));
  }
  std::vector<ExampleSurroundingsTable> surroundings;
  for (const CompiledPackPtr& pack : knowledge.packs) {
    ASSAY_TRY(auto made, ExampleSurroundingsTable::make(source_pack(*pack), models, sources, gpus));
    surroundings.push_back(std::move(made));
  }
  return prove_in_parts(knowledge, surroundings, counts);
}

}  // namespace

Diagnostics prove_example_fixes(const Knowledge& knowledge, SourceSet& sources,
                                const FileSystem& files, const KnowledgeFolder& folder,
                                ExampleCounts& counts) {
  const auto faults = prove_all(knowledge, sources, files, folder, counts);
  return faults ? *faults : faults.error();
}

}  // namespace assay
