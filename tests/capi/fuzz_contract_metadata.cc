// Calls with random metadata, through the C interface: a legal call in which any number of things
// are replaced by values near the borders of what is legal or of what fits. The two ways to check a
// call, made at build time and loaded, must agree, a refusal must come with a report, and nothing
// may be read through a pointer to data (they point nowhere). To be run under sanitizers.
//
//   assay_fuzz_contract_metadata CONTRACT.yaml --calls N | --seconds N [--seed N]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "engine/bindings/c/assay.h"

namespace {

constexpr std::size_t kTensors = 10;
constexpr std::size_t kShapeRoom = 64;  // the largest rank that is looked at
constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

constexpr std::array<std::int64_t, 24> kExtents = {0,
                                                   1,
                                                   2,
                                                   64,
                                                   128,
                                                   192,
                                                   512,
                                                   576,
                                                   577,
                                                   2048,
                                                   -1,
                                                   -2,
                                                   127,
                                                   129,
                                                   8192,
                                                   1LL << 20,
                                                   1LL << 31,
                                                   (1LL << 31) - 1,
                                                   (1LL << 31) + 1,
                                                   1LL << 32,
                                                   1LL << 62,
                                                   kLargest,
                                                   kLargest - 1,
                                                   kSmallest};

class RandomCall {
 public:
  explicit RandomCall(std::uint64_t seed) : random_(seed) {}

  void draw() {
    make_legal();
    for (std::uint64_t i = below(4); i > 0; --i) change_something();
  }

  assay_prefill_call prefill() const {
    return {sizeof(assay_prefill_call),
            tensors[0],
            tensors[1],
            tensors[2],
            tensors[5],
            tensors[6],
            tensors[3],
            tensors[4],
            tensors[7],
            tensors[8],
            tensors[9],
            0.04,
            scalars[1].value.integer};
  }

  std::array<const DLTensor*, kTensors> tensors{};  // in the contract's order
  std::array<assay_scalar, 2> scalars{};

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::int64_t extent() {
    return below(8) == 0 ? static_cast<std::int64_t>(random_()) : kExtents[below(kExtents.size())];
  }

  void set(std::size_t index, DLDataType dtype, std::initializer_list<std::int64_t> shape) {
    DLTensor& tensor = room_[index];
    tensor = {};
    tensor.data = reinterpret_cast<void*>((index + 1) << 32U);
    set_device(tensor, 1, 0);
    tensor.dtype = dtype;
    tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.shape = shapes_[index].data();
    std::copy(shape.begin(), shape.end(), tensor.shape);
    tensor.strides = below(2) == 0 ? nullptr : strides_[index].data();
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      strides_[index][axis] = stride;
      stride *= tensor.shape[axis];
    }
    tensors[index] = &tensor;
  }

  // Through memory: the number may be none of the enum's.
  static void set_device(DLTensor& tensor, std::int32_t type, std::int32_t id) {
    const std::array<std::int32_t, 2> device{type, id};
    static_assert(sizeof(device) == sizeof(DLDevice));
    std::memcpy(&tensor.device, device.data(), sizeof(device));
  }

  void make_legal() {
    const std::int64_t s_q = 1 + static_cast<std::int64_t>(below(3));
    const std::int64_t h_q = 64 * (1 + static_cast<std::int64_t>(below(2)));
    const std::int64_t d_qk = below(2) == 0 ? 512 : 576;
    set(0, {10, 8, 1}, {s_q, h_q, d_qk});
    set(1, {10, 8, 1}, {100, 1, d_qk});
    set(2, {0, 32, 1}, {s_q, 1, 128});
    set(3, {0, 32, 1}, {s_q});
    set(4, {2, 32, 1}, {h_q});
    set(5, {2, 32, 1}, {1});
    set(6, {2, 32, 1}, {1, 1});
    set(7, {4, 16, 1}, {s_q, h_q, 512});
    set(8, {2, 32, 1}, {s_q, h_q});
    set(9, {2, 32, 1}, {s_q, h_q});
    for (const std::size_t optional : {3U, 4U, 7U, 8U, 9U})
      if (below(3) == 0) tensors[optional] = nullptr;
    scalars[0].kind = ASSAY_REAL;
    scalars[0].value.real = 0.04;
    scalars[1].kind = ASSAY_INTEGER;
    scalars[1].value.integer = 512;
  }

