// Who printed a line of a log: container, process and ranks, taken from the prefixes in front of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

struct LogOrigin {
  enum Prefix : std::uint8_t {
    kCarrier = 1,  // what carried the line: docker, Kubernetes, journald, a log viewer
    kClock = 2,    // the program's own
    kLevel = 4,
    kProcess = 8,  // a name or ranks
    kPlace = 16,   // file.py:NN
  };
  std::string_view container;  // compose service or pod; empty when none is named
  std::string_view process;    // the last one named: "Worker_TP3", "DP1 TP5", "rank0"; may be empty
  std::string_view level;      // "ERROR"; may be empty
  std::string_view place;      // "core.py:400"; may be empty
  std::uint8_t prefixes = 0;   // of Prefix
  std::string_view printed;    // what the program printed: the line behind its last carrier
  std::string_view body;       // the rest, with its own indentation

  // False for a line of a traceback or of a long message: it belongs to whoever spoke last.
  bool starts_record() const { return (prefixes & (kClock | kLevel | kProcess)) != 0; }
  bool is_error_level() const;
};

// Views look at `line`. Prefixes may be stacked in any order; colour codes between them are passed
// over in their three spellings (escape byte, "^[", no escape at all). A cut record in front of a
// whole one ("...gro[2026-01-[2026-01-02 03:04:05 TP7] x") is passed over, too.
LogOrigin read_log_origin(std::string_view line);

// "Worker_DP1_TP0_EP2" and "DP1 TP0 EP2": "DP1 TP0 EP2"; "rank0": "rank 0"; a name without ranks as
// it is: "APIServer".
std::string rank_label(std::string_view process);

}  // namespace assay
