// What `check` and `run` do alike: read launches, check each, search repairs, report.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/model/launch.h"
#include "engine/read/launch_reader.h"
#include "engine/report/report_input.h"
#include "engine/report/text_report.h"
#include "tools/cli/command.h"
#include "tools/cli/launch_facts.h"

namespace assay::cli {

struct CheckSettings {
  FactOptions facts;
  std::vector<std::string> keep;  // arguments that repairs leave alone
  std::optional<std::string> format;
  std::optional<std::string> input;
  bool strict = false;
  bool verbose = false;

  std::vector<Option> table();
};

struct CheckOutcome {
  KnowledgeFolder folder;
  Knowledge knowledge;
  std::list<Launch> launches;  // a list: the reports point at them
  std::vector<CheckedLaunch> checked;
  Diagnostics warnings;     // of reading the launches
  bool has_faults = false;  // some inputs could not be checked; why, is shown already

  bool has_violations() const;
  bool has_warnings() const;  // or undecided rules
};

// The launches of `files` ("-": standard input), or of the session's command. Faults are shown; an
// input that has one leaves the others to be checked. Nothing is returned when none could be.
std::optional<CheckOutcome> check_launches(const CheckSettings& settings,
                                           const std::vector<std::string>& files, Session& session);

// In the format asked for.
std::string report_text(const CheckSettings& settings, const CheckOutcome& outcome,
                        const Session& session, const TextOptions& options);

}  // namespace assay::cli
