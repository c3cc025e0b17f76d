// Knowledge as one file, the bundle: written once, opened in less than a millisecond.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/support_matrix.h"
#include "engine/text/file_bytes.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct BundleInput {
  const Knowledge* knowledge = nullptr;  // from source files, all parts
  const SourceSet* sources = nullptr;    // what it was read from, and nothing else
  std::string_view root;                 // what all their names begin with; left out
  KnowledgeTables tables;
  std::span<const SupportTable> support = {};  // of the tables' matrices
  // The folders that the sources were looked for in, with `root`: where a change of one may mean
  // that the bundle is out of date.
  std::vector<std::string> folders;
};

// The same bytes for the same input, on every machine. Errors: bad_pattern, at a record's pattern.
Result<std::string> write_bundle(const BundleInput& input);

// `root`: put before the names of the bundle's sources, which are added to `sources`. Nothing is
// read yet but the lists of what there is. Errors: damaged_bundle. What is found to be damaged
// later is in Knowledge::damage.
Result<Knowledge> open_bundle(SourceSet& sources, std::unique_ptr<const BundleFile> file,
                              std::string root);
// The same from a file, without a root. Errors: also those of FileBytes::map and BundleFile::open.
Result<Knowledge> open_bundle(SourceSet& sources, const std::string& path);

// The files and folders that the bundle was made from, without their root.
std::vector<std::string> bundled_places(const BundleFile& file);

// Reads everything there is, so that all damage is known.
void read_all(const Knowledge& knowledge, const SourceSet& sources);

}  // namespace assay
