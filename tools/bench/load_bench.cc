// What loading knowledge costs, from its source files and from a bundle: the shipped packs and
// dataset from the disk's cache, and 10,000 synthetic rules with a record each. Loading files is
// reading, checking and compiling everything; opening a bundle is that of a file that is mapped
// anew each time. `first_check` goes on until one launch is checked, `all` until everything in the
// bundle was read.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/text/file_system.h"

namespace assay {
namespace {

constexpr int kRules = 10'000;

void load(benchmark::State& state, const FileSystem& files, const KnowledgeFolder& folder) {
  std::size_t rules = 0;
  std::size_t records = 0;
  for (auto _ : state) {
    SourceSet sources;
    Diagnostics warnings;
    const auto knowledge = load_knowledge(sources, files, folder, warnings);
    if (!knowledge) return state.SkipWithError(knowledge.error()[0].message.c_str());
    rules = 0;
    for (const RulePack* pack : knowledge->rule_packs()) rules += pack->rules.size();
    records = knowledge->dataset.records.size();
  }
  state.counters["rules"] = static_cast<double>(rules);
  state.counters["records"] = static_cast<double>(records);
}

void load_shipped(benchmark::State& state) {
  load(state, DiskFileSystem(), KnowledgeFolder::below(ASSAY_SOURCE_DIR));
}
BENCHMARK(load_shipped)->Unit(benchmark::kMillisecond);

// The first rules of the shipped pack with their records, and those that these lead to, in a folder
// of their own, gone with the program. The pack's declarations are all there.
class SmallKnowledge {
 public:
  explicit SmallKnowledge(std::size_t rules)
      : root_("/tmp/assay-load-bench-small-" + std::to_string(::getpid())) {
    SourceSet sources;
    Diagnostics warnings;
    const std::string shipped = ASSAY_SOURCE_DIR;
    const auto knowledge =
        load_knowledge(sources, DiskFileSystem(), KnowledgeFolder::below(shipped), warnings);
    if (!knowledge) return;
    for (const char* name : {"pack.yaml", "arguments.yaml", "facts.yaml"})
      copy(shipped, "/rules/sglang/" + std::string(name));
    const RulePack* pack = knowledge->rule_packs().at(0);
    std::vector<std::string> ids;
    for (std::size_t at = 0; at < std::min(rules, pack->rules.size()); ++at) {
      copy(shipped, pack->rules[at].path.substr(shipped.size()));
      if (!pack->rules[at].error.empty()) ids.push_back(pack->rules[at].error);
    }
    std::set<std::string> seen;
    while (!ids.empty()) {
      const std::string id = std::move(ids.back());
      ids.pop_back();
      if (!seen.insert(id).second) continue;
      const ErrorRecord& record = knowledge->dataset.records[knowledge->dataset.by_id.at(id)];
      copy(shipped, record.path.substr(shipped.size()));
      if (record.replaced_by) ids.push_back(*record.replaced_by);
      for (const RecordLink& link : record.see_also) ids.push_back(link.id);
    }
  }
  ~SmallKnowledge() { std::filesystem::remove_all(root_); }
  const std::string& root() const { return root_; }

 private:
  void copy(const std::string& from, const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::filesystem::copy_file(from + path, root_ + path);
  }

  std::string root_;
};

void load_40_rules(benchmark::State& state) {
  static const SmallKnowledge small(40);
  load(state, DiskFileSystem(), KnowledgeFolder::below(small.root()));
}
BENCHMARK(load_40_rules)->Unit(benchmark::kMillisecond);

std::string record_id(int number) {
  char id[17];
  std::snprintf(id, sizeof id, "%016x", static_cast<unsigned>(number) + 1);
  return id;
}

std::string rule_text(int number) {
  const std::string n = std::to_string(number);
  return "id: synthetic/area/rule-" + n + "\nseverity: error\nsummary: Argument " + n +
         " is given with a backend that cannot serve it.\n"
         "step: check\nwhen: backend == \"backend" +
         n + "\" && size > " + n +
         "\n"
         "require: 'cache in [\"fp8\", \"bf16\"]'\n"
         "message: \"backend" +
         n +
         " needs a cache of fp8 or bf16, got {cache}.\"\n"
         "error: " +
         record_id(number) +
         "\nfix:\n  - set: {cache: fp8}\n    why: Keeps the backend.\n"
         "source: {file: engine/arguments.py, sha: 0123abcd, line: " +
         std::to_string(number + 1) +
         ", raises: ValueError}\n"
         "examples:\n  - violates: {backend: backend" +
         n + ", size: " + std::to_string(number + 1) +
         ", cache: fp4}\n  - passes: {backend: backend" + n + ", cache: fp8}\n";
}

std::string record_text(int number) {
  const std::string n = std::to_string(number);
  return R"({"id":")" + record_id(number) + R"(","repo":"toy/engine","slug":"backend-)" + n +
         R"(","errorCode":null,"errorMessage":"backend)" + n +
         R"( needs a cache of fp8 or bf16, got {}.","messagePattern":"backend)" + n +
         R"( needs a cache of fp8 or bf16, got (.+?)\\.","errorType":"validation","errorClass":"ValueError",)"
         R"("httpStatus":null,"severity":"error","filePath":"engine/arguments.py","lineNumber":1,)"
         R"("sourceCode":null,"sourceCodeStart":1,"sourceCodeEnd":2,"githubUrl":null,)"
         R"("documentation":"The kernels of this backend read two cache layouts and no other.",)"
         R"("triggerScenarios":"The backend together with a cache of another type.",)"
         R"("commonSituations":"A cache type taken over from another launch.",)"
         R"("solutions":["Set the cache to fp8","Choose another backend"],"exampleFix":null,)"
         R"("handlingStrategy":"validation","validationCode":null,"typeGuard":null,"tryCatchPattern":null,)"
         R"("preventionTips":["Keep both in one place"],"tags":["cache","backend"],)"
         R"("backgroundTag":"unsupported-argument-combination","analyzedSha":"0123abcd",)"
         R"("analyzedAt":"2026-01-01T00:00:00.000Z","schemaVersion":2})";
}

