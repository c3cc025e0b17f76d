// Switching stacks. On x86-64 by exchanging the stack pointer and the registers that a call must
// preserve (about 10 ns); elsewhere by ucontext, whose swapcontext costs two system calls. Where a
// sanitizer watches, it is told of every switch.
#include "kernels/emulator/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__) && !defined(ASSAY_FIBER_UCONTEXT)
#define ASSAY_FIBER_X86_64 1
// assay_switch_stack(save, load): pushes the preserved registers, stores the stack pointer in
// *save, takes `load` as the stack pointer and pops. A new stack holds zeros for the registers, but
// its fiber in r12 and assay_start_fiber as the return address.
extern "C" void assay_switch_stack(void** save, void* load);
extern "C" void assay_start_fiber();
extern "C" [[gnu::used]] void assay_run_fiber(void* context);
asm(R"(
.text
.globl assay_switch_stack
.hidden assay_switch_stack
.type assay_switch_stack, @function
assay_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size assay_switch_stack, .-assay_switch_stack
.globl assay_start_fiber
.hidden assay_start_fiber
.type assay_start_fiber, @function
assay_start_fiber:
  movq %r12, %rdi
  call assay_run_fiber
  ud2
.size assay_start_fiber, .-assay_start_fiber
)");
#endif

namespace assay::emulator {

StackPool::~StackPool() {
  for (std::byte* stack : stacks_) munmap(stack, bytes_);
}

std::byte* StackPool::stack(std::size_t index) {
  while (stacks_.size() <= index) {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    stacks_.push_back(static_cast<std::byte*>(memory));
  }
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stacks_[index], bytes_);  // frames that were left
#endif
  return stacks_[index];
}

struct Fiber::Context {
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  std::byte* stack = nullptr;
  std::size_t stack_bytes = 0;
#if defined(ASSAY_FIBER_X86_64)
  void* inside = nullptr;
  void* outside = nullptr;
#else
  ucontext_t inside{};
  ucontext_t outside{};
#endif
#if defined(__SANITIZE_ADDRESS__)
  const void* outside_bottom = nullptr;
  std::size_t outside_bytes = 0;
  void* fake_stack = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan_inside = nullptr;
  void* tsan_outside = nullptr;
#endif

  void arrived_inside() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack, &outside_bottom, &outside_bytes);
#endif
  }
};

void Fiber::run(void* context) {
  auto& self = *static_cast<Context*>(context);
  self.arrived_inside();
  self.entry(self.argument);
}

namespace {
// makecontext passes ints only: the pointer travels in two halves.
[[maybe_unused]] void start(void (*run)(void*), unsigned high, unsigned low) {
  run(reinterpret_cast<void*>((static_cast<std::uintptr_t>(high) << 32U) | low));
}
}  // namespace

Fiber::Fiber(std::byte* stack, std::size_t stack_bytes, void (*entry)(void*), void* argument)
    : context_(std::make_unique<Context>()) {
  Context& context = *context_;
  context.entry = entry;
  context.argument = argument;
  context.stack = stack;
  context.stack_bytes = stack_bytes;
#if defined(ASSAY_FIBER_X86_64)
  // From the top: two words that keep the alignment of a called function, the return address, rbp,
  // rbx, r12, r13, r14, r15.
  void* frame[9] = {};
  frame[3] = &context;
  frame[6] = reinterpret_cast<void*>(&assay_start_fiber);
  std::byte* top = stack + stack_bytes - sizeof(frame);
  std::memcpy(top, static_cast<const void*>(frame), sizeof(frame));
  context.inside = top;
#else
  getcontext(&context.inside);
  context.inside.uc_stack.ss_sp = stack;
  context.inside.uc_stack.ss_size = stack_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(&context);
  makecontext(&context.inside, reinterpret_cast<void (*)()>(&start), 3, &Fiber::run,
              static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
#endif
#if defined(__SANITIZE_THREAD__)
  context.tsan_inside = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(context_->tsan_inside);
#endif
}

void Fiber::enter() {
  Context& context = *context_;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, context.stack, context.stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  context.tsan_outside = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(context.tsan_inside, 0);
#endif
#if defined(ASSAY_FIBER_X86_64)
  assay_switch_stack(&context.outside, context.inside);
#else
  swapcontext(&context.outside, &context.inside);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave() {
  Context& context = *context_;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&context.fake_stack, context.outside_bottom,
                                 context.outside_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(context.tsan_outside, 0);
#endif
#if defined(ASSAY_FIBER_X86_64)
  assay_switch_stack(&context.inside, context.outside);
#else
  swapcontext(&context.inside, &context.outside);
#endif
  context.arrived_inside();
}

}  // namespace assay::emulator

#if defined(ASSAY_FIBER_X86_64)
extern "C" void assay_run_fiber(void* context) { assay::emulator::Fiber::run(context); }
#endif
