// The program's own path comes from /proc/self/exe, so that it works through links and from any
// folder.
#include "tools/cli/knowledge_location.h"

#include <filesystem>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// As a user would write it from here: relative where it is below the current folder.
std::string seen_from_here(const fs::path& path) {
  std::error_code fault;
  const fs::path here = fs::current_path(fault);
  if (fault) return path.string();
  const fs::path relative = path.lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return path.string();
  return relative == "." ? "" : relative.string();
}

}  // namespace

Result<KnowledgeFolder> find_knowledge(const std::optional<std::string>& named,
                                       const FileSystem& files) {
  KnowledgeFolder folder;
  if (named) {
    folder.root = *named;
  } else {
    std::error_code fault;
    const fs::path program = fs::read_symlink("/proc/self/exe", fault);
    const fs::path beside = program.parent_path().parent_path() / "share" / "assay";
    const fs::path root = fault ? fs::path() : fs::canonical(beside, fault);
    if (fault)
      return make_error(
          code::unreadable_file, {},
          "no knowledge came with this program: there is no folder `" + beside.string() + "`",
          "name a folder with rules/ and dataset/ with --knowledge");
    folder.root = seen_from_here(root);
  }
  if (!files.is_folder(folder.rules()))
    return make_error(code::unreadable_file, {}, "there is no folder `" + folder.rules() + "`",
                      "a knowledge folder holds rules/ and dataset/; --knowledge names one");
  return folder;
}

std::optional<Knowledge> open_knowledge(Session& session) {
  const Result<KnowledgeFolder> folder = find_knowledge(session.common.knowledge, session.files);
  if (!folder) {
    session.console.show(folder.error(), session.sources);
    return std::nullopt;
  }
  Diagnostics warnings;
  Result<Knowledge> knowledge = load_knowledge(session.sources, session.files, *folder, warnings);
  if (!knowledge) {
    session.console.show(knowledge.error(), session.sources);
    return std::nullopt;
  }
  return std::move(*knowledge);
}

}  // namespace assay::cli
