// Notes what is wrong with a launch's words.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"

namespace assay {

inline LaunchFault& add_launch_fault(Launch& launch, Severity severity, DiagnosticCode code,
                                     Span span, std::string flag, std::string message,
                                     std::string help = {}) {
  Diagnostic diagnostic{severity, code, span, std::move(message), std::move(help), {}};
  launch.faults.push_back({std::move(diagnostic), {}, std::move(flag)});
  return launch.faults.back();
}

// What the engine's own parser stops at, in its words.
inline LaunchFault& add_parser_fault(Launch& launch, DiagnosticCode code, Span span,
                                     std::string flag, std::string message, std::string help = {}) {
  LaunchFault& fault = add_launch_fault(launch, Severity::error, code, span, std::move(flag),
                                        std::move(message), std::move(help));
  fault.message = fault.diagnostic.message;
  return fault;
}

// Did somebody say that the engine runs with plugins, which may add to what it takes?
inline bool may_have_plugins(const RulePack& pack, const Launch& launch) {
  return std::ranges::any_of(launch.environment, [&](const EnvironmentSetting& setting) {
    return std::ranges::find(pack.plugin_environment, setting.name) !=
           pack.plugin_environment.end();
  });
}

}  // namespace assay
