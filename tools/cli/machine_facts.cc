// NVML is loaded when the program runs (libnvidia-ml.so.1 comes with the driver), so that the
// program needs neither its header nor the library; the few declarations used are NVML's documented
// C interface. The library is left loaded: unloading it runs its destructors for nothing in a
// process that is about to end.
#include "tools/cli/machine_facts.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace assay::cli {
namespace {

constexpr int kSuccess = 0;
using Device = void*;
struct Memory {  // nvmlMemory_t
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

Node text_node(std::string text) {
  Node node;
  node.kind = NodeKind::string;
  node.quoted = true;
  node.text = std::move(text);
  return node;
}

Node integer_node(std::int64_t integer) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = integer;
  node.real = static_cast<double>(integer);
  node.text = std::to_string(integer);
  return node;
}

void add(std::vector<GivenFact>& facts, std::string name, Node value) {
  facts.push_back({std::move(name), std::move(value), Origin::machine, {}, "this machine"});
}

void read_device(void* library, Device device, std::vector<GivenFact>& facts) {
  std::array<char, 96> name{};
  const auto get_name = symbol<int(Device, char*, unsigned)>(library, "nvmlDeviceGetName");
  if (get_name != nullptr && get_name(device, name.data(), name.size() - 1) == kSuccess)
    add(facts, "gpu.name", text_node(name.data()));
  int major = 0;
  int minor = 0;
  const auto get_capability =
      symbol<int(Device, int*, int*)>(library, "nvmlDeviceGetCudaComputeCapability");
  if (get_capability != nullptr && get_capability(device, &major, &minor) == kSuccess)
    add(facts, "gpu.sm", integer_node(10 * major + minor));
  Memory memory{};
  const auto get_memory = symbol<int(Device, Memory*)>(library, "nvmlDeviceGetMemoryInfo");
  if (get_memory != nullptr && get_memory(device, &memory) == kSuccess)
    add(facts, "gpu.memory_mib", integer_node(static_cast<std::int64_t>(memory.total >> 20)));
}

}  // namespace

std::vector<GivenFact> read_machine_facts() {
  std::vector<GivenFact> facts;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return facts;
  const auto start = symbol<int()>(library, "nvmlInit_v2");
  const auto stop = symbol<int()>(library, "nvmlShutdown");
  const auto get_count = symbol<int(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  const auto get_device = symbol<int(unsigned, Device*)>(library, "nvmlDeviceGetHandleByIndex_v2");
  if (start == nullptr || stop == nullptr || get_count == nullptr || get_device == nullptr ||
      start() != kSuccess)
    return facts;
  unsigned count = 0;
  Device device = nullptr;
  if (get_count(&count) == kSuccess && count > 0 && get_device(0, &device) == kSuccess) {
    add(facts, "gpu.vendor", text_node("nvidia"));
    add(facts, "gpu.count", integer_node(count));
    read_device(library, device, facts);
    std::array<char, 80> version{};
    const auto get_version = symbol<int(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
    if (get_version != nullptr && get_version(version.data(), version.size() - 1) == kSuccess)
      add(facts, "version.driver", text_node(version.data()));
  }
  stop();
  return facts;
}

}  // namespace assay::cli
