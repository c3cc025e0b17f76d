// Each combination is a launch of its own, judged with one workspace a table: what a launch does
// not change is not run again. Of what a rule says about a combination, what it says about a launch
// without both values as well (another argument's fault, a fact that nobody gave) is left out. The
// worst thing that is left decides: refused before depends before replaced before warned. A bundle
// has the results (support_bundle.cc).
#include "engine/evaluate/support_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/parallel.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/read/given_fact_reader.h"
#include "engine/read/model_table.h"
#include "engine/read/pack_release.h"
#include "engine/read/python_text.h"

namespace assay {
namespace {

struct NamedFacts {
  std::string name;
  std::vector<GivenFact> facts;
};

Diagnostic unknown(Span span, std::string message) {
  return make_error(code::unknown_fact, span, std::move(message));
}

// One matrix, one model, one GPU.
struct GridTask {
  const CompiledPack* pack = nullptr;
  Launch launch;  // with neither value
  FactId row = 0;
  FactId column = 0;
  NamedFacts subject;
  std::size_t table = 0;  // index of the table it is for
  std::size_t grid = 0;   // ... and of the grid in it
};

class GridWriter {
 public:
  explicit GridWriter(GridTask& task)
      : pack_(*task.pack),
        newest_(pack_.source()),
        workspace_(pack_),
        launch_(task.launch),
        row_(task.row),
        column_(task.column),
        facts_(task.subject.facts) {
    const CheckReport report = check();
    for (const Finding& finding : report.findings) said_before_.insert(finding.rule);
    for (const Finding& finding : report.undecided) doubted_before_.insert(finding.rule);
  }

  std::vector<std::vector<SupportCell>> write() {
    std::vector<std::vector<SupportCell>> cells;
    for_each_value(row_, [&] {
      cells.emplace_back();
      for_each_value(column_, [&] { cells.back().push_back(judge()); });
    });
    return cells;
  }

 private:
  CheckReport check() { return check_launch(pack_, launch_, facts_, {}, &workspace_); }

  // Without the argument first, then with each of its choices.
  template <class Visit>
  void for_each_value(FactId fact, Visit&& visit) {
    visit();
    for (const Node& choice : newest_.fact(fact).choices) {
      LaunchArgument& argument = launch_.arguments.emplace_back();
      argument.fact = fact;
      argument.value = choice;
      visit();
      launch_.arguments.pop_back();
    }
  }

  SupportCell judge() {
    const CheckReport report = check();
    SupportCell cell;
    const auto take = [&](SupportCell::State state, const Rule* rule, const std::string& message) {
      if (cell.rule == nullptr || state > cell.state) cell = {state, rule, message};
    };
    for (const Finding& finding : report.findings)
      if (finding.rule != nullptr && !said_before_.contains(finding.rule))
        take(finding.severity == Severity::error ? SupportCell::State::refused
                                                 : SupportCell::State::warned,
             finding.rule, finding.message);
    for (const Finding& finding : report.undecided)
      if (finding.rule->severity == Severity::error && !doubted_before_.contains(finding.rule))
        take(SupportCell::State::depends, finding.rule,
             fmt::format("depends on {}", fmt::join(finding.waits_for, ", ")));
    for (const Adjustment& adjustment : report.adjustments)
      if (replaces(adjustment))
        take(SupportCell::State::replaced, adjustment.rule,
             fmt::format("{} becomes {}", adjustment.fact, adjustment.after));
    return cell;
  }

  // Whether it takes away a value that the launch asked for.
  bool replaces(const Adjustment& adjustment) const {
    return std::ranges::any_of(launch_.arguments, [&](const LaunchArgument& argument) {
      return (argument.fact == row_ || argument.fact == column_) &&
             pack_.schema().facts[argument.fact].name == adjustment.fact &&
             python_repr(argument.value) == adjustment.before;
    });
  }

  const CompiledPack& pack_;
  const PackRelease newest_;  // older releases' choices have no place in a table of it
  CheckWorkspace workspace_;
  Launch& launch_;
  FactId row_;
  FactId column_;
  const std::vector<GivenFact>& facts_;
  std::set<const Rule*> said_before_;
  std::set<const Rule*> doubted_before_;
};

class SupportComputer {
 public:
  SupportComputer(const Knowledge& knowledge, const KnowledgeTables& tables, SourceSet& sources)
      : knowledge_(knowledge), known_(tables), sources_(sources) {}

  Result<std::vector<SupportTable>> compute(std::span<const MatrixDeclaration> matrices) {
    if (matrices.empty()) return std::move(tables_);
    if (known_.models) {
      ASSAY_TRY(models_, read_model_table(sources_, *known_.models));
    }
    for (const MatrixDeclaration& matrix : matrices) add(matrix);
    if (!faults_.empty()) return std::move(faults_);
    for (GridTask& task : tasks_) {
      std::vector<SupportGrid>& grids = tables_[task.table].grids;
      task.grid = grids.size();
      grids.push_back({task.subject.name, {}});
    }
    if (read_stored_support(knowledge_, tables_)) return std::move(tables_);
    for_each_in_parallel(tasks_.size(), 2, [&](std::size_t at) {
      GridTask& task = tasks_[at];
      tables_[task.table].grids[task.grid].cells = GridWriter(task).write();
    });
    return std::move(tables_);
  }

 private:
  void add(const MatrixDeclaration& matrix) {
    const CompiledPack* pack = knowledge_.find_pack(matrix.pack);
    if (pack == nullptr) {
      faults_.push_back(make_error(code::invalid_value, matrix.pack_span,
                                   "there is no pack `" + matrix.pack + "`"));
      return;
    }
    const auto row = argument(*pack, matrix.rows, matrix.rows_span);
    const auto column = argument(*pack, matrix.columns, matrix.columns_span);
    if (!row || !column) return;
    for (const MatrixModel& model : matrix.models) {
      SupportTable table{&pack->source(),
                         matrix.name,
                         matrix.title,
                         matrix.documentation,
                         model.name,
                         launch_text(model),
                         matrix.rows,
                         matrix.columns,
                         values(*pack, *row),
                         values(*pack, *column),
                         {}};
      const auto launch = launch_of(*pack, model);
      if (!launch) continue;
      for (const MatrixGpu& gpu : matrix.gpus)
        if (auto facts = facts_of_subject(*pack, model, gpu))
          tasks_.push_back({pack, *launch, *row, *column, std::move(*facts), tables_.size()});
      tables_.push_back(std::move(table));
    }
  }

  std::optional<FactId> argument(const CompiledPack& pack, const std::string& name, Span span) {
    const auto found = pack.schema().by_name.find(name);
    if (found == pack.schema().by_name.end() || !pack.schema().facts[found->second].is_argument) {
      faults_.push_back(unknown(span, "`" + name + "` is no argument of " + pack.source().name));
      return {};
    }
    if (PackRelease(pack.source()).fact(found->second).choices.empty()) {
      faults_.push_back(make_error(code::invalid_value, span,
                                   "`" + name + "` has no choices to make a table of"));
      return {};
    }
    return found->second;
  }

  static std::vector<std::string> values(const CompiledPack& pack, FactId fact) {
    const PackRelease newest(pack.source());
    std::vector<std::string> values{""};
    for (const Node& choice : newest.fact(fact).choices) values.push_back(choice.text);
    return values;
  }

  static std::string launch_text(const MatrixModel& model) {
    std::vector<std::string> parts;
    for (const Entry& entry : model.arguments)
      parts.push_back(fmt::format("{}={}", entry.key, python_repr(entry.value)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::optional<Launch> launch_of(const CompiledPack& pack, const MatrixModel& model) {
    Launch launch;
    launch.pack = pack.source().name;
    launch.form = LaunchForm::map;
    const auto add = [&](const std::string& name, const Node& value, Span span) {
      const auto found = pack.schema().by_name.find(name);
      if (found == pack.schema().by_name.end()) {
        faults_.push_back(unknown(span, "`" + name + "` is no argument of " + launch.pack));
        return;
      }
      LaunchArgument& argument = launch.arguments.emplace_back();
      argument.fact = found->second;
      argument.value = value;
    };
    const std::size_t before = faults_.size();
    Node path;
    path.kind = NodeKind::string;
    path.text = model.name;
    add("model_path", path, model.span);
    for (const Entry& entry : model.arguments) add(entry.key, entry.value, entry.key_span);
    if (faults_.size() > before) return {};
    return launch;
  }

  std::optional<NamedFacts> facts_of_subject(const CompiledPack& pack, const MatrixModel& model,
                                             const MatrixGpu& gpu) {
    const PublicModel* known = find_public_model(models_, model.name);
    if (known == nullptr) {
      faults_.push_back(unknown(model.span, "no model is known as `" + model.name + "`"));
      return {};
    }
    if (!known_.gpus) {
      faults_.push_back(unknown(gpu.span, "there is no table of GPUs"));
      return {};
    }
    NamedFacts subject;
    subject.name =
        model.gpu_count == 1 ? gpu.name : fmt::format("{} × {}", gpu.name, model.gpu_count);
    subject.facts = facts_of(*known);
    auto of_gpu = read_gpu(sources_, *known_.gpus, fmt::format("{}x{}", gpu.name, model.gpu_count));
    if (!of_gpu) {
      faults_.push_back(unknown(gpu.span, of_gpu.error()[0].message));
      return {};
    }
    for (GivenFact& fact : *of_gpu) subject.facts.push_back(std::move(fact));
    std::erase_if(subject.facts,
                  [&](const GivenFact& fact) { return pack.schema().find(fact.name) == nullptr; });
    return subject;
  }

  const Knowledge& knowledge_;
  const KnowledgeTables& known_;
  SourceSet& sources_;
  std::vector<PublicModel> models_;
  std::vector<SupportTable> tables_;
  std::vector<GridTask> tasks_;
  Diagnostics faults_;
};

}  // namespace

Result<std::vector<SupportTable>> compute_support(const Knowledge& knowledge,
                                                  const KnowledgeTables& tables,
                                                  std::span<const MatrixDeclaration> matrices,
                                                  SourceSet& sources) {
  return SupportComputer(knowledge, tables, sources).compute(matrices);
}

}  // namespace assay
