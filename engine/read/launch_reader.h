// Finds the launches in a text and reads them. What the text is, is recognised from its content: a
// shell command or script, an engine config file or another map of arguments (YAML, JSON), a
// ServerArgs(...) dump inside a log, /server_info JSON, Kubernetes and compose manifests,
// Dockerfiles, unit files of systemd.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/text/file_system.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

enum class InputKind : std::uint8_t {
  automatic,
  command,      // shell text
  map,          // YAML or JSON map of arguments
  dump,         // ServerArgs(...) anywhere in the text
  server_info,  // JSON
  manifest,     // Kubernetes or compose YAML, perhaps with Go templates
  dockerfile,
  unit_file,  // of systemd
};
struct InputKindName {
  std::string_view name;
  InputKind kind;
};
// What users call them.
inline constexpr std::array<InputKindName, 8> kInputKindNames{
    {{"auto", InputKind::automatic},
     {"command", InputKind::command},
     {"map", InputKind::map},
     {"dump", InputKind::dump},
     {"server-info", InputKind::server_info},
     {"manifest", InputKind::manifest},
     {"dockerfile", InputKind::dockerfile},
     {"unit", InputKind::unit_file}}};
std::optional<InputKind> find_input_kind(std::string_view name);

struct LaunchReading {
  std::span<const RulePack* const> packs;
  const FileSystem* files = nullptr;  // for the engine's config flag; null: not read
  InputKind kind = InputKind::automatic;
  // Of the engine: its flags, choices and defaults count. Empty: what the text says, else the
  // newest that the pack covers.
  std::string release = {};
  // The launch is for this machine and this folder, so that a config file which is not here is a
  // fault. Else the file may lie where the launch will run, and its arguments are unseen.
  bool runs_here = false;
};

// At least one launch, or diagnostics: unrecognised_input, not_a_launch (a command that starts no
// known engine), unclosed_quote, empty_input, binary_input, yaml_syntax, ... Faults of a launch's
// arguments are in Launch::faults.
Result<std::vector<Launch>> read_launches(SourceSet& sources, SourceId source,
                                          const LaunchReading& reading, Diagnostics& warnings);
// The command of `argv` (after `--`); its text is added to `sources` as "<command line>", quoted as
// a shell needs it.
Result<Launch> read_command(SourceSet& sources, std::span<const std::string> argv,
                            const LaunchReading& reading, Diagnostics& warnings);

}  // namespace assay
