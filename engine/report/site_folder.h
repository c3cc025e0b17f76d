// A generated folder that replaces its former self in one step, and of which only the files that
// differ are written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/result.h"

namespace assay {

// What became of the folder, or in `check` mode what would have.
struct SiteFolderChanges {
  std::size_t files = 0;  // it has now
  std::size_t written = 0;
  std::size_t removed = 0;
  std::vector<std::string> examples;  // of files that differ, are missing or too many; sorted, few

  bool is_current() const { return written == 0 && removed == 0; }
};

// Files that differ are written to a new folder beside the old one; `finish` links the others into
// it and exchanges the two. Whoever dies before that leaves the old folder as it was, and where
// nothing differs it is not touched. What a generated folder holds is listed in its file
// ".assay-site"; a folder without that list, or with files that are not in it, is somebody's work
// and is refused. `add` may be called from several threads; two writers of one folder may not be at
// work at a time.
class SiteFolder {
 public:
  enum class Mode : std::uint8_t { write, check };  // check: nothing is written

  // Error: unwritable_output.
  static Result<SiteFolder> create(const std::string& path, Mode mode = Mode::write);
  SiteFolder(SiteFolder&&) noexcept;
  SiteFolder& operator=(SiteFolder&&) noexcept = delete;
  SiteFolder(const SiteFolder&) = delete;
  ~SiteFolder();  // removes what was not finished

  // `path` is relative, made of safe names. Error: unwritable_output. Returns the bytes.
  Result<std::size_t> add(const std::string& path, std::string_view content);
  Result<SiteFolderChanges> finish();

 private:
  struct State;
  explicit SiteFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay
