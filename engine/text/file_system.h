// The seam to files: the program uses the disk, tests use memory.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// Something in a folder that list_files leaves out.
struct PassedOver {
  std::string path;
  std::string_view why;  // "it is a link to a folder"
};

// Threads: what is const may be called from several.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // The whole file. Errors: unreadable_file (missing, a directory, no permission: the message says
  // which), file_too_large. A pipe or device is read up to the limit as well.
  virtual Result<std::string> read_file(const std::string& path, std::size_t max_bytes) const = 0;
  // Every regular file below `folder` whose name ends in `extension` (".yaml"), as `folder` + "/" +
  // relative path, sorted by bytes. Hidden files and folders are left out; links to folders are not
  // followed.
  virtual Result<std::vector<std::string>> list_files(const std::string& folder,
                                                      std::string_view extension) const = 0;
  // What below `folder` is no file to read: links to folders and to nothing, sockets, pipes and
  // devices; sorted. Hidden files and folders are left out here too.
  virtual std::vector<PassedOver> list_passed_over(const std::string& folder) const = 0;
  virtual bool is_folder(const std::string& path) const = 0;
  virtual bool is_file(const std::string& path) const = 0;
};

class DiskFileSystem final : public FileSystem {
 public:
  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) const override;
  Result<std::vector<std::string>> list_files(const std::string& folder,
                                              std::string_view extension) const override;
  std::vector<PassedOver> list_passed_over(const std::string& folder) const override;
  bool is_folder(const std::string& path) const override;
  bool is_file(const std::string& path) const override;
};

class MemoryFileSystem final : public FileSystem {
 public:
  void write(std::string path, std::string content) {
    files_[std::move(path)] = std::move(content);
  }
  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) const override;
  Result<std::vector<std::string>> list_files(const std::string& folder,
                                              std::string_view extension) const override;
  std::vector<PassedOver> list_passed_over(const std::string& folder) const override;
  bool is_folder(const std::string& path) const override;
  bool is_file(const std::string& path) const override;

 private:
  std::map<std::string, std::string> files_;
};

// Reads `path` into `sources` under its own name. "-" is not special here.
Result<SourceId> add_file(SourceSet& sources, const FileSystem& files, const std::string& path,
                          std::size_t max_bytes);
// The same for each of `paths`, in their order, several being read at a time.
std::vector<Result<SourceId>> add_files(SourceSet& sources, const FileSystem& files,
                                        std::span<const std::string> paths, std::size_t max_bytes);

}  // namespace assay
