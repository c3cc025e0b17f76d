// The documentation site: an HTML page and a Markdown twin for everything that is known, indexes,
// and the JSON API as files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "engine/evaluate/support_matrix.h"
#include "engine/model/dataset.h"
#include "engine/model/retirement.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/report/knowledge_changes.h"
#include "engine/report/site_document.h"
#include "engine/report/site_folder.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"

namespace assay {

struct SiteInput {
  std::span<const RulePack* const> packs;
  std::span<const TensorContract* const> contracts;
  const Dataset* dataset = nullptr;
  Retirement retirement;
  std::span<const SupportTable> support;      // of `packs`
  const KnowledgeChanges* changes = nullptr;  // to `dataset`; null: the site has no such page
  // A checkout of the engine: source excerpts are read from it. Empty: records are shown as they
  // are.
  std::string source_root;
  const FileSystem* files = nullptr;  // for source_root
  SiteFrame frame;
  // Told how many of all pages are done, from one thread at a time; may be empty.
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct SiteSummary {
  std::size_t records = 0;
  std::size_t rules = 0;
  std::size_t contracts = 0;
  std::size_t pages = 0;
  SiteFolderChanges folder;
};

// The same input gives the same bytes. `out_folder` is replaced as site_folder.h says, or left as
// it is when anything fails (unwritable_output). In `check` mode nothing is written: the summary
// says whether the folder is current.
Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder,
                               SiteFolder::Mode mode = SiteFolder::Mode::write);

}  // namespace assay
