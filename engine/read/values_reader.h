// Commands and flags of an engine anywhere in a document that is no manifest itself: the values of
// a chart, a custom resource with containers under names of its own.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/text/document.h"

namespace assay {

// Reads a mapping like a container of Kubernetes (`command`, `args`, `env`, `image`).
using ContainerRead =
    std::function<std::span<Launch>(const Node& container, const std::string& label)>;

// Calls `read` for every mapping with `command` or `args`, and for every other list or string that
// starts a known engine or consists of its flags, as the command of a container. Launches made of
// flags alone have arguments that are not seen: the chart's template adds the rest.
void read_values(const Node& document, std::span<const RulePack* const> packs,
                 const ContainerRead& read);

}  // namespace assay
