// A bundle is written twice, the first time only to count which texts occur more than once. Kernel
// contracts are kept as their sources and compiled when one asks for them: that takes a millisecond
// and is asked for one kernel at a time, and so a bundle holds no contract that its reader would
// have refused.
#include "engine/evaluate/knowledge_bundle.h"

#include <algorithm>
#include <utility>

#include "engine/base/checksum.h"
#include "engine/base/little_endian.h"
#include "engine/compile/bundle_fields.h"
#include "engine/compile/pack_bundle.h"
#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/wake_set.h"
#include "engine/read/contract_reader.h"

namespace assay {

template <class Archive>
void fields(Archive& a, KnowledgeTables& tables) {
  a(tables.gpus, tables.models, tables.matrices, tables.retirement);
}

namespace {

struct KernelSource {
  std::string kernel;
  std::uint32_t source = 0;
};
template <class Archive>
void fields(Archive& a, KernelSource& kernel) {
  a(kernel.kernel, kernel.source);
}

// The section of what there is.
struct Contents {
  std::uint32_t pack_count = 0;
  std::string dataset_version;
  NameIndex<std::size_t> record_of_id;
  std::vector<KernelSource> kernels;
  KnowledgeTables tables;
};
template <class Archive>
void fields(Archive& a, Contents& contents) {
  a(contents.pack_count, contents.dataset_version, contents.record_of_id, contents.kernels,
    contents.tables);
}

std::uint64_t checksum_of(const SourceSet& sources, std::string_view root) {
  std::string sums;
  for (SourceId id = 0; id < sources.size(); ++id) {
    const Source& source = sources.get(id);
    const std::string_view name = source.name();
    append_little_endian(sums, checksum(name.substr(name.starts_with(root) ? root.size() : 0)));
    append_little_endian(sums, checksum(source.text()));
  }
  return checksum(sums);
}

Contents contents_of(const BundleInput& input) {
  const Knowledge& knowledge = *input.knowledge;
  Contents contents;
  contents.pack_count = static_cast<std::uint32_t>(knowledge.packs.size());
  contents.dataset_version = knowledge.dataset.version;
  contents.record_of_id = knowledge.dataset.by_id;
  for (const CompiledContract& contract : knowledge.contracts)
    contents.kernels.push_back({contract.source.kernel, contract.source.span.source});
  contents.tables = input.tables;
  return contents;
}

std::string written_places(const BundleInput& input, const BundleWriting& writing) {
  BundleWriter writer(writing);
  writer.number(input.folders.size() + input.sources->size());
  for (const std::string& folder : input.folders) writer.path(folder);
  for (SourceId id = 0; id < input.sources->size(); ++id)
    writer.path(input.sources->get(id).name());
  return writer.take();
}

std::string write_once(const BundleInput& input, std::string_view matcher, SharedTexts& texts) {
  const Knowledge& knowledge = *input.knowledge;
  const BundleWriting writing{texts, input.root, 0};
  BundleBuilder builder;
  builder.add(SectionKind::knowledge, 0, written(contents_of(input), writing));
  for (std::uint32_t number = 0; number < knowledge.packs.size(); ++number) {
    const CompiledPack& pack = *knowledge.packs[number];
    FactTable table(pack);
    PackBundle::write(pack, number, writing, WakeSet(table).stored(writing), builder);
  }
  std::vector<std::string> records;
  for (const ErrorRecord& record : knowledge.dataset.records)
    records.push_back(written(record, writing));
  builder.add_items(SectionKind::records, 0, records);
  std::vector<std::string> files;
  for (SourceId id = 0; id < input.sources->size(); ++id) {
    BundleWriter writer(writing);
    writer.path(input.sources->get(id).name());
    writer.text_in_place(input.sources->get(id).text());
    files.push_back(writer.take());
  }
  builder.add_items(SectionKind::sources, 0, files);
  builder.add(SectionKind::places, 0, written_places(input, writing));
  builder.add(SectionKind::matcher, 0, std::string(matcher));
  if (!input.support.empty())
    builder.add(SectionKind::support, 0, stored_support(input.support, writing));
  builder.add(SectionKind::strings, 0, texts.section());
  return builder.finish(checksum_of(*input.sources, input.root));
}

class BundledSources final : public ItemReader<Source> {
 public:
  explicit BundledSources(const BundleReading& reading)
      : reading_(reading),
        directory_(reading.file->section(SectionKind::sources)),
        bytes_(reading.file->section(SectionKind::sources_bytes)) {}

  std::size_t size() const override { return BundleFile::item_count(directory_); }
  std::unique_ptr<const Source> read(std::size_t at) const override {
    BundleReader reader(reading_.file->item(directory_, bytes_, at), reading_);
    std::string name;
    reader.path(name);
    const std::string_view text = reader.text();
    if (!reader.finish()) reading_.file->note_damage("a source is not what it should be");
    return std::make_unique<Source>(Source::borrowed(std::move(name), text));
  }

 private:
  const BundleReading& reading_;
  std::string_view directory_;
  std::string_view bytes_;
};

// Compiles a contract from its source. The set of sources is its own, since that of the reader may
// move; its ids are the same.
class BundledContracts final : public ItemReader<CompiledContract> {
 public:
  BundledContracts(const BundleReading& reading, std::vector<KernelSource> kernels)
      : file_(*reading.file), kernels_(std::move(kernels)), first_source_(reading.first_source) {
    while (sources_.size() < first_source_) sources_.add("", "");
    sources_.add(std::make_unique<BundledSources>(reading));
  }

