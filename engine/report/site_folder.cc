// A file is compared with the old one byte by byte: reading costs less than the pages do, and a
// list of checksums would call a file current that somebody has changed. Unchanged files are hard
// links to the old ones (copies where the file system has none), so they keep their times, and
// `rsync` and conditional requests see that they did not change.
//
// renameat2 with RENAME_EXCHANGE swaps two folders atomically; where the file system does not know
// it, two renames do nearly the same, and the old folder is put back when the second one fails.
#include "engine/report/site_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = ".assay-site";
constexpr std::string_view kMarkerHead =
    "files written by assay docs; this folder is replaced as a whole";
constexpr std::size_t kShownExamples = 5;

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

// Nothing, or why the folder is not ours to replace. `files`: what its marker lists.
std::string why_not_ours(const fs::path& folder, std::set<std::string>& files) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return "it is no folder";
  if (!read_marker(folder, files))
    return fs::is_empty(folder, error) && !error ? std::string()
                                                 : "it holds files that assay docs did not write";
  const std::size_t prefix = folder.native().size() + 1;
  fs::recursive_directory_iterator walk(folder, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code type_error;
    if (walk->is_directory(type_error) && !walk->is_symlink(type_error)) continue;
    const std::string name = walk->path().native().substr(prefix);
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

bool holds(const std::string& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  bool is_same = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                 static_cast<std::size_t>(status.st_size) == content.size();
  thread_local std::string buffer;
  buffer.resize(std::max<std::size_t>(buffer.size(), 64u << 10));
  while (is_same && !content.empty()) {
    const ssize_t count = ::read(file, buffer.data(), std::min(buffer.size(), content.size()));
    is_same = count > 0 &&
              std::memcmp(buffer.data(), content.data(), static_cast<std::size_t>(count)) == 0;
    if (is_same) content.remove_prefix(static_cast<std::size_t>(count));
  }
  ::close(file);
  return is_same;
}

// 0, or why not.
int write_file(const std::string& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return -errno;
  int error = 0;
  while (error == 0 && !content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count >= 0)
      content.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      error = errno;
  }
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

struct SiteFolder::State {
  Mode mode = Mode::write;
  std::string target;
  std::string draft;                // empty in `check` mode, and once nothing is left of it
  std::set<std::string> old_files;  // constant
  std::mutex mutex;                 // over what follows
  std::set<std::string> files;
  std::vector<std::string> kept;
  std::set<std::string> differing;
  std::set<std::string> folders;  // of the draft that are there

  ~State() {
    std::error_code ignored;
    if (!draft.empty()) fs::remove_all(draft, ignored);
  }

  std::string draft_path(const std::string& path) const { return draft + "/" + path; }

  // Makes the folder of a file of the draft. Holds the mutex.
  std::error_code make_folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    std::error_code error;
    if (slash != std::string::npos && folders.insert(path.substr(0, slash)).second)
      fs::create_directories(draft_path(path.substr(0, slash)), error);
    return error;
  }

  // Gives the draft an unchanged file of the old folder.
  Result<std::size_t> keep(const std::string& path) {
    if (const std::error_code error = make_folder_of(path))
      return fault(fmt::format("cannot create the folder of `{}`: {}", path, error.message()));
    const std::string old = target + "/" + path;
    if (::link(old.c_str(), draft_path(path).c_str()) == 0) return 0;
    std::error_code error;
    fs::copy_file(old, draft_path(path), error);
    if (error) return fault(fmt::format("cannot copy `{}`: {}", old, error.message()));
    return 0;
  }

  SiteFolderChanges changes() const {
    SiteFolderChanges changes;
    changes.files = files.size();
    changes.written = differing.size();
    std::set<std::string> examples = differing;
    for (const std::string& old : old_files)
      if (!files.contains(old)) {
        ++changes.removed;
        examples.insert(old);
      }
    for (const std::string& example : examples)
      if (changes.examples.size() < kShownExamples) changes.examples.push_back(example);
    return changes;
  }
};

SiteFolder::SiteFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
SiteFolder::SiteFolder(SiteFolder&&) noexcept = default;
SiteFolder::~SiteFolder() = default;

Result<SiteFolder> SiteFolder::create(const std::string& path, Mode mode) {
  std::error_code error;
  // A link is followed, so that what it points to is replaced and not the link.
  fs::path target = fs::weakly_canonical(path.empty() ? "." : path, error);
  if (error) return fault(fmt::format("cannot use `{}`: {}", path, error.message()));
  if (!target.has_filename()) target = target.parent_path();
  if (target == target.root_path()) return refusal(path, "it is the root of the file system");
  auto state = std::make_unique<State>();
  const std::string why = why_not_ours(target, state->old_files);
  if (!why.empty()) return refusal(path, why);
  state->mode = mode;
  state->target = target.string();
  if (mode == Mode::check) return SiteFolder(std::move(state));
  const fs::path draft =
      target.parent_path() / fmt::format(".{}.assay-draft", target.filename().string());
  // Left by a run that was killed.
  if (fs::exists(draft, error)) fs::remove_all(draft, error);
  if (!fs::create_directories(draft, error) || error)
    return fault(fmt::format("cannot create `{}`: {}", draft.string(),
                             error ? error.message() : "it is there already"));
  state->draft = draft.string();
  return SiteFolder(std::move(state));
}

Result<std::size_t> SiteFolder::add(const std::string& path, std::string_view content) {
  State& state = *state_;
  const bool is_same = state.old_files.contains(path) && holds(state.target + "/" + path, content);
  {
    const std::lock_guard lock(state.mutex);
    if (!state.files.insert(path).second)
      return fault(fmt::format("two pages would be written to `{}`", path));
    if (is_same) {
      state.kept.push_back(path);
      return content.size();
    }
    state.differing.insert(path);
    if (state.mode == Mode::check) return content.size();
    if (const std::error_code error = state.make_folder_of(path))
      return fault(fmt::format("cannot create the folder of `{}`: {}", path, error.message()));
  }
  const int error = write_file(state.draft_path(path), content);
  if (error != 0)
    return disk_fault(error < 0 ? "create" : "write", state.draft_path(path), std::abs(error));
  return content.size();
}

Result<SiteFolderChanges> SiteFolder::finish() {
  State& state = *state_;
  SiteFolderChanges changes = state.changes();
  const bool is_there = ::access((state.target + "/" + std::string(kMarker)).c_str(), F_OK) == 0;
  if (state.mode == Mode::check || (changes.is_current() && is_there)) return changes;
  std::string marker = fmt::format("{}\n", kMarkerHead);
  for (const std::string& file : state.files) marker += file + "\n";
  for (const std::string& path : state.kept) {
    ASSAY_TRY([[maybe_unused]] const std::size_t linked, state.keep(path));
  }
  if (const int error = write_file(state.draft_path(std::string(kMarker)), marker); error != 0)
    return disk_fault("write", state.draft_path(std::string(kMarker)), std::abs(error));
  // Again: something may have been put there while the pages were written.
  std::set<std::string> old_files;
  const std::string why = why_not_ours(state.target, old_files);
  if (!why.empty()) return refusal(state.target, why);
  if (const int error = swap_folders(state.draft, state.target); error != 0)
    return disk_fault("replace", state.target, error);
  return changes;
}

}  // namespace assay
