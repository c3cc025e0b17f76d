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

struct RulePack {
  std::string name;        // "sglang": the folder's name
  std::string title;       // "SGLang"
  std::string repository;  // "sgl-project/sglang"
  std::string folder;      // where it was read from
  std::vector<std::string>
      versions;  // releases covered, oldest first; the last is the default of version.engine
  // How its launches look, word by word: {"python", "-m", "sglang.launch_server"}, {"sglang",
  // "serve"}. The first word is compared by file name without version ("/usr/bin/python3.11" is
  // "python").
  std::vector<std::vector<std::string>> launchers;
  std::vector<std::string>
      positionals;  // arguments taken without a flag after a launcher, in order ("model_path")
  std::string
      config_flag;  // the flag that names a YAML file of arguments ("--config"); may be empty
  std::vector<PipelineStage> stages;
  FactSchema schema;
  LazyList<Rule> rules;  // sorted by id
};

}  // namespace assay
