// The page on which a reader pastes a log. Its tool is made by site_assets/page_log.js, which takes
// the place of the note; without it the page says what to do.
#include <fmt/format.h>

#include "engine/report/site_log_patterns.h"
#include "engine/report/site_pages.h"
#include "engine/report/utf8_text.h"

namespace assay {

SitePage log_page(const LogPatterns& patterns, std::size_t records) {
  SitePage page;
  page.kind = "explain";
  page.path = "explain/index";
  page.title = "Paste your log";
  page.description = "Finds known errors in a log, in the browser: the log does not leave it.";
  page.paragraph({plain(fmt::format(
      "Finds {} known errors with the patterns that the program uses. It is done in your browser: "
      "the page has no permission to send anything, and works offline. It says which of them is the "
      "root cause, as far as the text alone tells.",
      records - patterns.left_out.size()))});
  page.note({plain("This needs JavaScript. Without it, "), code_text("assay explain server.log"),
             plain(" does the same and more.")});
  page.heading("More with the program");
  page.paragraph({plain(
      "It tells processes, ranks and restarts apart when it looks for the root cause, follows chains "
      "of exceptions, checks the launch that the log shows, and reads logs of any size:")});
  page.code("assay explain server.log\n", "sh");
  if (patterns.left_out.empty()) return page;
  page.heading("Not found here");
  page.paragraph({plain("The patterns of these are not for browsers; the program finds them.")});
  std::vector<Phrase> items;
  for (const LogPatterns::LeftOut& left : patterns.left_out)
    items.push_back(
        {page_link(record_path(*left.record), shortened(left.record->error_message, 120)),
         soft(" — " + left.reason)});
  page.bullets(std::move(items));
  return page;
}

}  // namespace assay
