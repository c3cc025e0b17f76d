#include "tests/bundle/small_knowledge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/checksum.h"
#include "engine/base/little_endian.h"
#include "engine/evaluate/contract_checker.h"
#include "engine/evaluate/explanation.h"
#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/launch_reader.h"
#include "engine/report/json_report.h"
#include "engine/report/record_json.h"
#include "engine/report/text_report.h"

namespace assay::test {
namespace {

constexpr std::string_view kPack = R"(pack: demo
title: Demo
repository: demo/demo
versions: ["1.0", "1.1"]
launchers:
  - {words: [demo, serve], positionals: [model_path]}
config_flag: --config
stages:
  - stage: resolution
    title: Resolution
    steps:
      - early
      - {step: boundary, stop_when: 'model_path == "dummy"'}
      - late
  - stage: server-check
    title: Server check
    steps: [final]
)";

constexpr std::string_view kArguments = R"(arguments:
  model_path: {type: string, default: none, flags: [--model-path], documentation: Model.}
  backend: {type: string, nullable: true, default: null, choices: [fa3, triton, mla], flags: [--backend], documentation: Backend.}
  cache: {type: string, default: auto, choices: [auto, bf16, fp8], flags: [--cache], deprecated_flags: [--kv], documentation: Cache.}
  size: {type: int, default: 1, flags: [--size], documentation: Size.}
  part: {type: double, nullable: true, default: null, flags: [--part], documentation: Part.}
  fast: {type: bool, default: false, flags: [--fast], environment: DEMO_FAST, documentation: Fast.}
  sizes: {type: list<int>, default: [1, 2], flags: [--sizes], documentation: Sizes.}
  options: {type: json, nullable: true, default: null, flags: [--options], documentation: Options.}
)";

constexpr std::string_view kFacts = R"(facts:
  gpu.sm: {type: int, documentation: Capability., minimum: 1}
  gpu.count: {type: int, documentation: How many.}
  env.DEMO_MODE: {type: string, nullable: true, default: null, documentation: Mode.}
  derived.backend: {type: string, expression: 'backend == null ? (gpu.sm >= 90 ? "fa3" : "triton") : backend', documentation: Backend.}
  derived.total: {type: int, expression: 'size * (derived.backend == "fa3" ? 2 : 1)', documentation: Total.}
)";

constexpr std::string_view kGpus = R"(gpus:
  T4: {names: ["Tesla T4"], vendor: nvidia, sm: 75, memory_mib: 15360, sm_count: 40}
  H200: {names: ["NVIDIA H200"], vendor: nvidia, sm: 90, memory_mib: 143771, sm_count: 132}
)";

constexpr std::string_view kModels = R"(sources:
  here: {documentation: "Made up."}
keys: [model_type]
quantization_keys: []
models:
  demo/model:
    source: here
    config: {model_type: demo}
)";

constexpr std::string_view kMatrices = R"(matrices:
  backend-by-cache:
    pack: demo
    title: Backend by cache
    documentation: "Backends and caches."
    rows: backend
    columns: cache
    gpus: [T4, H200]
    models:
      - {model: demo/model}
)";

std::string rule(const std::string& slug, const std::string& rest) {
  return "id: demo/area/" + slug + "\nsummary: Something about " + slug +
         ".\nsource: {file: demo/arguments.py, sha: 0123abcd, line: 7, raises: ValueError}\n" +
         rest;
}

constexpr std::string_view kRecord = R"({"record":{"id":"00000000000000a1","repo":"demo/demo",
"slug":"cache-of-fa3","errorCode":null,"errorMessage":"fa3 needs a cache of {}, got {cache}.",
"messagePattern":"fa3 needs a cache of (.+?), got (.+?)\\.","errorType":"validation",
"errorClass":"ValueError","httpStatus":null,"severity":"error","filePath":"demo/arguments.py",
"lineNumber":7,"sourceCode":"if x:\n  raise","sourceCodeStart":6,"sourceCodeEnd":8,"githubUrl":null,
"documentation":"Why.","triggerScenarios":"When.","commonSituations":"Where.",
"solutions":["One","Two"],"exampleFix":"demo","handlingStrategy":"validation","validationCode":null,
"typeGuard":null,"tryCatchPattern":null,"preventionTips":["Tip"],"tags":["cache"],
"backgroundTag":"x","analyzedSha":"0123abcd","analyzedAt":"2026-01-01T00:00:00.000Z",
"schemaVersion":3,"examples":[{"message":"fa3 needs a cache of bf16, got fp8.","source":"here"}],
"nearMisses":["fa2 needs nothing"]},"datasetVersion":"2026-01-01T00:00:00.000Z"})";

