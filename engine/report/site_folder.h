// A generated folder that replaces its former self in one step.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/text/result.h"

namespace assay {

// Files are written to a new folder beside the old one; `publish` exchanges the two. Whoever dies
// before that leaves the old folder as it was. What a generated folder holds is listed in its file
// ".assay-site"; a folder without that list, or with files that are not in it, is somebody's work
// and is refused. Not for two writers of one folder at a time.
class SiteFolder {
 public:
  // Error: unwritable_output.
  static Result<SiteFolder> create(const std::string& path);
  SiteFolder(SiteFolder&& other) noexcept;
  SiteFolder& operator=(SiteFolder&&) noexcept = delete;
  SiteFolder(const SiteFolder&) = delete;
  ~SiteFolder();  // removes what was not published

  // `path` is relative, made of safe names. Error: unwritable_output.
  Result<std::size_t> add(const std::string& path, std::string_view content);
  // Returns the number of files.
  Result<std::size_t> publish();

 private:
  SiteFolder(std::string target, std::string draft)
      : target_(std::move(target)), draft_(std::move(draft)) {}

  std::string target_;
  std::string draft_;  // empty once published or moved from
  std::set<std::string> files_;
};

}  // namespace assay
