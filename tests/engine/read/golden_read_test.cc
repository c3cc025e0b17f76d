// Golden cases of packs, records and datasets: tests/golden/read/<case>/input/ is read from memory;
// expected.txt holds the diagnostics as a person sees them, or what was read.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/read/contract_reader.h"
#include "engine/read/dataset_reader.h"
#include "engine/read/pack_reader.h"
#include "engine/read/record_reader.h"
#include "engine/text/diagnostic_rendering.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

std::string show(const Diagnostics& diagnostics, const SourceSet& sources) {
  std::string all;
  for (const Diagnostic& d : diagnostics) all += render_diagnostic(d, sources, false) + "\n";
  return all;
}

std::string show(const ExpressionText& expression, const SourceSet& sources) {
  const bool is_true = !expression.is_verbatim || sources.text(expression.span) == expression.text;
  return expression.text + (expression.is_verbatim ? "  [verbatim]" : "") +
         (is_true ? "" : "  [WRONG PLACE]");
}

std::string show_facts(const std::vector<FactValue>& facts) {
  std::string all;
  for (const FactValue& fact : facts) all += " " + fact.name + "=" + fact.value.text;
  return all;
}

std::string show(const Rule& rule, const SourceSet& sources) {
  std::string out = "rule " + rule.id + " " + std::string(to_string(rule.severity)) + " at " +
                    rule.step + ":" + std::to_string(rule.place) + "\n";
  for (const LetBinding& let : rule.lets)
    out += "  let " + let.name + " = " + show(let.expression, sources) + "\n";
  if (rule.when) out += "  when " + show(*rule.when, sources) + "\n";
  if (rule.require) out += "  require " + show(*rule.require, sources) + "\n";
  for (const RuleCase& row : rule.cases)
    out += "  case " + row.label + ": " + show(row.when, sources) + "\n";
  const auto show_assignments = [&](const std::vector<Assignment>& assignments) {
    std::string all;
    for (const Assignment& a : assignments)
      all += " " + a.target +
             (a.kind == Assignment::Kind::set       ? "=" + a.literal.text
              : a.kind == Assignment::Kind::compute ? ":=" + show(a.expression, sources)
                                                    : " unset");
    return all;
  };
  if (rule.is_derivation()) out += "  effect" + show_assignments(rule.effect) + "\n";
  if (!rule.message.empty())
    out += "  message " + std::string(sources.text(rule.message_span)) +
           (rule.message_is_verbatim ? "  [verbatim]" : "") + "\n";
  for (const Fix& fix : rule.fixes)
    out += "  fix" + show_assignments(fix.assignments) + " (" + fix.why + ")\n";
  if (!rule.source.file.empty())
    out += "  source " + rule.source.file + "@" + rule.source.sha + ":" +
           std::to_string(rule.source.line) + " " + rule.source.raises + "\n";
  for (const RuleExample& example : rule.examples)
    out += "  example " + std::to_string(static_cast<int>(example.kind)) +
           show_facts(example.facts) + (example.to.empty() ? "" : " ->") + show_facts(example.to) +
           (example.from_start ? " from start" : "") + "\n";
  return out + "  error " + rule.error + " versions " + rule.versions + "\n";
}

std::string show(const FactDeclaration& fact, const SourceSet& sources) {
  const auto of = [](const std::string& versions) {
    return versions.empty() ? std::string() : "[" + versions + "]";
  };
  std::string out = "fact " + fact.name + of(fact.versions) + " " + to_string(fact.type);
  if (fact.default_value)
    out += " = " + (fact.default_value->kind == NodeKind::null ? "null" : fact.default_value->text);
  for (const DatedDefault& dated : fact.dated_defaults)
    out += " = " + (dated.value.kind == NodeKind::null ? "null" : dated.value.text) +
           of(dated.versions);
  for (const Flag& flag : fact.flags)
    out += " " + flag.spelling + of(flag.versions) +
           (flag.is_deprecated ? "(deprecated" + of(flag.deprecated_versions) + ")" : "") +
           (flag.stores ? "(" + flag.stores->text + ")" : "");
  out += fact.takes_list ? " list" : "";
  out += fact.is_json ? " json" : "";
  out += fact.has_open_choices ? " open" : "";
  for (std::size_t i = 0; i < fact.choices.size(); ++i)
    out += " |" + fact.choices[i].text +
           (i < fact.choice_versions.size() ? of(fact.choice_versions[i]) : "");
  if (!fact.environment.empty()) out += " $" + fact.environment;
  if (fact.expression) out += " := " + show(*fact.expression, sources);
  return out + "\n";
}

std::string show(const RulePack& pack, const SourceSet& sources) {
  std::string out = pack.name + " " + pack.title + " " + pack.repository + " " + pack.config_flag;
  for (const std::string& version : pack.versions) out += " " + version;
  for (const auto& launcher : pack.launchers) {
    out += "\nlauncher";
    for (const std::string& word : launcher.words) out += " " + word;
    for (const std::string& positional : launcher.positionals) out += " <" + positional + ">";
  }
  for (const RenamedFlag& renamed : pack.renamed_flags)
    out += "\n" + renamed.spelling + " is " + renamed.now;
  const ExampleSurroundings& surroundings = pack.example_surroundings;
  if (!surroundings.command.empty()) {
    out += "\nexample fixes: " + surroundings.command + " on";
    for (const std::string& gpu : surroundings.gpus) out += " " + gpu;
    out += " with " + surroundings.model;
    for (const Entry& fact : surroundings.facts) out += ", " + fact.key + " " + fact.value.text;
  }
  for (const PipelineStage& stage : pack.stages) {
    out += "\nstage " + stage.name + " (" + stage.title + "):";
    for (const PipelineStep& step : stage.steps)
      out += " " + step.name + (step.stop_when ? "{" + show(*step.stop_when, sources) + "}" : "");
  }
  out += "\n";
  for (const FactDeclaration& fact : pack.schema.facts) out += show(fact, sources);
  for (const Rule& rule : pack.rules) out += show(rule, sources);
  return out;
}