  void change_something() {
    const std::size_t index = below(kTensors);
    DLTensor& tensor = room_[index];
    const std::size_t axis = below(4);
    switch (below(12)) {
      case 0:
        shapes_[index][axis] = extent();
        return;
      case 1:
        strides_[index][axis] = extent();
        tensor.strides = strides_[index].data();
        return;
      case 2:
        tensor.ndim = static_cast<std::int32_t>(below(6));
        return;
      case 3:
        tensor.ndim = below(2) == 0 ? static_cast<std::int32_t>(random_())
                                    : static_cast<std::int32_t>(60 + below(8));
        return;
      case 4:
        tensor.dtype = {static_cast<std::uint8_t>(below(20)), static_cast<std::uint8_t>(random_()),
                        static_cast<std::uint16_t>(below(3))};
        return;
      case 5:
        set_device(tensor, static_cast<std::int32_t>(below(4)),
                   static_cast<std::int32_t>(below(2)));
        return;
      case 6:
        set_device(tensor, static_cast<std::int32_t>(random_()),
                   static_cast<std::int32_t>(random_()));
        return;
      case 7:
        tensor.data = reinterpret_cast<void*>(below(2) == 0 ? random_() : below(3) * 8);
        return;
      case 8:
        tensor.data = reinterpret_cast<void*>((below(kTensors) + 1) << 32U);
        return;
      case 9:
        tensor.byte_offset = below(2) == 0 ? random_() : below(64);
        return;
      case 10:
        if (below(2) == 0)
          tensors[index] = nullptr;
        else
          tensor.shape = nullptr;
        return;
      default:
        scalars[1].value.integer = extent();
        return;
    }
  }

  std::mt19937_64 random_;
  std::array<DLTensor, kTensors> room_{};
  std::array<std::array<std::int64_t, kShapeRoom>, kTensors> shapes_{};
  std::array<std::array<std::int64_t, kShapeRoom>, kTensors> strides_{};
};

[[noreturn]] void fail(const char* what, std::uint64_t call) {
  std::fprintf(stderr, "call %llu: %s\n", static_cast<unsigned long long>(call), what);
  std::abort();
}

struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t legal = 0;
  std::uint64_t refused = 0;
  std::uint64_t unreadable = 0;
};

void try_one(RandomCall& random, const assay_contract* contract, Tally& tally) {
  random.draw();
  const assay_prefill_call call = random.prefill();
  char* report = nullptr;
  char* message = nullptr;
  const assay_status made = assay_prefill_check(&call, nullptr, &report, &message);
  if ((report != nullptr) != (made == ASSAY_FINDINGS)) fail("a refusal has a report", tally.calls);
  if ((message != nullptr) != (made == ASSAY_NO_ANSWER)) fail("a fault is named", tally.calls);
  assay_text_free(report);
  assay_text_free(message);

  const auto loaded_says = [&](assay_profile profile) {
    const assay_status status =
        assay_contract_check(contract, random.tensors.data(), kTensors, random.scalars.data(), 2,
                             profile, "cpu", &report, &message);
    assay_text_free(report);
    assay_text_free(message);
    return status;
  };
  const assay_status loaded = loaded_says(ASSAY_PROFILE_SAFETY);
  loaded_says(ASSAY_PROFILE_BOTH);
  std::int32_t device = 1;
  if (random.tensors[0] != nullptr)
    std::memcpy(&device, &random.tensors[0]->device, sizeof(device));
  if (made == ASSAY_CLEAN && loaded != ASSAY_CLEAN)
    fail("only the loaded one refuses", tally.calls);
  if (made == ASSAY_FINDINGS && loaded == ASSAY_CLEAN && call.q != nullptr && device == 1 &&
      random.tensors[0]->device.device_id == 0)
    fail("only the one made refuses", tally.calls);
  ++tally.calls;
  ++(made == ASSAY_CLEAN ? tally.legal : made == ASSAY_FINDINGS ? tally.refused : tally.unreadable);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t calls = 0;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    std::uint64_t& value = name == "--calls" ? calls : name == "--seconds" ? seconds : seed;
    value = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 4) return 1;
  std::ifstream file(argv[1]);
  const std::string yaml{std::istreambuf_iterator<char>(file), {}};
  assay_contract* contract = nullptr;
  if (assay_contract_load(yaml.data(), yaml.size(), &contract, nullptr) != ASSAY_CLEAN) return 1;

  RandomCall random(seed);
  Tally tally;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (tally.calls < calls || (seconds != 0 && std::chrono::steady_clock::now() < end))
    try_one(random, contract, tally);
  assay_contract_free(contract);
  std::printf("%llu calls: %llu legal, %llu refused, %llu that cannot be looked at\n",
              static_cast<unsigned long long>(tally.calls),
              static_cast<unsigned long long>(tally.legal),
              static_cast<unsigned long long>(tally.refused),
              static_cast<unsigned long long>(tally.unreadable));
  return tally.legal == 0 || tally.refused == 0 || tally.unreadable == 0 ? 1 : 0;
}
