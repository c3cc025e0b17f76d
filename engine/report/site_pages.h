// The kinds of pages of the site. Each builder takes what it shows and gives a page; which pages
// there are is decided in site_writer.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/model/dataset.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/report/related_errors.h"
#include "engine/report/site_document.h"
#include "engine/text/source.h"

namespace assay {

// Paths, without extension.
std::string record_path(const ErrorRecord& record);         // errors/<project>/<slug>
std::string rule_path(const Rule& rule);                    // rules/<pack>/<area>/<slug>
std::string pack_path(const RulePack& pack);                // rules/<pack>/index
std::string contract_path(const TensorContract& contract);  // rules/kernels/<kernel>
std::string record_api_path(const ErrorRecord& record);     // api/errors/<id>.json

struct RecordPageInput {
  const ErrorRecord* record = nullptr;  // source_code filled in where it is known
  const Dataset* dataset = nullptr;
  std::vector<RelatedError> related;
  std::vector<const Rule*> rules;  // that join it
  std::string issues_url;          // where to report a fault of the page; may be empty
};
SitePage record_page(const RecordPageInput& input);

struct RulePageInput {
  const Rule* rule = nullptr;
  const RulePack* pack = nullptr;
  const ErrorRecord* record = nullptr;  // the one it joins, may be null
};
SitePage rule_page(const RulePageInput& input);

// Its clauses link to the records they join.
SitePage contract_page(const TensorContract& contract, const Dataset& dataset);

SitePage pack_page(const RulePack& pack);      // its rules in the engine's order
SitePage errors_page(const Dataset& dataset);  // errors/index: by kind of situation
SitePage front_page(std::span<const RulePack* const> packs,
                    std::span<const TensorContract* const> contracts,
                    const Dataset& dataset);  // index

}  // namespace assay