MemoryFileSystem synthetic_files() {
  MemoryFileSystem files;
  files.write("rules/synthetic/pack.yaml",
              "pack: synthetic\ntitle: Synthetic\nrepository: toy/engine\nversions: [\"1.0\"]\n"
              "launchers:\n  - [toy, serve]\nstages:\n  - stage: resolution\n    title: Resolving\n"
              "    steps: [check]\n");
  files.write("rules/synthetic/arguments.yaml",
              "arguments:\n"
              "  backend: {type: string, default: none, flags: [--backend]}\n"
              "  cache: {type: string, default: bf16, flags: [--cache]}\n"
              "  size: {type: int, default: 1, flags: [--size]}\n");
  files.write("rules/synthetic/facts.yaml", "facts: {}\n");
  for (int i = 0; i < kRules; ++i) {
    files.write("rules/synthetic/area/rule-" + std::to_string(i) + ".yaml", rule_text(i));
    files.write("dataset/toy/backend-" + std::to_string(i) + ".json", record_text(i));
  }
  return files;
}

void load_synthetic(benchmark::State& state) {
  load(state, synthetic_files(), KnowledgeFolder::below(""));
}
BENCHMARK(load_synthetic)->Unit(benchmark::kMillisecond);

// A bundle in a file of its own, gone with the program.
class BundleOnDisk {
 public:
  BundleOnDisk(const FileSystem& files, const std::string& root)
      : path_("/tmp/assay-load-bench-" + std::to_string(::getpid()) + "-" +
              std::to_string(root.size())) {
    SourceSet sources;
    Diagnostics warnings;
    const auto knowledge = load_knowledge(sources, files, KnowledgeFolder::below(root), warnings);
    if (!knowledge) return;
    const std::string prefix = root.empty() ? "" : root + "/";
    BundleInput input;
    input.knowledge = &*knowledge;
    input.sources = &sources;
    input.root = prefix;
    const Result<std::string> bytes = write_bundle(input);
    if (!bytes) return;
    size_ = bytes->size();
    if (std::FILE* file = std::fopen(path_.c_str(), "wb")) {
      std::fwrite(bytes->data(), 1, bytes->size(), file);
      std::fclose(file);
    }
  }
  ~BundleOnDisk() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }

 private:
  std::string path_;
  std::size_t size_ = 0;
};

const BundleOnDisk& shipped_bundle() {
  static const BundleOnDisk bundle(DiskFileSystem(), ASSAY_SOURCE_DIR);
  return bundle;
}
const BundleOnDisk& synthetic_bundle() {
  static const BundleOnDisk bundle(synthetic_files(), "");
  return bundle;
}

template <class Use>
void open(benchmark::State& state, const BundleOnDisk& bundle, Use use) {
  std::size_t rules = 0;
  std::size_t records = 0;
  for (auto _ : state) {
    SourceSet sources;
    const auto knowledge = open_bundle(sources, bundle.path());
    if (!knowledge) return state.SkipWithError(knowledge.error()[0].message.c_str());
    use(*knowledge, sources);
    rules = knowledge->packs[0]->rules().size();
    records = knowledge->dataset.records.size();
  }
  state.counters["rules"] = static_cast<double>(rules);
  state.counters["records"] = static_cast<double>(records);
  state.counters["bytes"] = static_cast<double>(bundle.size());
}

void check_one(const Knowledge& knowledge, const SourceSet& /*sources*/) {
  Launch launch;
  launch.pack = knowledge.packs[0]->source().name;
  benchmark::DoNotOptimize(check_launch(*knowledge.packs[0], launch, {}));
}
void only_open(const Knowledge& /*knowledge*/, const SourceSet& /*sources*/) {}

void open_shipped(benchmark::State& state) { open(state, shipped_bundle(), only_open); }
BENCHMARK(open_shipped)->Unit(benchmark::kMillisecond);
void open_synthetic(benchmark::State& state) { open(state, synthetic_bundle(), only_open); }
BENCHMARK(open_synthetic)->Unit(benchmark::kMillisecond);
void open_shipped_and_first_check(benchmark::State& state) {
  open(state, shipped_bundle(), check_one);
}
BENCHMARK(open_shipped_and_first_check)->Unit(benchmark::kMillisecond);
void open_synthetic_and_first_check(benchmark::State& state) {
  open(state, synthetic_bundle(), check_one);
}
BENCHMARK(open_synthetic_and_first_check)->Unit(benchmark::kMillisecond);
void open_shipped_and_read_all(benchmark::State& state) { open(state, shipped_bundle(), read_all); }
BENCHMARK(open_shipped_and_read_all)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