  std::size_t size() const override { return kernels_.size(); }
  std::unique_ptr<const CompiledContract> read(std::size_t at) const override {
    Result<TensorContract> contract = read_contract(sources_, first_source_ + kernels_[at].source);
    if (contract && contract->kernel == kernels_[at].kernel) {
      Result<CompiledContract> compiled = compile_contract(std::move(*contract));
      if (compiled) return std::make_unique<CompiledContract>(std::move(*compiled));
    }
    file_.note_damage("a contract is none");
    return std::make_unique<CompiledContract>();
  }

 private:
  const BundleFile& file_;
  std::vector<KernelSource> kernels_;
  SourceId first_source_;
  SourceSet sources_;
};

bool fits(const Contents& contents, const BundleReading& reading) {
  const std::size_t records = BundleFile::item_count(reading.file->section(SectionKind::records));
  const auto is_source = [&](std::uint32_t source) { return source < reading.source_count; };
  for (const auto& [id, record] : contents.record_of_id.sorted())
    if (record >= records) return false;
  return std::ranges::all_of(contents.kernels,
                             [&](const auto& kernel) { return is_source(kernel.source); }) &&
         std::ranges::all_of(table_places({}), [&](const TablePlace& place) {
           const auto& table = contents.tables.*place.table;
           return !table || is_source(*table);
         });
}

}  // namespace

Result<std::string> write_bundle(const BundleInput& input) {
  ASSAY_TRY(const MessageMatcher matcher, MessageMatcher::compile(input.knowledge->dataset));
  SharedTexts texts;
  write_once(input, matcher.tables(), texts);
  texts.end_counting();
  return write_once(input, matcher.tables(), texts);
}

Result<Knowledge> open_bundle(SourceSet& sources, const std::string& path) {
  ASSAY_TRY(FileBytes bytes, FileBytes::map(path, kMaxBundleBytes));
  ASSAY_TRY(auto file, BundleFile::open(std::move(bytes), path));
  return open_bundle(sources, std::move(file), {});
}

std::vector<std::string> bundled_places(const BundleFile& file) {
  BundleReading reading;
  reading.file = &file;
  std::vector<std::string> places;
  if (!reading.set_texts(file.section(SectionKind::strings))) return places;
  BundleReader reader(file.section(SectionKind::places), reading);
  reader(places);
  if (!reader.finish()) places.clear();
  return places;
}

Result<Knowledge> open_bundle(SourceSet& sources, std::unique_ptr<const BundleFile> bundle,
                              std::string root) {
  Knowledge knowledge;
  knowledge.bundle = std::move(bundle);
  const BundleFile& file = *knowledge.bundle;
  auto reading = std::make_unique<BundleReading>();
  reading->file = &file;
  reading->root = std::move(root);
  reading->first_source = static_cast<SourceId>(sources.size());
  reading->source_count =
      static_cast<std::uint32_t>(BundleFile::item_count(file.section(SectionKind::sources)));
  const auto damaged = [&](std::string_view what) {
    file.note_damage(what);
    return file.damage();
  };
  if (!reading->set_texts(file.section(SectionKind::strings)))
    return damaged("its texts are not there");
  BundleReader reader(file.section(SectionKind::knowledge), *reading);
  Contents contents;
  reader(contents);
  if (!reader.finish() || !fits(contents, *reading))
    return damaged("its table of contents is wrong");
  for (std::uint32_t number = 0; number < contents.pack_count; ++number) {
    knowledge.packs.push_back(PackBundle::open(*reading, number));
    if (knowledge.packs.back() == nullptr) return damaged("a pack in it is none");
  }
  knowledge.dataset.version = std::move(contents.dataset_version);
  knowledge.dataset.by_id = std::move(contents.record_of_id);
  knowledge.dataset.records = LazyList<ErrorRecord>(
      std::make_unique<BundleItems<ErrorRecord>>(*reading, SectionKind::records, 0));
  for (std::size_t at = 0; at < contents.kernels.size(); ++at)
    knowledge.contract_of_kernel.emplace(contents.kernels[at].kernel, at);
  for (const TablePlace& place : table_places({}))
    if (const auto& table = contents.tables.*place.table)
      knowledge.tables.*place.table = reading->first_source + *table;
  knowledge.contracts = LazyList<CompiledContract>(
      std::make_unique<BundledContracts>(*reading, std::move(contents.kernels)));
  sources.add(std::make_unique<BundledSources>(*reading));
  knowledge.reading = std::move(reading);
  return knowledge;
}

namespace {

template <class T>
void read_items(const LazyList<T>& list) {
  for (std::size_t at = 0; at < list.size(); ++at) static_cast<void>(list[at]);
}

// The tables follow from the records.
void check_matcher(const Dataset& dataset, const BundleFile& bundle) {
  const Result<MessageMatcher> made = MessageMatcher::compile(dataset);
  if (!made)
    bundle.note_damage("a message pattern is refused");
  else if (made->tables() != bundle.section(SectionKind::matcher))
    bundle.note_damage("the tables of the log matcher belong to other records");
}

}  // namespace

void read_all(const Knowledge& knowledge, const SourceSet& sources) {
  for (const CompiledPackPtr& pack : knowledge.packs) {
    read_items(pack->rules());
    read_items(pack->schema().facts);
    for (FactId fact = 0; fact < pack->slots().fact_count; ++fact)
      static_cast<void>(pack->derived(fact));
    FactTable table(*pack);
    const WakeSet walk(table);
  }
  read_items(knowledge.dataset.records);
  read_items(knowledge.contracts);
  if (knowledge.bundle != nullptr) {
    check_matcher(knowledge.dataset, *knowledge.bundle);
    static_cast<void>(knowledge.bundle->section(SectionKind::support));
  }
  for (SourceId id = 0; id < sources.size(); ++id) static_cast<void>(sources.get(id));
}

}  // namespace assay
