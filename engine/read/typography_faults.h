// Characters of word processors and web pages within a launch. A shell and an orchestrator hand
// them to the engine as they are, so each is a fault of the launch, with its place and what is
// meant.
#pragma once

#include <span>
#include <vector>

#include "engine/model/launch.h"
#include "engine/text/shell_words.h"
#include "engine/text/source.h"

namespace assay {

// Which launches a command of a text became: launches[first, last).
struct CommandLaunches {
  Span span;
  std::size_t first = 0;
  std::size_t last = 0;
};

// Hands what split_shell said of a text to the launches in whose commands it lies, as their faults;
// the rest goes to `warnings`. The places of a fault's `related` are what a repair writes anew:
// the message is the ASCII form, empty for what is to be taken out.
void give_text_faults(const SourceSet& sources, Diagnostics found,
                      std::span<const CommandLaunches> commands, std::span<Launch> launches,
                      Diagnostics& warnings);

// Words of a list of words as they are meant, typed in ASCII; each such character is a fault of
// `launch`.
std::vector<ShellWord> read_as_ascii(const SourceSet& sources, std::span<const ShellWord> words,
                                     Launch& launch);

}  // namespace assay
