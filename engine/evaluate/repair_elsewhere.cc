// An argument of a config file is known by its place: another source than the launch's own.
#include "engine/evaluate/repair_elsewhere.h"

#include <algorithm>

#include "engine/read/argument_words.h"
#include "engine/text/diagnostic.h"

namespace assay {
namespace {

bool is_elsewhere(const Launch& launch, Span span) {
  return span.is_known() && launch.span.is_known() && span.source != launch.span.source;
}

}  // namespace

std::optional<std::string> change_elsewhere(const SourceSet& sources, const RulePack& pack,
                                            const Launch& launch, const ArgumentChange& change) {
  const auto argument = std::ranges::find_if(launch.arguments, [&](const LaunchArgument& one) {
    return one.fact == change.fact && is_elsewhere(launch, one.flag_span);
  });
  if (argument == launch.arguments.end()) return std::nullopt;
  const FactDeclaration& fact = pack.schema.facts[change.fact];
  const bool is_taken_out = change.is_unset || write_argument(fact, change.value).flag.empty();
  const bool is_refused = std::ranges::any_of(launch.faults, [&](const LaunchFault& fault) {
    return fault.diagnostic.severity == Severity::error &&
           is_elsewhere(launch, fault.diagnostic.span) &&
           fact_of_fault(pack.schema, launch, fault) == change.fact;
  });
  if (!is_taken_out && !is_refused) return std::nullopt;
  const Source& file = sources.get(argument->flag_span.source);
  const std::string place =
      file.name() + ":" + std::to_string(file.position(argument->flag_span.begin).line);
  const std::string key(sources.text(argument->flag_span));
  if (is_taken_out) return "take `" + key + "` out of " + place;
  return "write `" + key + ": " + write_yaml(change.value) + "` at " + place;
}

}  // namespace assay
