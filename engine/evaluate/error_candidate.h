// One error of a log on its way to an explanation.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/evaluate/explanation.h"
#include "engine/evaluate/traceback_reader.h"

namespace assay {

// An error of the text, with what the judgement weighs.
struct ErrorCandidate {
  ExplainedError error;
  std::size_t weight = 0;       // literal characters of the record's pattern: how specific it is
  bool is_by_message = false;   // seen at least once as a message, not only as a line of code
  bool is_raised = false;       // seen as the error of a traceback or behind an exception class
  bool is_carried = false;      // seen in an exception chain that a wrapper carries
  bool is_assertion = false;    // of a kernel, on the device
  bool is_plain = false;        // a line of level ERROR without an exception class
  std::set<std::string> ranks;  // labels
  std::string quote;            // wrapper: what it quotes
};

// The candidate that a match makes. Its place in the log is for the caller to fill in. With `mask`
// the quoted line begins behind what carried it, which names hosts and pods.
ErrorCandidate describe_match(const MessageMatch& match, bool mask);

// At most 1 KiB of `line` around `part` of it, without terminal escapes.
std::string quoted_line(std::string_view line, std::string_view part);

// For a match on a line of code, in the traceback's `frame` (from 1): what is shown is what the
// program said, and the line of code stands beside it.
void describe_by_code(ExplainedError& error, const Traceback& traceback, std::size_t frame);

// Takes out what names people and machines (text/privacy_mask.h).
void mask_texts(ErrorCandidate& candidate);

}  // namespace assay
