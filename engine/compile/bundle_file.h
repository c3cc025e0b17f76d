// A bundle as sections of bytes. Opening it checks header and section table and the sections that
// are needed at once; what is read later is checked when it is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/bundle_format.h"
#include "engine/text/file_bytes.h"
#include "engine/text/result.h"

namespace assay {

class BundleFile {
 public:
  // `name`: how faults call it. Errors: foreign_bundle (no bundle, or of another format version),
  // damaged_bundle (cut off, altered).
  static Result<std::unique_ptr<const BundleFile>> open(FileBytes bytes, std::string name);

  const std::string& name() const { return name_; }
  // A checksum over the names and bytes of all sources that the bundle was made from.
  std::uint64_t sources_checksum() const { return sources_checksum_; }
  std::size_t size_bytes() const { return bytes_.bytes().size(); }

  struct Section {
    SectionKind kind{};
    std::uint32_t owner = 0;
    std::string_view bytes;
    std::uint64_t checksum = 0;
  };
  const std::vector<Section>& sections() const { return sections_; }
  // The bytes of a section; empty when there is none. `owner`: the pack's number, or 0. A section
  // that was not checked when the bundle was opened is checked now, and if it is damaged, that is
  // noted and it is empty.
  std::string_view section(SectionKind kind, std::uint32_t owner = 0) const;

  // Item `at` of a directory, checked; empty, and noted, when it is damaged.
  std::string_view item(std::string_view directory, std::string_view bytes, std::size_t at) const;
  static std::size_t item_count(std::string_view directory) {
    return directory.size() / kBundleItemBytes;
  }

  // Checks everything that was left for later.
  void check_all() const;
  // For what is found out when something is read: whoever gives an answer looks whether there is
  // damage before. Thread-safe.
  void note_damage(std::string_view what) const;
  Diagnostics damage() const;

 private:
  BundleFile(FileBytes bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  Diagnostics check();
  Diagnostics read_table(std::uint32_t count);
  Diagnostic damaged(std::string_view what) const;
  const Section* find(SectionKind kind, std::uint32_t owner) const;

  FileBytes bytes_;
  std::string name_;
  std::uint64_t sources_checksum_ = 0;
  std::vector<Section> sections_;
  mutable std::atomic<bool> is_damaged_ = false;
  mutable std::mutex mutex_;
  mutable std::string what_;
};

// Collects sections and writes the file.
class BundleBuilder {
 public:
  void add(SectionKind kind, std::uint32_t owner, std::string bytes);
  // Two sections: the directory as `kind`, the items' bytes as the kind after it.
  void add_items(SectionKind kind, std::uint32_t owner, const std::vector<std::string>& items);
  std::string finish(std::uint64_t sources_checksum) const;

 private:
  struct Section {
    SectionKind kind{};
    std::uint32_t owner = 0;
    std::string bytes;
  };
  std::vector<Section> sections_;
};

}  // namespace assay
