// The documentation site: an HTML page and a Markdown twin per record, rule and kernel contract,
// indexes, and the JSON API as files.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/model/dataset.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"

namespace assay {

struct SiteInput {
  std::span<const RulePack* const> packs;
  std::span<const TensorContract* const> contracts;
  const Dataset* dataset = nullptr;
  // A checkout of the engine: source excerpts are read from it. Empty: records are shown as they
  // are.
  std::string source_root;
  const FileSystem* files = nullptr;  // for source_root
  std::string issues_url;             // "https://...": where readers report faults; may be empty
};

struct SiteSummary {
  std::size_t records = 0;
  std::size_t rules = 0;
  std::size_t contracts = 0;
  std::size_t files = 0;
};

// The same input gives the same bytes. `out_folder` is replaced as site_folder.h says, or left as
// it is when anything fails (unwritable_output).
Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder);

// `record` with its source excerpt read from a checkout below `root`, when it names a file and line
// that are there; unchanged otherwise.
ErrorRecord with_source_excerpt(ErrorRecord record, const FileSystem& files,
                                const std::string& root);

}  // namespace assay
