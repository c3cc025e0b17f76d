// Which words start an engine: the launchers of the packs, as python -m MODULE, as a script or as a
// program of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/model/rule_pack.h"
#include "engine/text/shell_words.h"

namespace assay {

struct LauncherMatch {
  const RulePack* pack = nullptr;
  const Launcher* launcher = nullptr;  // null: an image that starts the engine
  std::size_t arguments_at = 0;        // the first word behind the launcher
};

// The launcher that the words from `at` on begin with. `is_python_given`: an interpreter stands
// before them (torchrun).
std::optional<LauncherMatch> match_launcher(std::span<const RulePack* const> packs,
                                            std::span<const ShellWord> words, std::size_t at,
                                            bool is_python_given);

// Quick and generous: could an engine be started by these words?
bool names_engine(std::span<const ShellWord> words, std::span<const RulePack* const> packs);

}  // namespace assay
