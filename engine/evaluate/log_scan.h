// Finds known messages in a log of any length, on several threads, with bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/evaluate/message_matcher.h"
#include "engine/text/log_reader.h"

namespace assay {

// A part of the log and what was found in it.
struct ScannedChunk {
  const LogChunk* chunk = nullptr;
  // Lines count from 1 at the start of the log, offsets from the start of the chunk's text. Matches
  // that the chunk before has found in the overlap are left out.
  MessageMatcher::Findings found;
  std::uint64_t first_line = 1;  // of the chunk's text
  std::uint64_t read = 0;        // bytes of the input so far
};

struct LogScanResult {
  std::uint64_t lines = 0;
  Diagnostics faults;  // what ended the reading early
};

// Calls `take` with the parts of the log in order, one at a time, on any of `threads` threads; its
// argument is valid during the call. It returns false to end the scan. The memory needed is about
// 2 MB a thread, and the matches of its chunk.
LogScanResult scan_log(const MessageMatcher& matcher, LogReader& reader, unsigned threads,
                       const std::function<bool(ScannedChunk&)>& take);

}  // namespace assay
