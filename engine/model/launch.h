// One launch of an engine, however it was written: a command, a manifest's container, a map of
// arguments, a dump of resolved arguments. Plain data; read/launch_reader.h makes it,
// read/launch_rewriter.h writes a repaired one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/fact_schema.h"
#include "engine/model/given_fact.h"
#include "engine/text/diagnostic.h"

namespace assay {

enum class LaunchStage : std::uint8_t {
  raw,       // what a user typed: the engine has yet to resolve it
  resolved,  // what an engine printed after resolving: checks run on the values as they stand
  help,      // --help: the parser prints its usage and ends, so no rule applies
};

// How the text that holds it is written, so that a repaired one can be written the same way.
enum class LaunchForm : std::uint8_t {
  shell,      // words of a shell command: edits are shell words
  word_list,  // a YAML or JSON list of words (a container's command and args): edits are list items
  map,        // a YAML or JSON map of arguments: edits are entries
  dump,       // ServerArgs(...) or /server_info: nothing to edit; a command is made afresh
};

struct LaunchArgument {
  FactId fact = 0;
  Node value;  // converted to the declared type; as text where conversion failed (see faults)
  std::string spelling;  // "--tp", "tp_size"
  Span flag_span;        // of the flag or key
  Span value_span;       // of the value; unknown where there is none; equals flag_span's rest for
                         // --flag=value, and all of it for a positional
  bool is_known = true;  // false: given, but by a variable nobody resolves here ($TP): the fact is
                         // unknown and `value` the text
};

// What the words of a launch in shell form stand in: text written anew there must survive it.
enum class Enclosure : std::uint8_t {
  shell_single_quotes,  // bash -c '...'
  shell_double_quotes,  // bash -c "..."
  yaml_plain,
  yaml_single_quotes,
  yaml_double_quotes,  // of YAML or JSON
  yaml_block,          // | or >
  systemd_unit,        // a line of a unit file
  opaque,              // cannot be edited in place
};

struct EnvironmentSetting {
  std::string name;
  std::string value;
  Span span;
  bool is_known = true;  // false: set, to something only the machine knows (`-e HF_TOKEN`, $X)
};

// A fault that the engine's own argument parser would stop at, or that the reader met.
struct LaunchFault {
  Diagnostic diagnostic;  // severity error: the launch is refused
  std::string message;    // as the engine's parser words it; empty when it says nothing
  std::string flag;
  Span extent = {};  // an unknown flag or key: all of it, its values too
  // An unknown name or choice: a release that the pack does not cover may know it.
  bool may_be_known_elsewhere = false;
};

struct Launch {
  std::string pack;     // name of the pack whose launcher it is
  std::string release;  // of the engine, as it was read for; empty: the newest that the pack covers
  LaunchStage stage = LaunchStage::raw;
  LaunchForm form = LaunchForm::shell;
  Span span;          // the whole launch in its source
  std::string label;  // which one it is: "container `sglang` of Deployment `server`"; may be empty
  std::vector<LaunchArgument> arguments;  // in the order of the text: the last of equal facts wins
  // More arguments come from where nobody sees them here ("$@", a config file that is not read). A
  // check that one of them might satisfy is not violated (evaluate/unseen_arguments.h).
  bool has_unseen_arguments = false;
  std::vector<EnvironmentSetting>
      environment;  // assignments in front, a container's env, `-e` of docker run
  std::vector<GivenFact>
      facts;  // what the text says besides: the release that a /server_info names
  std::vector<LaunchFault> faults;
  std::vector<Enclosure> enclosures;  // outermost first; empty for a bare command
  Span append_at;                     // empty span where further flags or entries are inserted
};

}  // namespace assay