// Like it, with a pattern that takes a regular expression and, without a literal of its own, a
// context.
std::string record_with_context() {
  std::string record(kRecord);
  const auto replace = [&record](std::string_view from, std::string_view to) {
    record.replace(record.find(from), from.size(), to);
  };
  replace("00000000000000a1", "00000000000000a2");
  replace("\"cache-of-fa3\"", "\"size-of-part\"");
  replace("fa3 needs a cache of {}, got {cache}.", "size {} < {}");
  replace("fa3 needs a cache of (.+?), got (.+?)\\\\.", "size ([0-9]+) < (\\\\S+)");
  replace("fa3 needs a cache of bf16, got fp8.", "size 12 < 0x40");
  replace("\"schemaVersion\":3,", "\"schemaVersion\":3,\"context\":\"DemoPartError: \",");
  return record;
}

constexpr std::string_view kContract = R"(kernel: demo_kernel
title: Demo kernel
repository: demo/demo
source: {file: demo/kernel.py, sha: "0123abcd", line: 1, raises: ValueError}
summary: A kernel.
dimensions: {n: "rows", d: "width"}
tensors:
  x: {dtype: [bfloat16], shape: [n, d], documentation: in}
  y: {dtype: [bfloat16], shape: [n, d], documentation: out, output: true}
clauses:
  - id: width
    require: d % 8 == 0
    message: "d must be a multiple of 8, got {d}"
)";

void add_rules(MemoryFileSystem& files, const std::string& folder) {
  const auto add = [&](const std::string& slug, const std::string& rest) {
    files.write(folder + "area/" + slug + ".yaml", rule(slug, rest));
  };
  add("cache-of-fa3",
      "severity: error\nstep: final\nwhen: derived.backend == \"fa3\"\n"
      "require: 'cache in [\"bf16\", \"auto\"]'\n"
      "message: \"fa3 needs a cache of bf16, got {cache}.\"\nerror: 00000000000000a1\n"
      "fix:\n  - set: {cache: bf16}\n    why: Keeps the backend.\n  - unset: [backend]\n    why: "
      "Lets it choose.\n"
      "examples:\n  - violates: {backend: fa3, cache: fp8}\n  - passes: {backend: fa3}\n");
  add("sizes-of-one-kind",
      "severity: warning\nstep: late\nplace: 2\nlet: {limit: 'derived.total + 1'}\n"
      "when: 'sizes.exists(x, x > limit) && sizes.map(x, [x, x * 2]).size() > 1'\n"
      "cases:\n  - {label: \"fast\", when: fast}\n  - {label: \"large\", when: size > 4}\n"
      "message: \"{label}: {sizes} beyond {limit!r}\"\n"
      "examples:\n  - violates: {sizes: [9, 9], fast: true, gpu.sm: 90}\n"
      "  - passes: {sizes: [1], gpu.sm: 90}\n");
  add("size-for-mla",
      "severity: note\nstep: early\nwhen: backend == \"mla\" && size != 64\n"
      "effect: {set: {size: 64}}\nmessage: \"size is set to 64, it was {before.size}.\"\n"
      "examples:\n  - changes: {backend: mla}\n    to: {size: 64}\n  - keeps: {backend: fa3}\n");
  add("cache-by-default",
      "severity: note\nstep: early\nwhen: cache == \"auto\" && gpu.sm >= 90\n"
      "effect: {compute: {cache: 'fast ? \"fp8\" : \"bf16\"'}}\n"
      "examples:\n  - changes: {gpu.sm: 90}\n    to: {cache: bf16}\n");
  add("options-with-a-name",
      "severity: error\nstep: unplaced\nversions: \">=1.1\"\n"
      "when: 'options != null && has(options.name)'\n"
      "require: 'options.name.matches(\"^[a-z]+$\") && env.DEMO_MODE != \"off\"'\n"
      "message: \"bad name {options.name}\"\nignore_when: Never.\n"
      "examples:\n  - violates: {options: {name: \"A1\"}}\n  - passes: {options: {name: a}}\n");
}

constexpr std::string_view kLog =
    "[2026-01-02 03:04:05 TP0] fa3 needs a cache, but there is none\n"
    "\x1b[31mValueError: fa3 needs a cache of \x1b[1mbf16\x1b[0m, got fp8.\n"
    "DemoPartError: size 12 < 0x40\nDemoPartError: size x < 0x40\nsize 12 < 0x40\n";

