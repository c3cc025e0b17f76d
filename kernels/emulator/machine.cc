// The scheduler: runs one cluster until all its threads have exited and all its asynchronous work
// is done, or until the first fault. Each step lets the schedule choose a thread, which runs to its
// next synchronisation, or a queue of asynchronous work, which completes a few pieces.
#include "kernels/emulator/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"

namespace assay::emulator {
namespace {

// The emulated "special registers": wrappers take no machine as argument, as instructions take
// none.
thread_local Machine* current_machine = nullptr;

constexpr std::size_t kNotReady = ~std::size_t{0};
constexpr std::int64_t kBlockRegisters = 65536;

}  // namespace

Block::Block(std::uint32_t block_rank, const LaunchConfig& config)
    : rank(block_rank),
      shared(config.shared_bytes),
      shadow(config.shared_bytes, false),
      warps(config.threads / kWarpThreads),
      warpgroups(config.threads / kWarpgroupThreads),
      live_threads(config.threads),
      free_registers(kBlockRegisters - std::int64_t{config.registers} * config.threads) {}

Machine::Machine(const LaunchConfig& config, std::uint32_t first_block, Schedule& schedule,
                 std::vector<std::unique_ptr<ShadowMemory>>& global_shadows)
    : config_(config),
      first_block_(first_block),
      schedule_(schedule),
      global_shadows_(global_shadows) {
  for (std::uint32_t rank = 0; rank < config.cluster_blocks; ++rank) {
    blocks_.push_back(std::make_unique<Block>(rank, config));
  }
}

Machine& Machine::current() {
  ASSAY_CHECK(current_machine != nullptr, "device calls come from a thread of a launch");
  return *current_machine;
}

void Machine::thread_main(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  (*current_machine->kernel_)();
  current_machine->retire(thread);
}

void Machine::make_threads(StackPool& stacks) {
  const std::uint32_t count = config_.threads * config_.cluster_blocks;
  ready_position_.assign(count, kNotReady);
  live_threads_ = count;
  for (std::uint32_t id = 0; id < count; ++id) {
    auto thread = std::make_unique<Thread>();
    thread->id = id;
    thread->index = id % config_.threads;
    thread->block = blocks_[id / config_.threads].get();
    thread->registers = config_.registers;
    thread->clock.tick(id);
    std::byte* stack = stacks.stack(id);
    ASSAY_CHECK(stack != nullptr, "there is memory for the stacks");
    thread->fiber =
        std::make_unique<Fiber>(stack, stacks.stack_bytes(), &thread_main, thread.get());
    threads_.push_back(std::move(thread));
    make_ready(id);
  }
}

std::optional<Fault> Machine::run(StackPool& stacks, const std::function<void()>& kernel,
                                  std::uint64_t& steps) {
  Machine* const outer = current_machine;
  current_machine = this;
  kernel_ = &kernel;
  make_threads(stacks);
  while (!fault_ && (!runnable_.threads.empty() || !runnable_.queues.empty())) {
    if (++steps > config_.step_limit) {
      note({FaultKind::step_limit, fmt::format("still running after {} steps", config_.step_limit),
            "", party(current_thread_, self().waiting.place), std::nullopt});
      break;
    }
    const Choice choice = schedule_.pick(runnable_);
    if (choice.is_queue) {
      step_queue(choice.position);
    } else {
      step_thread(runnable_.threads[choice.position]);
    }
  }
  if (!fault_ && live_threads_ > 0) fault_ = deadlock();
  current_machine = outer;
  return std::move(fault_);
}

void Machine::step_thread(std::uint32_t id) {
  current_thread_ = id;
  threads_[id]->fiber->enter();
}

// Several pieces at a time: a queue that was chosen once would else wait long for the next turn.
void Machine::step_queue(std::size_t position) {
  Queue& queue = *queues_[runnable_.queues[position]];
  const std::uint32_t limit = 1 + schedule_.draw(8);
  for (std::uint32_t i = 0; i < limit && !queue.work.empty() && !fault_; ++i) {
    const std::function<void()> work = std::move(queue.work.front());
    queue.work.pop_front();
    ++queue.completed;
    work();
  }
  if (queue.work.empty()) {
    runnable_.queues[position] = runnable_.queues.back();
    runnable_.queues.pop_back();
  }
  wake(queue.waiters);
}

void Machine::make_ready(std::uint32_t id) {
  if (ready_position_[id] != kNotReady) return;
  ready_position_[id] = runnable_.threads.size();
  runnable_.threads.push_back(id);
}

void Machine::remove_ready(std::uint32_t id) {
  const std::size_t position = ready_position_[id];
  const std::uint32_t last = runnable_.threads.back();
  runnable_.threads[position] = last;
  ready_position_[last] = position;
  runnable_.threads.pop_back();
  ready_position_[id] = kNotReady;
}

// What must not be left behind. All of it is known without looking at what happens to be complete,
// but for incoming bulk copies: somebody waits for those, or they are still on their way.
void Machine::check_left_behind(const Thread& thread) {
  if (thread.latest_copy > thread.copies_covered) {
    fail(FaultKind::unfinished_work,
         "exits, and neither it nor an mbarrier waits for its latest cp.async", "",
         thread.copy_place);
  }
  const Queue* stores = thread.bulk_stores;
  if (stores != nullptr && thread.clock.known(stores->actor) < stores->issued) {
    fail(FaultKind::unfinished_work, "exits without having waited for its bulk stores", "",
         thread.copy_place);
  }
  if (thread.wgmma_retired < thread.wgmma_issued) {
    fail(FaultKind::unfinished_work, "exits without having waited for its wgmma", "",
         thread.wgmma_place);
  }
  if (thread.block->live_threads > 1) return;
  check_registers_of_warpgroups(*thread.block);
  for (const auto& [offset, barrier] : thread.block->mbarriers) {
    const Queue* incoming = barrier.transactions;
    if (incoming == nullptr || incoming->completed == incoming->issued) continue;
    fail(FaultKind::unfinished_work,
         "the block's last thread exits before its bulk copies are there", incoming->name,
         barrier.init_place);
  }
  if (thread.block->outgoing_copies > 0) {
    fail(FaultKind::unfinished_work, "the block's last thread exits while copies read its memory",
         fmt::format("shared memory of block {}", first_block_ + thread.block->rank),
         thread.block->outgoing_place);
  }
}

// setmaxnreg is for whole warpgroups: its warps end with as many registers.
void Machine::check_registers_of_warpgroups(const Block& block) {
  const std::uint32_t first_thread = block.rank * config_.threads;
  for (std::uint32_t index = 0; index < config_.threads; index += kWarpThreads) {
    const Thread& first = *threads_[first_thread + index / kWarpgroupThreads * kWarpgroupThreads];
    const Thread& other = *threads_[first_thread + index];
    if (other.registers == first.registers) continue;
    const Thread& changed = other.registers_place.line() != 0 ? other : first;
    fail(FaultKind::register_budget,
         fmt::format("warps {} and {} of one warpgroup have {} and {} registers in the end: "
                     "setmaxnreg is for whole warpgroups",
                     first.index / kWarpThreads, other.index / kWarpThreads, first.registers,
                     other.registers),
         "", changed.registers_place);
  }
}

void Machine::retire(Thread& thread) {
  check_left_behind(thread);
  --thread.block->live_threads;
  --live_threads_;
  thread.has_exited = true;
  remove_ready(thread.id);
  thread.fiber->leave();
}

void Machine::yield() {
  Thread& thread = self();
  if (!schedule_.yields()) return;
  thread.fiber->leave();
}

void Machine::block_on(WaitQueue& queue, WaitingFor waiting) {
  Thread& thread = self();
  thread.waiting = waiting;
  queue.push_back(thread.id);
  remove_ready(thread.id);
  thread.fiber->leave();
  thread.waiting.kind = Waiting::nothing;
}

void Machine::wake(WaitQueue& queue) {
  for (const std::uint32_t id : queue) make_ready(id);
  queue.clear();
}

Queue& Machine::make_queue(std::string name) {
  auto queue = std::make_unique<Queue>();
  queue->name = std::move(name);
  queue->id = static_cast<std::uint32_t>(queues_.size());
  queue->actor = thread_count() + queue->id;
  queues_.push_back(std::move(queue));
  return *queues_.back();
}

Epoch Machine::issue(Queue& queue, std::function<void()> work) {
  if (queue.work.empty()) runnable_.queues.push_back(queue.id);
  queue.work.push_back(std::move(work));
  return {queue.actor, ++queue.issued};
}

void Machine::wait_for(Queue& queue, std::uint32_t tick, WaitingFor waiting) {
  while (queue.completed < tick) block_on(queue.waiters, waiting);
  self().clock.learn({queue.actor, tick});
}

void Machine::note(Fault fault) {
  if (!fault_) fault_ = std::move(fault);
}

void Machine::fail(FaultKind kind, std::string what, std::string object, const Place& place,
                   std::optional<Party> second) {
  note(
      {kind, std::move(what), std::move(object), party(current_thread_, place), std::move(second)});
  self().fiber->leave();
  ASSAY_CHECK(false, "a thread that failed is not entered again");
}

std::string Machine::name_of_thread(std::uint32_t id) const {
  const Thread& thread = *threads_[id];
  return fmt::format("thread {} (warp {}, lane {}) of block {}", thread.index,
                     thread.index / kWarpThreads, thread.index % kWarpThreads,
                     first_block_ + thread.block->rank);
}

std::string Machine::name_of_actor(std::uint32_t actor) const {
  if (actor < thread_count()) return name_of_thread(actor);
  const std::size_t queue = actor - thread_count();
  return queue < queues_.size() ? queues_[queue]->name : "another block of the grid";
}

Party Machine::party(std::uint32_t actor, const Place& place) const {
  return {name_of_actor(actor), place_name(place)};
}

std::string Machine::name_of_shared(const Block& block, std::uint32_t offset,
                                    std::uint32_t bytes) const {
  std::string name = fmt::format("shared memory [{:#x}, {:#x}) of block {}", kSharedBase + offset,
                                 kSharedBase + offset + bytes, first_block_ + block.rank);
  for (const SharedName& part : config_.shared_names) {
    if (offset >= part.offset && offset - part.offset < part.bytes) {
      name += fmt::format(", {} + {:#x}", part.name, offset - part.offset);
      break;
    }
  }
  return name;
}

std::string Machine::describe(const Thread& thread) const {
  const WaitingFor& waiting = thread.waiting;
  const auto barrier_state = [&] {
    const auto found = thread.block->mbarriers.find(waiting.object);
    if (found == thread.block->mbarriers.end()) return std::string();
    const Mbarrier& barrier = found->second;
    return fmt::format(" (phase {} runs: {} of {} arrivals and {} bytes missing)", barrier.phase,
                       barrier.pending, barrier.count, barrier.transaction_bytes);
  };
  switch (waiting.kind) {
    case Waiting::mbarrier:
      return fmt::format("phase {} of the mbarrier at {}{}", waiting.detail,
                         name_of_shared(*thread.block, waiting.object, 8), barrier_state());
    case Waiting::named_barrier: {
      const NamedBarrier& barrier = thread.block->named_barriers[waiting.object];
      return fmt::format("named barrier {} ({} of {} threads have come)", waiting.object,
                         barrier.arrived.size(), barrier.count);
    }
    case Waiting::cluster_barrier:
      return fmt::format("the cluster barrier ({} of {} threads have come)",
                         cluster_barrier_.arrived, thread_count());
    case Waiting::warp: {
      const WarpMeeting& meeting = thread.block->warps[thread.index / kWarpThreads];
      return fmt::format("the other lanes of its warp ({} of 32 have come)", meeting.arrived);
    }
    case Waiting::copies:
      return "its cp.async";
    case Waiting::bulk_copies:
      return "its bulk copies";
    case Waiting::wgmma:
      return "its wgmma, which not all threads of the warpgroup have issued";
    case Waiting::registers:
      return fmt::format("{} registers (the block has {} free)", waiting.detail,
                         thread.block->free_registers);
    case Waiting::nothing:
      return "nothing";
  }
  return "";
}

// Groups threads that wait for the same thing at the same place: a thousand lines would say less.
Fault Machine::deadlock() const {
  struct Group {
    std::uint32_t first, count;
    std::string text, where;
  };
  std::vector<Group> groups;
  for (const auto& thread : threads_) {
    if (thread->has_exited) continue;
    std::string text = describe(*thread);
    std::string where = place_name(thread->waiting.place);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.text == text && group.where == where;
    });
    if (same == groups.end()) {
      groups.push_back({thread->id, 1, std::move(text), std::move(where)});
    } else {
      ++same->count;
    }
  }
  Fault fault{FaultKind::deadlock, "nobody can go on", "", {}, std::nullopt};
  const auto who = [&](const Group& group) {
    return group.count == 1
               ? name_of_thread(group.first)
               : fmt::format("{} and {} more", name_of_thread(group.first), group.count - 1);
  };
  for (const Group& group : groups) {
    fault.object += fmt::format("{}{} waits at {} for {}", fault.object.empty() ? "" : "\n    ",
                                who(group), group.where, group.text);
  }
  fault.first = {who(groups.front()), groups.front().where};
  if (groups.size() > 1) fault.second = Party{who(groups[1]), groups[1].where};
  return fault;
}