std::string show(const ErrorRecord& record) {
  std::string out = "record " + record.id + " " + record.repo + " " + record.slug + " v" +
                    std::to_string(record.schema_version) + " " + record.status + "\n";
  for (const RecordExample& example : record.examples)
    out += "  example " + example.message + " (" + example.source + ")\n";
  for (const std::string& miss : record.near_misses) out += "  near miss " + miss + "\n";
  for (const RecordLink& link : record.see_also)
    out += "  see also " + link.id + " (" + link.reason + ")\n";
  if (!record.example_proof) return out;
  out += "  proof " + record.example_proof->obstacle + " " + record.example_proof->reason;
  for (const Entry& fact : record.example_proof->facts)
    out += " " + fact.key + "=" + fact.value.text;
  out += "\n";
  return out;
}

std::string show(const TensorContract& contract) {
  std::string out = "contract " + contract.kernel + " of " + contract.repository + "\n";
  for (const ContractDimension& dimension : contract.dimensions)
    out += "  dimension " + dimension.name + ": " + dimension.documentation + "\n";
  for (const ContractTensor& tensor : contract.tensors) {
    out += "  tensor " + tensor.name + (tensor.is_optional ? " optional" : "") +
           (tensor.is_output ? " output" : "");
    for (const DType dtype : tensor.dtypes) out += " " + std::string(to_string(dtype));
    out += " [";
    for (const Extent& extent : tensor.shape)
      out += (extent.is_at_least ? " >=" : " ") + extent.expression.text;
    out += " ]" + (tensor.elements ? " elements " + std::to_string(*tensor.elements) : "");
    for (const ExpressionText& stride : tensor.strides)
      out += " stride " + (stride.text.empty() ? "any" : stride.text);
    out += " on " + tensor.device + " aligned " + std::to_string(tensor.alignment_bytes) + "\n";
  }
  for (const ContractScalar& scalar : contract.scalars)
    out += "  scalar " + scalar.name + " " + to_string(scalar.type) +
           (scalar.default_value ? " = " + scalar.default_value->text : "") + "\n";
  for (const ContractClause& clause : contract.clauses) {
    out += "  clause " + clause.id + " profile " + std::to_string(static_cast<int>(clause.profile));
    for (const TensorProperty property : clause.properties)
      out += " " + std::string(to_string(property));
    for (const std::string& tensor : clause.tensors) out += " of " + tensor;
    if (clause.group != 0) out += " in group " + std::to_string(clause.group);
    if (clause.require) out += " require " + clause.require->text;
    for (const std::string& back_end : clause.back_ends) out += " on " + back_end;
    out += (clause.is_data_dependent ? " by " + clause.enforced_by : "") + " raises " +
           clause.raises + " joins " + clause.error + ": " + clause.message + "\n";
  }
  return out;
}

std::string run(const test::GoldenCase& golden) {
  MemoryFileSystem files;
  std::string pack_folder;
  std::string contract;
  bool is_dataset = false;
  for (const auto& [path, content] : golden.files("input")) {
    const std::string name = path.substr(std::string_view("input/").size());
    if (name.ends_with("/pack.yaml")) pack_folder = name.substr(0, name.rfind('/'));
    if (name.find('/') == std::string::npos && name.ends_with(".yaml")) contract = name;
    is_dataset |= name.starts_with("dataset/");
    files.write(name, content);
  }
  SourceSet sources;
  Diagnostics warnings;
  std::string out;
  if (is_dataset) {
    const auto dataset = read_dataset(sources, files, "dataset", warnings);
    if (!dataset) return show(dataset.error(), sources);
    out = "version " + dataset->version + "\n";
    for (const ErrorRecord& record : dataset->records) out += show(record);
  } else if (!pack_folder.empty()) {
    const auto pack = read_pack(sources, files, pack_folder, warnings);
    out = pack ? show(*pack, sources) : show(pack.error(), sources);
  } else if (!contract.empty()) {
    const auto source = add_file(sources, files, contract, 1u << 20);
    if (!source) return show(source.error(), sources);
    const auto read = read_contract(sources, *source);
    out = read ? show(*read) : show(read.error(), sources);
  } else {
    const auto source = add_file(sources, files, "record.json", 1u << 20);
    if (!source) return show(source.error(), sources);
    const auto record = read_record(sources, *source, warnings);
    out = record ? show(*record) : show(record.error(), sources);
  }
  return out + show(warnings, sources);
}

class Read : public testing::TestWithParam<std::string> {};

TEST_P(Read, GivesWhatTheCaseExpects) {
  const test::GoldenCase golden("read", GetParam());
  EXPECT_TRUE(golden.matches("expected.txt", run(golden)));
}

INSTANTIATE_TEST_SUITE_P(Golden, Read, testing::ValuesIn(test::golden_cases("read")),
                         test::case_name);

}  // namespace
}  // namespace assay
