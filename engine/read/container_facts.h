// What a container's surroundings say of the engine inside: its release, and how many GPUs it gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/text/document.h"

namespace assay {

struct GpuShare {
  std::int64_t count = 0;
  Span span;  // where it is said
};

// version.engine of the tag of an engine's own image ("lmsysorg/sglang:v0.5.9-cu126" is 0.5.9);
// none where the image is another's, whose tags number its own releases, or the tag is no release.
std::optional<GivenFact> release_of_image(std::string_view image, Span span, const RulePack& pack);

// The GPUs that docker's --gpus gives: "2", "device=0,1" (perhaps in double quotes); none for all.
std::optional<std::int64_t> gpus_of_docker_option(std::string_view value);
// The GPUs that a container of a Kubernetes manifest (resources.limits) or a service of a compose
// file (deploy.resources.reservations.devices, gpus) asks for.
std::optional<GpuShare> requested_gpus(const Node& container);

// Makes the container's share of the GPUs show as CUDA_VISIBLE_DEVICES, which means the same to the
// processes inside; a smaller setting that is there stays. Without a share NVIDIA_VISIBLE_DEVICES
// of the container's environment tells it.
void limit_gpus(std::optional<GpuShare> share, std::vector<EnvironmentSetting>& environment);

}  // namespace assay