std::string check_everything(const Knowledge& knowledge, const SourceSet& shown) {
  std::string answers;
  const std::vector<const RulePack*> packs = knowledge.rule_packs();
  for (const char* command :
       {"demo serve m", "demo serve m --backend fa3 --cache fp8 --sizes 9 9 9 --fast",
        "DEMO_MODE=off demo serve dummy --backend mla --size 5 --options '{\"name\": \"A1\"}'",
        "demo serve --kv fp8 --unknown 1 --size x"}) {
    SourceSet sources;
    Diagnostics warnings;
    const SourceId source = sources.add("<text>", command);
    const auto launches =
        read_launches(sources, source, {packs, nullptr, InputKind::automatic}, warnings);
    if (!launches) continue;
    for (const Launch& launch : *launches) {
      const CompiledPack* pack = knowledge.find_pack(launch.pack);
      if (pack == nullptr) continue;
      for (const bool use_index : {true, false}) {
        CheckReport report = check_launch(*pack, launch, {}, {use_index});
        if (report.has_violations()) find_repairs(*pack, sources, launch, {}, report);
        const CheckedLaunch checked{&launch, std::move(report)};
        answers += write_json_report({{&checked, 1}, &sources, &knowledge.dataset});
      }
    }
  }
  for (const ErrorRecord& record : knowledge.dataset.records)
    answers += write_record_envelope(record, knowledge.dataset.version);
  const MessageMatcher matcher = MessageMatcher::open(knowledge.dataset, *knowledge.bundle);
  answers += write_text_explanation(explain_text(matcher, "<log>", kLog), {});
  for (const CompiledContract& contract : knowledge.contracts) {
    const std::vector<const TensorView*> tensors(contract.source.tensors.size(), nullptr);
    const std::vector<Value> scalars(contract.source.scalars.size());
    for (const auto& violation :
         check_contract(contract, {tensors, scalars, ""}, ContractProfile::both))
      answers += violation.message + "\n";
  }
  for (SourceId id = 0; id < shown.size(); ++id) answers += shown.get(id).name() + "\n";
  return answers;
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  return load_little_endian<std::uint64_t>(bytes.data() + at);
}

void put_number(std::string& bytes, std::size_t at, std::uint64_t number) {
  std::string written;
  append_little_endian(written, number);
  bytes.replace(at, 8, written);
}

bool is_directory(std::uint32_t kind) {
  for (const SectionKind one :
       {SectionKind::sources, SectionKind::records, SectionKind::facts, SectionKind::rules,
        SectionKind::compiled_rules, SectionKind::derived_facts})
    if (kind == static_cast<std::uint32_t>(one)) return true;
  return false;
}

void seal_items(std::string& bytes, std::size_t directory, std::size_t size, std::size_t items,
                std::size_t items_size) {
  for (std::size_t at = directory; at + 16 <= directory + size; at += 16) {
    const std::uint64_t begin = number_at(bytes, at);
    const std::uint64_t end = at + 32 <= directory + size ? number_at(bytes, at + 16) : items_size;
    if (begin <= end && end <= items_size)
      put_number(bytes, at + 8,
                 checksum(std::string_view(bytes).substr(items + begin, end - begin)));
  }
}

}  // namespace

MemoryFileSystem small_knowledge(const std::string& root) {
  MemoryFileSystem files;
  const std::string rules = root + "/rules/";
  files.write(rules + "demo/pack.yaml", std::string(kPack));
  files.write(rules + "demo/arguments.yaml", std::string(kArguments));
  files.write(rules + "demo/facts.yaml", std::string(kFacts));
  add_rules(files, rules + "demo/");
  files.write(rules + "gpus.yaml", std::string(kGpus));
  files.write(rules + "models.yaml", std::string(kModels));
  files.write(rules + "matrices.yaml", std::string(kMatrices));
  files.write(rules + "kernels/demo_kernel.yaml", std::string(kContract));
  files.write(root + "/dataset/demo/cache-of-fa3.json", std::string(kRecord));
  files.write(root + "/dataset/demo/size-of-part.json", record_with_context());
  return files;
}

std::vector<SupportTable> support_of(const Knowledge& knowledge, SourceSet& sources) {
  if (!knowledge.tables.matrices) return {};
  const auto matrices = read_matrix_table(sources, *knowledge.tables.matrices);
  if (!matrices) return {};
  auto support = compute_support(knowledge, knowledge.tables, *matrices, sources);
  return support ? std::move(*support) : std::vector<SupportTable>();
}

