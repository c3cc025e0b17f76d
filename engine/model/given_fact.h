// A fact somebody gave besides the launch itself: a flag of ours, a config.json, the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/text/document.h"

namespace assay {

// Who gave a fact its value.
enum class Origin : std::uint8_t {
  default_value,      // the argument's default
  argument,           // a flag, a key of a map, a field of a dump: `span` shows it
  environment,        // an environment setting of the launch: `span`
  command_line_fact,  // --fact, --gpu, --engine-version
  model_config,       // a config.json
  machine,            // NVML and the like
  pack_default,       // the newest version the pack covers
  rule,               // a derivation: `rule`
  computed,           // a derived fact: its expression, from other facts
  unknown,            // nobody
};
std::string_view to_string(Origin origin);

struct GivenFact {
  std::string name;  // dotted
  Node value;
  Origin origin = Origin::command_line_fact;
  Span span;           // where it is written; unknown for the machine
  std::string source;  // "--gpu H200", "config.json": shown to the user
};

}  // namespace assay
