// All pieces of the plan on the machine's cores: each is built, rendered and handed to the folder
// at once, so that memory does not grow with the site.
#include "engine/report/site_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "engine/base/parallel.h"

namespace assay {
namespace {

constexpr std::size_t kProgressStep = 64;  // pages between two reports of progress

class SiteWriter {
 public:
  SiteWriter(const SiteInput& input, SiteFolder folder)
      : input_(input), plan_(input), folder_(std::move(folder)) {}

  Result<SiteSummary> write() {
    for_each_in_parallel(plan_.size(), 2, [&](std::size_t at) {
      // A full disk would only repeat itself.
      if (!has_failed_)
        plan_.write(at, [this](const std::string& file, std::string_view content) {
          add_file(file, content);
        });
      report_progress();
    });
    if (!faults_.empty()) return faults_;
    SiteSummary summary{plan_.counts(), {}};
    ASSAY_TRY(summary.folder, folder_.finish());
    return summary;
  }

 private:
  void add_file(const std::string& path, std::string_view content) {
    if (has_failed_) return;
    const auto added = folder_.add(path, content);
    if (added) return;
    const std::lock_guard lock(mutex_);
    if (!has_failed_.exchange(true)) faults_ = added.error();
  }

  void report_progress() {
    const std::size_t done = ++done_;
    if (!input_.progress || done % kProgressStep != 0) return;
    const std::lock_guard lock(mutex_);
    input_.progress(done, plan_.size());
  }

  const SiteInput& input_;
  const SitePlan plan_;
  SiteFolder folder_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // over the faults, and the reports of progress
  Diagnostics faults_;
};

// What is asked for and cannot be done is refused before a file is written.
void check_address(const std::string& url, std::string_view what, Diagnostics& faults) {
  if (url.empty()) return;
  const bool is_web_address = url.starts_with("https://") || url.starts_with("http://");
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < '\x7f' && std::string_view("<>\"'`\\&").find(c) == std::string_view::npos;
  });
  if (!is_web_address || !is_plain)
    faults.push_back(
        make_error(code::invalid_value, {}, fmt::format("`{}` is no address {}", url, what),
                   "It begins with https:// or http:// and holds no blanks or quotes."));
}

}  // namespace

Diagnostics faults_of_request(const SiteInput& input) {
  Diagnostics faults;
  const std::string& root = input.source_root;
  if (!root.empty() && (input.files == nullptr || !input.files->is_folder(root)))
    faults.push_back(make_error(code::unreadable_file, {},
                                "there is no folder `" + root + "` to take source excerpts from",
                                "It is the root of a checkout of the engine."));
  check_address(input.frame.issues_url, "for reports that a page can link to", faults);
  check_address(input.frame.base_url, "that the site can have", faults);
  check_address(input.frame.edit_url, "below which files can be edited", faults);
  return faults;
}

Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder,
                               SiteFolder::Mode mode) {
  if (Diagnostics faults = faults_of_request(input); !faults.empty()) return faults;
  ASSAY_TRY(SiteFolder folder, SiteFolder::create(out_folder, mode));
  return SiteWriter(input, std::move(folder)).write();
}

}  // namespace assay
