// Explains logs from the disk or standard input, however long, with progress on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/evaluate/log_judge.h"
#include "engine/evaluate/message_matcher.h"
#include "tools/cli/command.h"
#include "tools/cli/interrupt.h"

namespace assay::cli {

// At the end of a file wait for more, and print each error when it is first seen.
enum class Follow : std::uint8_t { no, as_text, as_json };

class LogExplainer {
 public:
  LogExplainer(const MessageMatcher& matcher, const ExplainOptions& options, Session& session,
               Follow follow)
      : matcher_(matcher), options_(options), session_(session), follow_(follow) {}

  // A file, "-" for standard input, or a folder, in which every file is a log. The explanations of
  // a folder's files are those that say something, or one of the folder if none does.
  void explain(const std::string& name);

  std::vector<Explanation> take_explanations() { return std::move(explanations_); }
  // What could not be read, wholly or to the end. What is no text in a folder is a warning.
  const Diagnostics& faults() const { return faults_; }
  bool was_interrupted() const { return interrupt_.is_set(); }
  int interrupting_signal() const { return interrupt_.signal(); }  // 0: none

 private:
  void explain_file(const std::string& path, bool is_in_folder);
  void explain_folder(const std::string& folder);
  void print_new(const LogJudge& judge, const std::string& name, std::size_t known);

  const MessageMatcher& matcher_;
  const ExplainOptions options_;
  Session& session_;
  Follow follow_;
  InterruptFlag interrupt_;
  std::vector<Explanation> explanations_;
  Diagnostics faults_;
};

}  // namespace assay::cli
