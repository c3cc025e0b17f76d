// What a log says, in terms of the known errors: which one is the root cause, what the others are,
// and what to fetch when the cause is not in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/check_report.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/message_template_miner.h"
#include "engine/evaluate/similar_records.h"
#include "engine/model/error_record.h"
#include "engine/model/launch.h"

namespace assay {

struct ExplainedCapture {
  std::string name;   // as the record's message names the part ("kv.dtype"), else "1", "2", ...
  std::string value;  // without terminal escapes
};

enum class ErrorRole : std::uint8_t {
  cause,        // the root cause, as far as the text tells; at most one of an explanation
  error,        // another error
  consequence,  // of an exception chain that has a more specific error
  symptom,      // tells of a wait or a loss that other processes brought about
  wrapper,      // only carries another error
  warning,
};

enum class Confidence : std::uint8_t { certain, likely, possible };

struct ExplainedError {
  const ErrorRecord* record = nullptr;     // null: no record describes it
  std::size_t line = 0;                    // of the first place, from 1
  std::size_t column = 0;                  // in code points, from 1
  std::string text;                        // that line; cut around the match when long
  std::string matched;                     // the message itself
  std::vector<ExplainedCapture> captures;  // at the first place
  std::size_t count = 0;                   // lines it was found on
  std::size_t offset = 0;                  // of the first line, in bytes
  std::string error_class = {};            // as the log prints it; may be empty
  std::string process = {};                // that printed the first one; may be empty
  std::vector<std::string> ranks = {};     // all that printed it, sorted; at most kMaxRanks
  std::string file = {};                   // where it was raised, the innermost frame; may be empty
  std::string function = {};               // of that frame
  std::string code = {};                   // the line of code there
  ErrorRole role = ErrorRole::error;
  Confidence confidence = Confidence::likely;
  std::string why = {};            // a sentence: why it was chosen, or put in its place
  bool is_known_by_place = false;  // the record describes the line of code; the message is another
  bool is_asynchronous = false;    // reported later and elsewhere than it happened
  std::vector<SimilarRecord> similar = {};  // without a record: the nearest ones, not exact
};

inline constexpr std::size_t kMaxRanks = 1024;

// Where the root cause is.
enum class CauseFound : std::uint8_t {
  nothing,      // no error in the text
  known,        // errors[0] has role cause and a record
  unknown,      // errors[0] has role cause and no record
  launch,       // the launch in the text breaks a rule: launches[0]
  not_in_text,  // only wrappers, or a traceback without its end: see `fetch`
};

// A launch that the text shows and that breaks rules.
struct ExplainedLaunch {
  Launch launch;
  CheckReport report;  // points into `launch` and the pack
  std::size_t line = 0;
  std::string command;  // of the best repair, private parts masked; empty without one
};

// A part of the log in which a launch may stand.
struct LaunchText {
  std::string text;
  std::size_t first_line = 1;
};

struct Explanation {
  std::string source;  // name of the text: a path, "<stdin>"
  // The cause first, then as the roles are listed; equal roles as they come first in the text.
  std::vector<ExplainedError> errors;
  std::size_t lines = 0;
  CauseFound found = CauseFound::nothing;
  std::vector<std::string> fetch;                          // not_in_text: what would show the cause
  std::vector<std::unique_ptr<ExplainedLaunch>> launches;  // those with a finding, likeliest first
  std::vector<LaunchText> launch_texts;                    // for explain_launches (log_launches.h)
  std::size_t left_out = 0;  // unknown errors beyond the limit, in lines

  // Whether anything of it is known, and the root cause not elsewhere.
  bool has_answer() const;
};

struct ExplainOptions {
  const SimilarRecords* similar = nullptr;  // to an unknown error; null: they are not looked for
  bool mask = true;                         // take out what names people and machines
  MessageTemplateMiner* unknown = nullptr;  // gets every unknown error as well
};

// Of several records that match the same bytes of a line only the most specific is told.
Explanation explain_text(const MessageMatcher& matcher, std::string source, std::string_view text,
                         const ExplainOptions& options = {});

}  // namespace assay
