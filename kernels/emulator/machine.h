// One cluster while it runs: threads, memories, barriers, queues of asynchronous work. Private to
// the emulator; device_calls.h is what device programs see.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/emulator/clock.h"
#include "kernels/emulator/device_calls.h"
#include "kernels/emulator/launch.h"
#include "kernels/emulator/shadow_memory.h"

namespace assay::emulator {

inline constexpr std::uint32_t kWarpThreads = 32;
inline constexpr std::uint32_t kWarpgroupThreads = 128;

struct Block;
class Machine;

enum class Waiting : std::uint8_t {
  nothing,
  mbarrier,
  named_barrier,
  cluster_barrier,
  warp,
  copies,
  bulk_copies,
  wgmma,
  registers,
};
struct WaitingFor {
  Waiting kind = Waiting::nothing;
  std::uint32_t object = 0;  // address or number
  std::int64_t detail = 0;   // phase, or how much
  Place place;
};

using WaitQueue = std::vector<std::uint32_t>;  // ids of threads

// Asynchronous work that completes in the order of its issue, at moments the schedule chooses. The
// n-th piece of work is the queue's tick n.
struct Queue {
  std::string name;
  std::uint32_t id = 0;
  std::uint32_t actor = 0;
  std::uint32_t issued = 0;
  std::uint32_t completed = 0;
  std::deque<std::function<void()>> work;
  WaitQueue waiters;
};

struct Thread {
  std::uint32_t id = 0;     // in the cluster; also its actor
  std::uint32_t index = 0;  // in the block
  Block* block = nullptr;
  Clock clock;
  std::unique_ptr<Fiber> fiber;
  bool has_exited = false;
  WaitingFor waiting;
  std::uint32_t registers = 0;
  Place registers_place;  // of the latest setmaxnreg, if any
  WarpWords result{};     // of a warp instruction

  Queue* copies = nullptr;                 // cp.async
  std::vector<std::uint32_t> copy_groups;  // issued copies at each commit
  std::uint32_t latest_copy = 0;           // tick of the latest cp.async
  std::uint32_t copies_covered = 0;        // up to here waited for, or tracked by an mbarrier
  Place copy_place;
  Queue* bulk_stores = nullptr;  // cp.async.bulk from shared to global memory
  std::vector<std::uint32_t> store_groups;

  std::uint64_t wgmma_fences = 0;
  std::uint32_t wgmma_issued = 0;
  std::uint32_t wgmma_retired = 0;
  Place wgmma_place;                        // of the latest
  std::vector<std::uint32_t> wgmma_groups;  // issued wgmma at each commit

  bool is_in_cluster_barrier = false;
  std::uint64_t cluster_phase = 0;
};

struct Arrival {
  std::int64_t phase = -1;
  Place place;
};

struct Participant {
  Epoch epoch;
  Place place;
};

struct Mbarrier {
  std::uint32_t count = 0;
  std::uint32_t pending = 0;
  std::int64_t transaction_bytes = 0;
  std::int64_t phase = 0;
  Clock arriving;   // of the phase that runs
  Clock completed;  // of all phases before
  std::vector<Participant> participants, previous_participants;
  std::vector<Arrival> latest_arrival;  // by thread id
  std::vector<std::int64_t> seen;       // by thread id: the latest phase it has waited for, + 2
  std::uint32_t init_thread = 0;
  Place init_place;
  bool is_fenced = false;  // its initialisation is visible to the async proxy and the cluster
  Queue* transactions = nullptr;
  WaitQueue waiters;
};

struct NamedBarrier {
  std::uint32_t count = 0;  // of the phase that runs; 0: nobody has come
  std::uint64_t phase = 0;
  Clock arriving;
  std::vector<Participant> participants, previous_participants;
  std::vector<std::uint32_t> arrived;  // ids of threads
  WaitQueue waiters;
  std::vector<Arrival> latest_arrival;  // by index in the block; of those that did not wait
};

struct WarpMeeting {
  std::uint32_t arrived = 0;
  WarpInstruction instruction{};
  Place place;
  std::uint32_t first_thread = 0;
  std::uint32_t elected = kWarpThreads;  // drawn once: an election has always the same winner
  std::array<WarpWords, kWarpThreads> operands{};
  WaitQueue waiters;
};

// One wgmma that not all threads of the warpgroup have reached yet.
struct WgmmaIssue {
  std::uint32_t arrived = 0;
  std::uint32_t first_thread = 0;
  WgmmaOperands operands{};
  Place place;
  std::array<std::uint32_t, 4> arrived_of_warp{};
  std::array<Clock, 4> known;  // by warp: what all its threads know
  std::array<std::array<std::uint32_t, 4>, kWarpgroupThreads> a{};
  std::array<float*, kWarpgroupThreads> d{};
};

struct Warpgroup {
  std::deque<WgmmaIssue> open;      // front: the oldest that somebody has not reached
  std::deque<WgmmaIssue> running;   // reached by all, not yet complete
  std::uint32_t entered = 0;        // how many all threads have reached
  Queue* queue = nullptr;           // completes products
  std::array<Queue*, 4> readers{};  // never hold work: the warps' parts of the products, as actors
};

struct Block {
  Block(std::uint32_t block_rank, const LaunchConfig& config);

