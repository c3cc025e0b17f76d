// An engine's own image is called as the engine is, whoever mirrors it: its last word before the
// tag is the pack's name. A container sees only the GPUs that it is given, numbered from 0.
// Templates, variables and MIG slices say nothing here.
#include "engine/read/container_facts.h"

#include <algorithm>
#include <charconv>

#include "engine/base/ascii.h"
#include "engine/base/version.h"

namespace assay {
namespace {

constexpr std::int64_t kMostGpus = 1024;

std::optional<std::int64_t> count_of(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_count =
      error == std::errc{} && end == text.data() + text.size() && count >= 0 && count <= kMostGpus;
  return is_count ? std::optional(count) : std::nullopt;
}

// How many names stand between the commas.
std::int64_t count_listed(std::string_view list) {
  return list.empty() ? 0 : 1 + std::count(list.begin(), list.end(), ',');
}

// `resources.limits` of Kubernetes.
std::optional<GpuShare> share_of_limits(const Node& container) {
  const Node* resources = container.find("resources");
  const Node* limits = resources == nullptr ? nullptr : resources->find("limits");
  if (limits == nullptr) return {};
  for (const std::string_view name : {"nvidia.com/gpu", "amd.com/gpu"}) {
    const Node* limit = limits->find(name);
    if (limit == nullptr || !limit->is_scalar()) continue;
    if (const auto count = count_of(limit->text)) return GpuShare{*count, limit->span};
  }
  return {};
}

bool is_of_gpus(const Node& device) {
  const Node* capabilities = device.find("capabilities");
  return capabilities != nullptr &&
         std::any_of(capabilities->items.begin(), capabilities->items.end(),
                     [](const Node& one) { return one.text == "gpu" || one.text == "nvidia"; });
}

// One device request of compose: a count, or names.
std::optional<GpuShare> share_of_request(const Node& request) {
  if (const Node* names = request.find("device_ids"))
    return GpuShare{static_cast<std::int64_t>(names->items.size()), names->span};
  const Node* count = request.find("count");
  const auto number = count != nullptr && count->is_scalar() ? count_of(count->text) : std::nullopt;
  return number ? std::optional(GpuShare{*number, count->span}) : std::nullopt;
}

std::optional<GpuShare> share_of_service(const Node& service) {
  if (const Node* gpus = service.find("gpus"); gpus != nullptr && gpus->items.size() == 1)
    return share_of_request(gpus->items.front());
  const Node* devices = &service;
  for (const std::string_view key : {"deploy", "resources", "reservations", "devices"}) {
    devices = devices->find(key);
    if (devices == nullptr) return {};
  }
  const auto is_request = [](const Node& device) { return is_of_gpus(device); };
  if (std::count_if(devices->items.begin(), devices->items.end(), is_request) != 1) return {};
  return share_of_request(*std::find_if(devices->items.begin(), devices->items.end(), is_request));
}

const EnvironmentSetting* last_setting(const std::vector<EnvironmentSetting>& environment,
                                       std::string_view name) {
  const auto found = std::find_if(environment.rbegin(), environment.rend(),
                                  [&](const EnvironmentSetting& one) { return one.name == name; });
  return found == environment.rend() ? nullptr : &*found;
}

std::optional<GpuShare> share_of_runtime(const std::vector<EnvironmentSetting>& environment) {
  const EnvironmentSetting* listed = last_setting(environment, "NVIDIA_VISIBLE_DEVICES");
  const bool is_list = listed != nullptr && listed->is_known && !listed->value.empty() &&
                       listed->value != "all" && listed->value != "void" && listed->value != "none";
  if (!is_list) return {};
  return GpuShare{count_listed(listed->value), listed->span};
}

}  // namespace

std::optional<GivenFact> release_of_image(std::string_view image, Span span, const RulePack& pack) {
  const auto slash = image.rfind('/');
  std::string_view tagged = slash == std::string_view::npos ? image : image.substr(slash + 1);
  tagged = tagged.substr(0, tagged.find('@'));
  const auto colon = tagged.find(':');
  if (colon == std::string_view::npos || tagged.substr(0, colon) != pack.name) return {};
  std::string_view release = tagged.substr(colon + 1);
  release = release.substr(0, release.find('-'));
  if (release.starts_with('v')) release.remove_prefix(1);
  const bool is_release = !release.empty() && is_digit(release.front()) &&
                          std::count(release.begin(), release.end(), '.') >= 2 &&
                          parse_version(release);
  if (!is_release) return {};
  Node version;
  version.kind = NodeKind::string;
  version.quoted = true;
  version.span = span;
  version.text = release;
  return GivenFact{"version.engine", std::move(version), Origin::argument, span,
                   "the image `" + std::string(image) + "`"};
}

std::optional<std::int64_t> gpus_of_docker_option(std::string_view value) {
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  for (const std::string_view key : {"device=", "\"device=", "count="}) {
    if (!value.starts_with(key)) continue;
    value.remove_prefix(key.size());
    value = value.substr(0, std::min(value.find('"'), value.find(",capabilities")));
    if (value == "all" || value.find('$') != std::string_view::npos) return {};
    return key == "count=" ? count_of(value) : count_listed(value);
  }
  return count_of(value);
}

std::optional<GpuShare> requested_gpus(const Node& container) {
  if (auto share = share_of_limits(container)) return share;
  return share_of_service(container);
}

void limit_gpus(std::optional<GpuShare> share, std::vector<EnvironmentSetting>& environment) {
  constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
  if (!share) share = share_of_runtime(environment);
  if (!share || share->count > kMostGpus) return;
  const EnvironmentSetting* set = last_setting(environment, kVisible);
  if (set != nullptr && (!set->is_known || count_listed(set->value) <= share->count)) return;
  std::string visible;
  for (std::int64_t i = 0; i < share->count; ++i)
    visible += (i == 0 ? "" : ",") + std::to_string(i);
  environment.push_back({std::string(kVisible), std::move(visible), share->span});
}

}  // namespace assay
