// The documentation site: an HTML page and a Markdown twin for everything that is known, indexes,
// and the JSON API as files.
#pragma once

#include <string>

#include "engine/report/site_folder.h"
#include "engine/report/site_plan.h"
#include "engine/text/result.h"

namespace assay {

struct SiteSummary : SiteCounts {
  SiteFolderChanges folder;
};

// What is asked for and cannot be done: addresses that a page cannot have, a source_root that is
// not there.
Diagnostics faults_of_request(const SiteInput& input);

// The same input gives the same bytes. `out_folder` is replaced as site_folder.h says, or left as
// it is when anything fails (unwritable_output). In `check` mode nothing is written: the summary
// says whether the folder is current.
Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder,
                               SiteFolder::Mode mode = SiteFolder::Mode::write);

}  // namespace assay