LaunchResult Emulator::run(const LaunchConfig& config, const std::function<void()>& kernel,
                           Schedule& schedule) {
  ASSAY_CHECK(config.threads % kWarpThreads == 0 && config.threads > 0 && config.threads <= 1024,
              "a block has 1 to 32 whole warps");
  ASSAY_CHECK(config.cluster_blocks > 0 && config.cluster_blocks <= 8 &&
                  config.blocks % config.cluster_blocks == 0 &&
                  config.first_block % config.cluster_blocks == 0,
              "the grid is made of whole clusters of at most 8 blocks");
  ASSAY_CHECK(config.shared_bytes <= 232448, "a block has at most 227 KiB of shared memory");
  std::vector<std::unique_ptr<ShadowMemory>> shadows;
  for (const GlobalBuffer& buffer : config.globals) {
    shadows.push_back(buffer.is_writable ? std::make_unique<ShadowMemory>(buffer.bytes, true)
                                         : nullptr);
  }
  LaunchResult result;
  for (std::uint32_t first = config.first_block; first < config.blocks;
       first += config.cluster_blocks) {
    Machine machine(config, first, schedule, shadows);
    result.fault = machine.run(stacks_, kernel, result.steps);
    if (result.fault) break;
    constexpr std::uint32_t kOtherBlock = 0xffffffffU;
    for (const auto& shadow : shadows) {
      if (shadow) shadow->close_block(kOtherBlock);
    }
  }
  return result;
}

}  // namespace assay::emulator
