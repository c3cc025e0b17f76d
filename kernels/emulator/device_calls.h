// The host bodies of kernels/ptx/: what each instruction does on the emulated machine. Only for
// calls from a thread of a launch. What a call asks of its caller, and what it means, stands above
// the wrapper in kernels/ptx/; here stands only what the emulator adds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

namespace assay::emulator {

using Place = std::source_location;
// A byte of the shared memory window. The block of another rank r of the cluster: (r + 1) << 24 on
// top, as map_shared_rank makes it.
using SharedAddress = std::uint32_t;
using WarpWords = std::array<std::uint32_t, 5>;

// --- who am I ---
std::uint32_t thread_index();
std::uint32_t block_index();
std::uint32_t block_count();
std::uint32_t block_threads();
std::uint32_t cluster_rank();
SharedAddress dynamic_shared_base();

// --- instructions of a whole warp ---
enum class WarpInstruction : std::uint8_t {
  none,
  sync,
  elect,
  shuffle_xor,
  shuffle_index,
  ballot,
  matrix_load,
  matrix_load_transposed,
  matrix_store,
  matrix_store_transposed,
  more_registers,
  fewer_registers,
};
WarpWords meet_warp(WarpInstruction instruction, const WarpWords& operands, Place place);

// --- memory ---
void read_shared(SharedAddress address, void* value, std::uint32_t bytes, Place place);
void write_shared(SharedAddress address, const void* value, std::uint32_t bytes, Place place);
void read_global(const void* address, void* value, std::uint32_t bytes, Place place);
void write_global(void* address, const void* value, std::uint32_t bytes, Place place);
void add_global(std::uint32_t* address, std::uint32_t value, Place place);
SharedAddress map_shared_rank(SharedAddress address, std::uint32_t rank, Place place);
void fence_proxy_async(Place place);

// --- mbarrier ---
void mbarrier_init(SharedAddress barrier, std::uint32_t count, Place place);
void mbarrier_invalidate(SharedAddress barrier, Place place);
void mbarrier_fence_init(Place place);
void mbarrier_arrive(SharedAddress barrier, std::uint32_t count, Place place);
void mbarrier_expect(SharedAddress barrier, std::uint32_t bytes, Place place);
void mbarrier_arrive_expect(SharedAddress barrier, std::uint32_t bytes, Place place);
bool mbarrier_test(SharedAddress barrier, std::uint32_t parity, Place place);
void mbarrier_wait(SharedAddress barrier, std::uint32_t parity, Place place);

// --- named and cluster barriers ---
void named_barrier_sync(std::uint32_t id, std::uint32_t count, Place place);
void named_barrier_arrive(std::uint32_t id, std::uint32_t count, Place place);
void cluster_arrive(Place place);
void cluster_wait(Place place);

// --- asynchronous copies ---
void copy_async(SharedAddress to, const void* from, std::uint32_t bytes, std::uint32_t from_bytes,
                Place place);
void copy_async_commit(Place place);
void copy_async_wait(std::uint32_t newest_groups, Place place);
void copy_async_arrive(SharedAddress barrier, bool increments, Place place);
void bulk_load(SharedAddress to, const void* from, std::uint32_t bytes, SharedAddress barrier,
               std::uint32_t rank_mask, Place place);  // rank_mask 0: no multicast
void bulk_send(SharedAddress to, SharedAddress from, std::uint32_t bytes, SharedAddress barrier,
               Place place);
void bulk_store(void* to, SharedAddress from, std::uint32_t bytes, Place place);
void bulk_commit(Place place);
void bulk_wait(std::uint32_t newest_groups, bool only_reads, Place place);

// A two-dimensional tensor of bytes in global memory and the box that a copy moves; the host side
// of a CUtensorMap.
struct TensorMap {
  const void* address = nullptr;
  std::uint64_t width_bytes = 0;  // the inner dimension
  std::uint64_t height = 0;
  std::uint64_t pitch_bytes = 0;
  std::uint32_t box_width_bytes = 0;
  std::uint32_t box_height = 0;
  std::uint32_t swizzle_bytes = 0;  // 0, 32, 64 or 128
};
void tensor_load(SharedAddress to, const TensorMap& map, std::int32_t x_bytes, std::int32_t y,
                 SharedAddress barrier, std::uint32_t rank_mask, Place place);

// --- wgmma ---
struct WgmmaOperands;
// Goes with registers that wgmma reads or writes: knows until when they may not be touched.
class RegisterGuard {
 public:
  RegisterGuard();
  ~RegisterGuard();  // faults when wgmma may still use them
  RegisterGuard(const RegisterGuard&) = delete;
  RegisterGuard& operator=(const RegisterGuard&) = delete;

  // Before the registers are read or written by the thread.
  void read(Place place);
  void write(Place place);

 private:
  friend void wgmma(const WgmmaOperands& operands, Place place);
  void touch(const char* verb, Place place);
  void check_written(const char* what, Place place) const;
  void check_fenced(const char* name, Place place) const;
  void lend(Place place);

  bool is_written_ = false;         // by anyone, any of them
  std::uint32_t busy_until_ = 0;    // so many wgmma of the thread must have retired
  std::uint64_t touched_at_fence_;  // how many wgmma.fence the thread had made then
  Place busy_place_;
  Place touched_place_;
};

struct WgmmaOperands {
  std::uint64_t a_descriptor = 0;
  const std::uint32_t* a_registers = nullptr;  // four; null: A is in shared memory
  std::uint64_t b_descriptor = 0;
  std::uint32_t n = 0;
  bool accumulates = false;
  float* d = nullptr;  // n / 2
  RegisterGuard* d_guard = nullptr;
  RegisterGuard* a_guard = nullptr;
};
void wgmma(const WgmmaOperands& operands, Place place);
void wgmma_fence(Place place);
void wgmma_commit(Place place);
void wgmma_wait(std::uint32_t newest_groups, Place place);

// --- arithmetic ---
std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector);
std::uint32_t pack_e4m3(float low, float high);  // 16 bits; saturates
std::uint32_t pack_bf16(float low, float high);
float exp2_approximate(float value);
float log2_approximate(float value);
float max_or_nan(float a, float b);

}  // namespace assay::emulator
