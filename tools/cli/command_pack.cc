// `assay pack`: all knowledge in one file that opens in less than a millisecond.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/knowledge_tables.h"
#include "tools/cli/bundle_currency.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// The folders below `top` and itself, sorted. Hidden ones hold no knowledge.
void add_folders(const std::string& top, std::vector<std::string>& folders) {
  std::error_code fault;
  if (!fs::is_directory(top, fault)) return;
  folders.push_back(top);
  for (fs::recursive_directory_iterator at(top, fault), end; !fault && at != end;
       at.increment(fault)) {
    if (at->path().filename().string().starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_directory(fault) && !at->is_symlink(fault)) folders.push_back(at->path().string());
  }
  std::sort(folders.begin(), folders.end());
}

// Writes beside `path` and renames, so that nobody ever opens half a bundle. A link stays, what it
// names is replaced; a pipe or a device is nobody's old bundle.
Result<bool> write_whole(const std::string& out, const std::string& bytes, const FileTime& time) {
  std::error_code fault;
  fs::path target = out;
  for (int links = 0; links < 40 && fs::is_symlink(target, fault); ++links)
    target = target.parent_path() / fs::read_symlink(target, fault);
  const std::string path = target.string();
  if (fs::exists(target, fault) && !fs::is_regular_file(target, fault))
    return make_error(code::unwritable_output, {},
                      "cannot write `" + out + "`: it is no regular file");
  const std::string beside = fmt::format("{}.{}", path, ::getpid());
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  bool is_written = file != nullptr;
  if (is_written) {
    is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    is_written = std::fclose(file) == 0 && is_written;
    is_written =
        is_written && set_file_time(beside, time) && std::rename(beside.c_str(), path.c_str()) == 0;
  }
  if (is_written) return true;
  const std::string why = std::generic_category().message(errno);
  if (file != nullptr) std::remove(beside.c_str());
  return make_error(code::unwritable_output, {}, "cannot write `" + path + "`: " + why);
}

class PackCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {
        {.name = "out",
         .target = &out_,
         .placeholder = "FILE",
         .help = "The bundle to write (default: knowledge.assay)",
         .is_path = true,
         .is_setting = false},
        {.name = "check",
         .target = &check_,
         .placeholder = "FILE",
         .help = "Read all of a bundle and say whether it is whole, and made from this knowledge",
         .is_path = true,
         .is_setting = false},
    };
    syntax.description =
        "Compiles rules, contracts and records into one file, the bundle, that any verb takes as "
        "--knowledge and opens in less than a millisecond. The same knowledge gives the same "
        "bytes. With --check nothing is written: exit status 2 says that the bundle is damaged, 1 "
        "that it was made from other files than those of the knowledge folder.";
    syntax.examples = {"assay pack --out knowledge.assay", "assay pack --check knowledge.assay",
                       "assay check --knowledge knowledge.assay launch.sh"};
    return syntax;
  }

  int run(Session& session) override {
    const FileTime begin = file_clock_now();
    const Result<KnowledgePlace> place = find_knowledge(session.common.knowledge);
    if (!place) return no_answer(place.error(), session);
    if (place->folder.rules.empty())
      return usage_fault(session, "a bundle is made from a folder, not from another bundle",
                         "name a folder with rules/ and dataset/ with --knowledge");
    std::optional<Knowledge> given;
    if (check_) {
      Result<Knowledge> opened = open_bundle(session.sources, *check_);
      if (!opened) return no_answer(opened.error(), session);
      given.emplace(std::move(*opened));
      read_all(*given, session.sources);
      if (!is_whole(*given, session)) return kNoAnswer;
    }
    SourceSet sources;
    Result<std::string> bundle = pack(*place, sources, session);
    if (!bundle) {
      session.console.show(bundle.error(), sources);
      return kNoAnswer;
    }
    return check_ ? compare(*given, *bundle, session) : write(*bundle, begin, session);
  }

 private:
  static int no_answer(const Diagnostics& faults, Session& session) {
    session.console.show(faults, session.sources);
    return kNoAnswer;
  }

  static Result<std::string> pack(const KnowledgePlace& place, SourceSet& sources,
                                  const Session& session) {
    Diagnostics warnings;
    ASSAY_TRY(const Knowledge knowledge,
              assay::load_knowledge(sources, session.files, place.folder, warnings));
    BundleInput input;
    input.knowledge = &knowledge;
    input.root = place.root;
    ASSAY_TRY(input.tables, add_tables(sources, session.files, place.folder));
    std::vector<MatrixDeclaration> matrices;
    if (input.tables.matrices) {
      ASSAY_TRY(matrices, read_matrix_table(sources, *input.tables.matrices));
    }
    ASSAY_TRY(const std::vector<SupportTable> support,
              compute_support(knowledge, input.tables, matrices, sources));
    input.support = support;
    input.sources = &sources;
    add_folders(place.folder.rules, input.folders);
    add_folders(place.folder.dataset, input.folders);
    return write_bundle(input);
  }

  int write(const std::string& bundle, const FileTime& begin, Session& session) const {
    const std::string path = out_.value_or("knowledge.assay");
    const auto read_back = [&]() -> Result<Knowledge> {
      ASSAY_TRY(auto file, BundleFile::open(FileBytes(bundle), path));
      SourceSet sources;
      ASSAY_TRY(Knowledge knowledge, open_bundle(sources, std::move(file), {}));
      read_all(knowledge, sources);
      Diagnostics damage = knowledge.damage();
      if (!damage.empty()) return damage;
      return knowledge;
    }();
    if (!read_back) return no_answer(read_back.error(), session);
    const Result<bool> written = write_whole(path, bundle, begin);
    if (!written) return no_answer(written.error(), session);
    session.console.write(fmt::format("wrote {}: {}\n", path, summary(*read_back, bundle.size())));
    return kClean;
  }

  int compare(const Knowledge& given, const std::string& bundle, Session& session) const {
    const auto now = BundleFile::open(FileBytes(bundle), "the new one");
    const bool is_same = now && (*now)->sources_checksum() == given.bundle->sources_checksum();
    session.console.write(fmt::format("{}: {}{}\n", *check_,
                                      summary(given, given.bundle->size_bytes()),
                                      is_same ? "" : "; made from other files"));
    return is_same ? kClean : kFindings;
  }

  static std::string summary(const Knowledge& knowledge, std::size_t bytes) {
    std::size_t rules = 0;
    for (const CompiledPackPtr& pack : knowledge.packs) rules += pack->rules().size();
    return fmt::format("{}, {}, {}, {} bytes, from sources {:016x}", counted(rules, "rule"),
                       counted(knowledge.contracts.size(), "contract"),
                       counted(knowledge.dataset.records.size(), "record"), bytes,
                       knowledge.bundle->sources_checksum());
  }

  std::optional<std::string> out_;
  std::optional<std::string> check_;
};

}  // namespace

std::unique_ptr<Command> make_pack_command() { return std::make_unique<PackCommand>(); }

}  // namespace assay::cli
