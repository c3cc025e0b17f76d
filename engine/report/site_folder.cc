// renameat2 with RENAME_EXCHANGE swaps two folders atomically; where the file system does not know
// it, two renames do nearly the same, and the old folder is put back when the second one fails.
#include "engine/report/site_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = ".assay-site";
constexpr std::string_view kMarkerHead =
    "files written by assay docs; this folder is replaced as a whole";

Diagnostic fault(std::string message, std::string help = {}) {
  return make_error(code::unwritable_output, {}, std::move(message), std::move(help));
}

Diagnostic disk_fault(std::string_view what, const std::string& path, int error) {
  return fault(fmt::format("cannot {} `{}`: {}", what, path, std::strerror(error)));
}

// The files that the folder's marker lists; nothing when it has no marker.
bool read_marker(const fs::path& folder, std::set<std::string>& files) {
  std::ifstream in(folder / kMarker);
  std::string line;
  if (!in || !std::getline(in, line) || line != kMarkerHead) return false;
  while (std::getline(in, line)) files.insert(line);
  return true;
}

// Nothing, or why the folder is not ours to replace.
std::string why_not_ours(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return "it is no folder";
  std::set<std::string> files;
  if (!read_marker(folder, files))
    return fs::is_empty(folder, error) && !error ? std::string()
                                                 : "it holds files that assay docs did not write";
  fs::recursive_directory_iterator walk(folder, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code type_error;
    if (walk->is_directory(type_error) && !walk->is_symlink(type_error)) continue;
    const std::string name = walk->path().lexically_relative(folder).generic_string();
    if (name != kMarker && !files.contains(name))
      return fmt::format("it holds `{}`, which assay docs did not write", name);
  }
  return error ? "it cannot be read: " + error.message() : std::string();
}

Diagnostic refusal(const std::string& path, const std::string& why) {
  return fault(fmt::format("`{}` is not replaced: {}", path, why),
               "name a folder that does not exist yet, or remove it first");
}

// Moves `draft` to `target`; what was at `target` is at `draft` afterwards, if there was anything.
int swap_folders(const std::string& draft, const std::string& target) {
  if (::access(target.c_str(), F_OK) != 0)
    return ::rename(draft.c_str(), target.c_str()) == 0 ? 0 : errno;
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  const std::string aside = draft + ".old";
  if (::rename(target.c_str(), aside.c_str()) != 0) return errno;
  if (::rename(draft.c_str(), target.c_str()) != 0) {
    const int error = errno;
    // Nothing more can be done when this fails too: the old site is whole, under its other name.
    if (::rename(aside.c_str(), target.c_str()) != 0) return errno;
    return error;
  }
  return ::rename(aside.c_str(), draft.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<SiteFolder> SiteFolder::create(const std::string& path) {
  std::error_code error;
  // A link is followed, so that what it points to is replaced and not the link.
  fs::path target = fs::weakly_canonical(path.empty() ? "." : path, error);
  if (error) return fault(fmt::format("cannot use `{}`: {}", path, error.message()));
  if (!target.has_filename()) target = target.parent_path();
  if (target == target.root_path()) return refusal(path, "it is the root of the file system");
  const std::string why = why_not_ours(target);
  if (!why.empty()) return refusal(path, why);
  const fs::path draft =
      target.parent_path() / fmt::format(".{}.assay-draft", target.filename().string());
  // Left by a run that was killed.
  if (fs::exists(draft, error)) fs::remove_all(draft, error);
  if (!fs::create_directories(draft, error) || error)
    return fault(fmt::format("cannot create `{}`: {}", draft.string(),
                             error ? error.message() : "it is there already"));
  return SiteFolder(target.string(), draft.string());
}

SiteFolder::SiteFolder(SiteFolder&& other) noexcept
    : target_(std::move(other.target_)),
      draft_(std::exchange(other.draft_, {})),
      files_(std::move(other.files_)) {}

SiteFolder::~SiteFolder() {
  std::error_code ignored;
  if (!draft_.empty()) fs::remove_all(draft_, ignored);
}

Result<std::size_t> SiteFolder::add(const std::string& path, std::string_view content) {
  const fs::path full = fs::path(draft_) / path;
  std::error_code error;
  fs::create_directories(full.parent_path(), error);
  if (error)
    return fault(
        fmt::format("cannot create `{}`: {}", full.parent_path().string(), error.message()));
  if (!files_.insert(path).second)
    return fault(fmt::format("two pages would be written to `{}`", path));
  FILE* file = ::fopen(full.c_str(), "wbe");
  if (!file) return disk_fault("create", full.string(), errno);
  const bool is_written = ::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int write_error = errno;
  if (::fclose(file) != 0 || !is_written)
    return disk_fault("write", full.string(), is_written ? errno : write_error);
  return content.size();
}

Result<std::size_t> SiteFolder::publish() {
  std::string marker = fmt::format("{}\n", kMarkerHead);
  for (const std::string& file : files_) marker += file + "\n";
  const std::size_t count = files_.size();
  ASSAY_TRY([[maybe_unused]] const std::size_t bytes, add(std::string(kMarker), marker));
  // Again: something may have been put there while the pages were written.
  const std::string why = why_not_ours(target_);
  if (!why.empty()) return refusal(target_, why);
  if (const int error = swap_folders(draft_, target_); error != 0)
    return disk_fault("replace", target_, error);
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
  draft_.clear();
  return count;
}

}  // namespace assay
