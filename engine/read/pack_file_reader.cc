// Names of stages and steps are unique over the whole pipeline: a rule says only its step.
#include "engine/read/pack_file_reader.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/base/version.h"
#include "engine/read/document_reader.h"
#include "engine/read/expression_text.h"

namespace assay {
namespace {

class PackFileReader {
 public:
  PackFileReader(const SourceSet& sources, const Node& document, RulePack& pack,
                 Diagnostics& faults)
      : sources_(sources),
        pack_(pack),
        faults_(faults),
        keys_(document, "a pack", kPackKeys, faults) {}

  void read(std::string_view folder_name) {
    read_name(folder_name);
    pack_.title = keys_.filled_text("title").value_or("");
    pack_.repository = keys_.filled_text("repository").value_or("");
    read_versions();
    read_launchers();
    read_config_flag();
    pack_.config_refuses = keys_.texts("config_refuses");
    pack_.plugin_environment = keys_.texts("plugin_environment");
    if (const Node* stages = keys_.sequence("stages"))
      for (const Node& stage : stages->items) read_stage(stage);
  }

 private:
  void read_name(std::string_view folder_name) {
    pack_.name = keys_.filled_text("pack").value_or("");
    if (folder_name.empty() || pack_.name.empty() || pack_.name == folder_name) return;
    faults_.push_back(
        make_error(code::id_differs_from_path, keys_.find("pack")->span,
                   fmt::format("the pack is `{}`, its folder `{}`", pack_.name, folder_name),
                   "rename one of them"));
  }

  void read_versions() {
    pack_.versions = keys_.texts("versions");
    const Node* list = keys_.find("versions");
    if (list == nullptr || pack_.versions.size() != list->items.size()) return;
    if (pack_.versions.empty() && list->kind == NodeKind::sequence)
      refuse(list->span, "a pack covers at least one version");
    for (std::size_t i = 0; i < pack_.versions.size(); ++i) {
      const Span span = list->items[i].span;
      if (!parse_version(pack_.versions[i]))
        refuse(span, fmt::format("`{}` is not a version number", pack_.versions[i]));
      else if (i > 0 &&
               compare_versions(pack_.versions[i - 1], pack_.versions[i]).value_or(-1) >= 0)
        refuse(
            span,
            fmt::format("`{}` does not come after `{}`", pack_.versions[i], pack_.versions[i - 1]),
            "versions stand oldest first");
    }
  }

  void read_launchers() {
    const Node* launchers = keys_.sequence("launchers");
    if (launchers == nullptr) return;
    if (launchers->items.empty()) refuse(launchers->span, "a pack has at least one launcher");
    for (const Node& launcher : launchers->items)
      pack_.launchers.push_back(read_launcher(launcher));
  }

  Launcher read_launcher(const Node& node) {
    if (node.kind != NodeKind::mapping) return {read_words(node), {}};
    const MappingReader keys(node, "a launcher", kLauncherKeys, faults_);
    Launcher launcher;
    if (const Node* words = keys.find("words")) launcher.words = read_words(*words);
    launcher.positionals = keys.texts("positionals");
    return launcher;
  }

  std::vector<std::string> read_words(const Node& node) {
    std::vector<std::string> words;
    for (const Node& word : node.items) {
      if (word.is_string())
        words.push_back(word.text);
      else
        faults_.push_back(wrong_type("a word of a launcher", "a string", word));
    }
    if (node.kind != NodeKind::sequence)
      faults_.push_back(wrong_type("a launcher", "a list of words", node));
    else if (node.items.empty())
      refuse(node.span, "a launcher has at least one word");
    return words;
  }

  void read_config_flag() {
    pack_.config_flag = keys_.filled_text("config_flag").value_or("");
    if (!pack_.config_flag.empty() && pack_.config_flag.front() != '-')
      refuse(keys_.find("config_flag")->span, fmt::format("`{}` is not a flag", pack_.config_flag),
             "flags look like --config");
  }

  void read_stage(const Node& node) {
    const MappingReader keys(node, "a stage", kStageKeys, faults_);
    PipelineStage stage;
    stage.name = keys.filled_text("stage").value_or("");
    if (!stage.name.empty()) claim(stages_, stage.name, keys.find("stage")->span, "stage");
    stage.title = keys.filled_text("title").value_or("");
    if (const Node* steps = keys.sequence("steps"))
      for (const Node& step : steps->items) stage.steps.push_back(read_step(step));
    pack_.stages.push_back(std::move(stage));
  }

  PipelineStep read_step(const Node& node) {
    PipelineStep step;
    if (node.is_string()) {
      step.name = node.text;
      step.span = node.span;
    } else {
      const MappingReader keys(node, "a step", kStepKeys, faults_);
      step.name = keys.filled_text("step").value_or("");
      step.span = step.name.empty() ? node.span : keys.find("step")->span;
      if (const Node* stop = keys.find("stop_when"))
        step.stop_when = read_expression(sources_, *stop, "`stop_when`", faults_);
      step.assume_not_when_unresolved = keys.boolean("assume_not_when_unresolved").value_or(false);
      if (step.assume_not_when_unresolved && !step.stop_when)
        refuse(keys.find("assume_not_when_unresolved")->span,
               "`assume_not_when_unresolved` belongs to a `stop_when`");
      step.documentation = keys.filled_text("documentation").value_or("");
    }
    if (step.name == "unplaced")
      refuse(step.span, "`unplaced` is what a rule says that belongs to no step");
    if (!step.name.empty()) claim(steps_, step.name, step.span, "step");
    return step;
  }

  void claim(std::map<std::string, Span>& names, const std::string& name, Span span,
             std::string_view what) {
    const auto [first, is_new] = names.try_emplace(name, span);
    if (is_new) return;
    faults_.push_back(
        make_error(code::duplicate_id, span, fmt::format("{} `{}` is listed twice", what, name)));
    faults_.back().related.push_back({first->second, "first listed here"});
  }

  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  const SourceSet& sources_;
  RulePack& pack_;
  Diagnostics& faults_;
  MappingReader keys_;
  std::map<std::string, Span> stages_;
  std::map<std::string, Span> steps_;
};

}  // namespace

void read_pack_file(const SourceSet& sources, const Node& document, std::string_view folder_name,
                    RulePack& pack, Diagnostics& faults) {
  PackFileReader(sources, document, pack, faults).read(folder_name);
}

}  // namespace assay
