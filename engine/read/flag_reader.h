// Reads the words after a launcher as the engine's own parser does: Python's argparse with its
// default settings.
#pragma once

#include <span>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/file_system.h"
#include "engine/text/shell_words.h"
#include "engine/text/source.h"

namespace assay {

struct FlagReading {
  const PackRelease& release;
  std::span<const std::string> positionals;  // of the launcher
  const FileSystem* files = nullptr;         // for the config flag; null: not read
  bool runs_here = false;                    // a config file that is missing here is a fault
  bool is_config_file = false;               // the words are those of a config file
};

// Appends to launch.arguments and launch.faults. What argparse would stop at is a fault of severity
// error with argparse's wording; the value is still read where it can be guessed. Warnings:
// deprecated_flag, repeated_flag, unresolved_variable, choices that plugins may add.
// Arguments of a config file come first, so that the command's own win. What a word or a file
// brings that cannot be read here sets launch.has_unseen_arguments. `--help` ends the reading, as
// the parser ends there: launch.stage is then LaunchStage::help.
void read_flags(SourceSet& sources, std::span<const ShellWord> words, const FlagReading& reading,
                Launch& launch);

// The name argparse puts into its messages: every spelling, "--tp-size/--tp".
std::string argument_display_name(const FactDeclaration& fact, std::string_view spelling);

}  // namespace assay
