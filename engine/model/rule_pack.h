// A pack: what is known about one engine's start-up. Plain data, as read; compile/compiled_pack.h
// makes it executable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/lazy_list.h"
#include "engine/model/fact_schema.h"
#include "engine/model/rule.h"

namespace assay {

struct PipelineStep {
  std::string name;
  Span span;
  std::optional<ExpressionText> stop_when;  // true: the rest of the stage is skipped
  bool assume_not_when_unresolved = false;  // unknown `stop_when`: the stage goes on, without doubt
  std::string documentation;
};

struct PipelineStage {
  std::string name;  // "argument-parsing", "resolution", "server-check", "construction"
  std::string title;
  std::vector<PipelineStep> steps;
};

// How a launch looks, word by word: {"python", "-m", "sglang.launch_server"}. The first word is
// compared by file name without version ("/usr/bin/python3.11" is "python").
struct Launcher {
  std::vector<std::string> words;
  // Arguments taken without a flag, in order; they stand right behind the words, before any flag.
  std::vector<std::string> positionals;
};

// An argument whose JSON object the engine sets on a fact (a model's config.json) before it reads
// it.
struct FactOverlay {
  FactId fact = 0;
  FactId argument = 0;
  // Keys whose map is laid over the map that is there; any other value takes the old one's place.
  std::vector<std::string> merges;
};

// A flag of older releases that none of the covered ones takes: what it is called now.
struct RenamedFlag {
  std::string spelling;  // "--nsa-prefill-backend"
  std::string now;       // "--dsa-prefill-backend"; "--flag=value" for a switch that became a value
};

// What the example fixes of records are proven on, where the rule's example says nothing else
// (evaluate/example_fix_prover.h).
struct ExampleSurroundings {
  std::string command;            // shell text that a fragment of a command completes
  std::vector<std::string> gpus;  // as for --gpu, "H200x8": the first that agrees with the example
  std::string model;              // of rules/models.yaml
  std::vector<Entry> facts;       // further facts by dotted name
  Span span;
};

struct RulePack {
  std::string name;        // "sglang": the folder's name
  std::string title;       // "SGLang"
  std::string repository;  // "sgl-project/sglang"
  std::string folder;      // where it was read from
  std::vector<std::string>
      versions;  // releases covered, oldest first; the last is the default of version.engine
  std::vector<Launcher> launchers;
  std::vector<FactOverlay> overlays;
  std::vector<RenamedFlag> renamed_flags;
  ExampleSurroundings example_surroundings;
  std::string
      config_flag;  // the flag that names a YAML file of arguments ("--config"); may be empty
  std::vector<std::string> config_refuses;  // arguments that the engine takes from no such file
  // Variables that only users of plugins set: with one of them in a launch's environment a value
  // outside open choices is a warning, else the engine refuses it.
  std::vector<std::string> plugin_environment;
  std::vector<PipelineStage> stages;
  FactSchema schema;
  LazyList<Rule> rules;  // sorted by id
};

}  // namespace assay