  std::uint32_t rank;  // in the cluster
  std::vector<std::byte> shared;
  ShadowMemory shadow;
  std::unordered_map<std::uint32_t, Mbarrier> mbarriers;  // by offset
  std::array<NamedBarrier, 16> named_barriers;
  std::vector<WarpMeeting> warps;
  std::vector<Warpgroup> warpgroups;
  std::uint32_t live_threads;
  std::int64_t free_registers;
  WaitQueue register_waiters;
  std::uint32_t outgoing_copies = 0;  // to other blocks, not yet complete
  Place outgoing_place;               // of the latest
};

struct ClusterBarrier {
  std::uint64_t phase = 0;
  std::uint32_t arrived = 0;
  Clock arriving, completed;
  WaitQueue waiters;
};

// Shared memory as one thread means it: which block's, and where.
struct SharedPlace {
  Block* block = nullptr;
  std::uint32_t offset = 0;
};

class Machine {
 public:
  // `global_shadows` has one entry for each buffer of the configuration; null: read only.
  Machine(const LaunchConfig& config, std::uint32_t first_block, Schedule& schedule,
          std::vector<std::unique_ptr<ShadowMemory>>& global_shadows);

  std::optional<Fault> run(StackPool& stacks, const std::function<void()>& kernel,
                           std::uint64_t& steps);

  // The machine and the thread that run on this OS thread.
  static Machine& current();
  Thread& self() { return *threads_[current_thread_]; }

  const LaunchConfig& config() const { return config_; }
  std::uint32_t first_block() const { return first_block_; }
  Thread& thread(std::uint32_t id) { return *threads_[id]; }
  std::uint32_t thread_count() const { return static_cast<std::uint32_t>(threads_.size()); }
  Block& block(std::uint32_t rank) { return *blocks_[rank]; }
  Schedule& schedule() { return schedule_; }
  ClusterBarrier& cluster_barrier() { return cluster_barrier_; }

  // Whether the call is made; asks LaunchConfig::interfere, which may change the operands.
  template <class... Operand>
  bool admits(const Place& place, Operand&... operands) {
    if (!config_.interfere) return true;
    std::array<std::uint64_t, sizeof...(Operand)> values{operands...};
    DeviceCall call{place, self().index, values};
    const bool is_made = config_.interfere(call);
    std::size_t i = 0;
    ((operands = static_cast<Operand>(values[i++])), ...);
    return is_made;
  }

  // --- the schedule ---
  void yield();                                         // lets another go first, perhaps
  void block_on(WaitQueue& queue, WaitingFor waiting);  // until someone wakes the queue
  void wake(WaitQueue& queue);
  Queue& make_queue(std::string name);
  Epoch issue(Queue& queue, std::function<void()> work);  // the work's tick
  void wait_for(Queue& queue, std::uint32_t tick, WaitingFor waiting);
  Queue& copies_of(Thread& thread);  // its cp.async

  // --- faults ---
  [[noreturn]] void fail(FaultKind kind, std::string what, std::string object, const Place& place,
                         std::optional<Party> second = std::nullopt);
  // From work that completes, on no thread's behalf: noted, the run ends after this step.
  void note(Fault fault);
  std::string name_of_thread(std::uint32_t id) const;
  std::string name_of_actor(std::uint32_t actor) const;
  std::string name_of_shared(const Block& block, std::uint32_t offset, std::uint32_t bytes) const;
  Party party(std::uint32_t actor, const Place& place) const;

  // --- memory ---
  // Faults when the bytes are outside the block's shared memory or not aligned to `alignment`.
  SharedPlace locate(SharedAddress address, std::uint32_t bytes, std::uint32_t alignment,
                     const Place& place);
  Access access_of(const Thread& thread, const Place& place) const;
  void check_read(const SharedPlace& at, std::uint32_t bytes, const Access& access);
  void check_write(const SharedPlace& at, std::uint32_t bytes, const Access& access);
  void check_global(const void* address, std::size_t bytes, std::size_t alignment, bool is_write,
                    const Access& access);
  static std::byte* data(const SharedPlace& at) { return at.block->shared.data() + at.offset; }

  // An mbarrier that the thread may use: initialised, and ordered after its initialisation.
  Mbarrier& mbarrier_at(const SharedPlace& at, const Place& place);
  // Ends the phase when nothing is pending.
  void settle(Mbarrier& barrier);
  Queue& transactions_of(const SharedPlace& at, Mbarrier& barrier);
  void complete_transaction(const SharedPlace& at, std::int64_t bytes, Epoch epoch,
                            const Place& place);

 private:
  static void thread_main(void* argument);
  void make_threads(StackPool& stacks);
  void step_thread(std::uint32_t id);
  void step_queue(std::size_t position);
  void make_ready(std::uint32_t id);
  void remove_ready(std::uint32_t id);
  void retire(Thread& thread);
  void check_left_behind(const Thread& thread);
  void check_registers_of_warpgroups(const Block& block);
  Fault deadlock() const;
  std::string describe(const Thread& thread) const;
  void report(const Conflict& conflict, std::string object, const Access& access, bool is_write);

  const LaunchConfig& config_;
  std::uint32_t first_block_;
  Schedule& schedule_;
  std::vector<std::unique_ptr<ShadowMemory>>& global_shadows_;
  const std::function<void()>* kernel_ = nullptr;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::unique_ptr<Queue>> queues_;
  ClusterBarrier cluster_barrier_;
  Runnable runnable_;
  std::vector<std::size_t> ready_position_;  // by thread id
  std::uint32_t current_thread_ = 0;
  std::uint32_t live_threads_ = 0;
  std::optional<Fault> fault_;
};

}  // namespace assay::emulator