std::string text_of(const std::vector<SupportTable>& tables) {
  std::string text;
  for (const SupportTable& table : tables)
    for (const SupportGrid& grid : table.grids) {
      text += table.matrix + " " + grid.gpu + "\n";
      for (const auto& row : grid.cells)
        for (const SupportCell& cell : row)
          text += std::to_string(static_cast<int>(cell.state)) + " " +
                  (cell.rule == nullptr ? "" : cell.rule->id) + " " + cell.message + "\n";
    }
  return text;
}

std::string small_bundle(const std::string& root) {
  SourceSet sources;
  Diagnostics warnings;
  const MemoryFileSystem files = small_knowledge(root);
  auto knowledge = load_knowledge(sources, files, KnowledgeFolder::below(root), warnings);
  if (!knowledge) return knowledge.error()[0].message;
  const std::string prefix = root + "/";
  const auto tables = add_tables(sources, files, KnowledgeFolder::below(root));
  if (!tables) return tables.error()[0].message;
  knowledge->tables = *tables;
  const std::vector<SupportTable> support = support_of(*knowledge, sources);
  BundleInput input;
  input.tables = *tables;
  input.support = support;
  input.knowledge = &*knowledge;
  input.sources = &sources;
  input.root = prefix;
  input.folders = {root + "/rules", root + "/dataset"};
  const Result<std::string> bundle = write_bundle(input);
  return bundle ? *bundle : bundle.error()[0].message;
}

std::string use_bundle(std::string bytes) {
  auto file = BundleFile::open(FileBytes(std::move(bytes)), "x.assay");
  if (!file) return {};
  const std::size_t places = bundled_places(**file).size();
  SourceSet sources;
  const auto knowledge = open_bundle(sources, std::move(*file), "there/");
  if (!knowledge) return {};
  std::string answers = check_everything(*knowledge, sources) + std::to_string(places) +
                        text_of(support_of(*knowledge, sources));
  read_all(*knowledge, sources);
  return knowledge->damage().empty() ? answers : std::string();
}

void seal(std::string& bytes) {
  if (bytes.size() < kBundleHeaderBytes) return;
  const auto count = load_little_endian<std::uint32_t>(bytes.data() + 12);
  const std::size_t table_size = std::size_t{count} * kBundleEntryBytes;
  if (count > 1000 || bytes.size() < kBundleHeaderBytes + table_size) return;
  const auto entry = [&](std::size_t at) { return kBundleHeaderBytes + at * kBundleEntryBytes; };
  const auto lies_inside = [&](std::size_t at) {
    return number_at(bytes, at + 8) <= bytes.size() &&
           number_at(bytes, at + 16) <= bytes.size() - number_at(bytes, at + 8);
  };
  for (std::size_t at = 0; at < count; ++at) {
    const auto kind = load_little_endian<std::uint32_t>(bytes.data() + entry(at));
    if (!lies_inside(entry(at))) continue;
    if (is_directory(kind) && at + 1 < count && lies_inside(entry(at + 1)))
      seal_items(bytes, number_at(bytes, entry(at) + 8), number_at(bytes, entry(at) + 16),
                 number_at(bytes, entry(at + 1) + 8), number_at(bytes, entry(at + 1) + 16));
    put_number(bytes, entry(at) + 24,
               checksum(std::string_view(bytes).substr(number_at(bytes, entry(at) + 8),
                                                       number_at(bytes, entry(at) + 16))));
  }
  put_number(bytes, 32, checksum(std::string_view(bytes).substr(kBundleHeaderBytes, table_size)));
  put_number(bytes, 56, checksum(std::string_view(bytes).substr(0, 56)));
}

void mutate(std::string& bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const std::size_t changes = 1 + below(4);
  for (std::size_t change = 0; change < changes; ++change) {
    const std::size_t at = below(bytes.size());
    static constexpr char kTelling[] = {
        0, 1, 2, 0x7f, static_cast<char>(0x80), static_cast<char>(0xff)};
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        bytes[at] = kTelling[below(sizeof kTelling)];
        break;
      case 2:
        bytes[at] = static_cast<char>(below(256));
        break;
      default: {  // a piece from elsewhere
        const std::size_t from = below(bytes.size());
        const std::size_t size = std::min({1 + below(12), bytes.size() - at, bytes.size() - from});
        bytes.replace(at, size, bytes.substr(from, size));
      }
    }
  }
}

}  // namespace assay::test
