// Collects what a log says, block by block, and judges it at the end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/evaluate/error_candidate.h"
#include "engine/evaluate/prompt_spans.h"
#include "engine/evaluate/server_runs.h"
#include "engine/evaluate/traceback_reader.h"
#include "engine/text/log_reader.h"
#include "engine/text/log_text.h"

namespace assay {

// A traceback whose error is not in the text.
struct CutTraceback {
  std::string process;
  std::size_t line = 0;  // heading
  std::string function;  // innermost
};

struct LogEvidence {
  std::vector<ErrorCandidate> candidates;
  std::set<std::vector<std::size_t>> chains;  // candidates that one exception chain holds, sorted
  std::vector<CutTraceback> cut;
  ServerRuns runs;  // told apart behind the first error
  std::size_t lines = 0;
  std::size_t left_out = 0;
};

// Whole lines of a log, or a piece of a long one.
struct LogPart {
  std::string_view text;
  const MessageMatcher::Findings& found;  // in it
  std::size_t first_line = 1;             // of it, in the log
  const LogChunk* chunk = nullptr;        // that holds it; null: it is the whole log
};

class LogJudge {
 public:
  LogJudge(const ExplainOptions& options, std::string source);

  // The next part of the log. Nothing of it is kept but what the evidence copies.
  void add(const LogPart& part);
  // So far, in the order of the log; more are added behind.
  const std::vector<ErrorCandidate>& candidates() const { return evidence_.candidates; }
  Explanation finish(std::size_t lines);

 private:
  struct SeenTraceback {
    std::vector<std::size_t> by_message;                           // candidates
    std::vector<std::pair<ErrorCandidate, std::size_t>> by_place;  // a line of code, of which frame
    std::string frames;  // its lines that name a file, up to kMaxFrameBytes
  };
  struct Place {
    std::size_t line;      // from 1
    std::uint64_t offset;  // of the line, in the whole log
    std::string_view text;
    TracebackLine at;
  };

  using Match = std::vector<MessageMatch>::const_iterator;
  // `match`: the next one of the part; those of the line are taken.
  // Returns where it ends.
  std::size_t read_line(const LogPart& part, std::size_t begin, std::size_t number, Match& match);
  void read_record(const Place& place, const char* end, Match last, Match& match);
  const MessageMatch& of_its_project(const Place& place, Match match, Match last) const;
  void keep_launches(const LogPart& part);
  void take_match(const MessageMatch& match, const Place& place);
  MessageMatch joined(const MessageMatch& match, const Place& place) const;
  bool is_in_prompt(const MessageMatch& match, const Place& place);
  void take_lone_error(const Place& place);
  void take_tracebacks();
  void take_traceback(const Traceback& traceback, SeenTraceback& seen);
  bool is_of_later_run(std::size_t line, const ErrorCandidate& known) const;
  std::size_t known_candidate(ErrorCandidate found);
  // The candidate, or npos where there is no room for another one.
  std::size_t unknown_candidate(std::string_view error_class, std::string_view message,
                                const Place& place, std::string_view file = {});
  void note_place(std::size_t candidate, const Traceback& traceback);
  void note_chain(std::uint64_t chain, std::size_t candidate);

  const ExplainOptions options_;
  const std::string source_;
  TracebackReader reader_;
  LogEvidence evidence_;
  std::unordered_map<const ErrorRecord*, std::size_t> by_record_;
  std::unordered_map<std::string, std::size_t> by_template_;
  std::map<std::uint64_t, SeenTraceback> seen_;  // tracebacks that are being read
  std::map<std::uint64_t, std::vector<std::size_t>> chains_;
  std::set<std::uint64_t> carried_;  // chains whose heading a wrapper carries
  bool has_error_ = false;           // that may be a cause
  const char* prompt_line_ = nullptr;
  PromptSpans prompts_;                    // of that line
  LogText clean_;                          // of the line that is read
  bool is_split_ = false;                  // it is a record in several lines
  std::vector<std::string_view> records_;  // that it consists of
  std::vector<LaunchText> launch_texts_;
  std::uint64_t launch_bytes_ = 0;  // looked at for launches
  bool is_launch_open_ = false;     // the part before was kept: this one may go on with it
};

}  // namespace assay
