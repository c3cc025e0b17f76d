// Which files the site has; each piece of them is written when it is asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/evaluate/support_matrix.h"
#include "engine/model/dataset.h"
#include "engine/model/retirement.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/report/knowledge_changes.h"
#include "engine/report/site_document.h"
#include "engine/text/file_system.h"

namespace assay {

// What the site is made of. All of it must outlive the plan.
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

struct SiteCounts {
  std::size_t records = 0;
  std::size_t rules = 0;
  std::size_t contracts = 0;
  std::size_t pages = 0;
};

// Immutable once made: several threads may write pieces of it at a time.
class SitePlan {
 public:
  using Sink = std::function<void(const std::string& file, std::string_view content)>;

  explicit SitePlan(const SiteInput& input);
  SitePlan(const SitePlan&) = delete;
  SitePlan& operator=(const SitePlan&) = delete;
  ~SitePlan();

  std::size_t size() const;  // pieces
  const SiteCounts& counts() const;
  // The piece that has the file "errors/sglang/x.html"; nothing where there is no such file.
  std::optional<std::size_t> find(std::string_view file) const;
  // The same input gives the same bytes.
  void write(std::size_t piece, const Sink& sink) const;

 private:
  class Planner;
  std::unique_ptr<const Planner> planner_;
};

}  // namespace assay
