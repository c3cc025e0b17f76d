// The scan hands over the parts of a log in order; each gives its matches to the explanation and
// moves the progress line. Interrupted, the log ends where it was read to, and is explained so far.
#include "tools/cli/log_explainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include "engine/evaluate/log_scan.h"
#include "engine/report/json_report.h"
#include "engine/text/byte_stream.h"
#include "engine/text/log_reader.h"
#include "engine/text/privacy_mask.h"
#include "tools/cli/progress_line.h"

namespace assay::cli {
namespace {

// Threads for a log of `bytes`, 0 where nobody knows: a short one is searched before a thread has
// started.
unsigned threads_for(std::uint64_t bytes, bool is_followed) {
  constexpr std::uint64_t kWorthThreads = 4u << 20;
  if (is_followed || (bytes > 0 && bytes < kWorthThreads)) return 1;
  return std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

}  // namespace

void LogExplainer::explain(const std::string& name) {
  if (name != "-" && session_.files.is_folder(name)) return explain_folder(name);
  explain_file(name, false);
}

void LogExplainer::explain_file(const std::string& path, bool is_in_folder) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const bool is_followed = follow_ != Follow::no;
  Result<std::unique_ptr<ByteStream>> stream = open_bytes(path, {&interrupt_.flag(), is_followed});
  if (!stream) return append(faults_, std::move(stream.error()));
  Result<LogReader> reader = LogReader::open(std::move(*stream), name);
  if (!reader) {
    for (Diagnostic& fault : reader.error())
      if (is_in_folder && fault.code == code::binary_input) fault.severity = Severity::warning;
    return append(faults_, std::move(reader.error()));
  }
  ProgressLine progress(name);
  LogJudge judge(options_, name);
  const std::uint64_t total = reader->total();
  LogScanResult result =
      scan_log(matcher_, *reader, threads_for(total, is_followed), [&](ScannedChunk& scanned) {
        const std::size_t known = judge.candidates().size();
        judge.add({scanned.chunk->text(), scanned.found,
                   static_cast<std::size_t>(scanned.first_line), scanned.chunk});
        if (is_followed) print_new(judge, name, known);
        progress.show(scanned.read, total);
        return !interrupt_.is_set();
      });
  progress.clear();
  append(faults_, std::move(result.faults));
  explanations_.push_back(judge.finish(static_cast<std::size_t>(result.lines)));
}

void LogExplainer::explain_folder(const std::string& folder) {
  const Result<std::vector<std::string>> paths = session_.files.list_files(folder, "");
  if (!paths) return append(faults_, paths.error());
  if (paths->empty())
    return faults_.push_back(
        make_error(code::unreadable_file, {}, "the folder `" + folder + "` holds no file"));
  const std::size_t before = explanations_.size();
  std::size_t lines = 0;
  for (const std::string& path : *paths) {
    if (interrupt_.is_set()) break;
    const std::size_t known = explanations_.size();
    explain_file(path, true);
    if (explanations_.size() == known) continue;
    lines += explanations_.back().lines;
    const Explanation& last = explanations_.back();
    const bool says_nothing = last.errors.empty() && last.launch_texts.empty();
    if (says_nothing && last.found == CauseFound::nothing) explanations_.pop_back();
  }
  if (explanations_.size() > before) return;
  explanations_.push_back(LogJudge(options_, folder).finish(lines));
}

void LogExplainer::print_new(const LogJudge& judge, const std::string& name, std::size_t known) {
  for (std::size_t i = known; i < judge.candidates().size(); ++i) {
    const ExplainedError& error = judge.candidates()[i].error;
    const std::string matched = options_.mask ? mask_private(error.matched) : error.matched;
    session_.console.write(follow_ == Follow::as_json
                               ? write_json_seen_error(name, error, matched)
                               : fmt::format("{}:{}: {}: {}\n", name, error.line,
                                             error.record ? error.record->slug : "unknown",
                                             matched));
  }
  session_.console.flush();
}

}  // namespace assay::cli
