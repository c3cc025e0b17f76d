// What the program's exit status says.
#pragma once

namespace assay::cli {

inline constexpr int kClean = 0;     // explain: something was explained
inline constexpr int kFindings = 1;  // explain: nothing known, or not the root cause
inline constexpr int kNoAnswer =
    2;  // wrong usage, unreadable input, invalid knowledge, a fault of ours
inline constexpr int kRefused = 125;        // run: the command was not started
inline constexpr int kNotExecutable = 126;  // run, as shells say it
inline constexpr int kNotFound = 127;
inline constexpr int kSignalBase =
    128;  // plus the number of the signal that ended it; run: that ended the command

}  // namespace assay::cli
