// Threads of execution that one OS thread switches between, and their stacks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace assay::emulator {

// Stacks that are kept between launches, since touching fresh pages costs more than a launch's
// switches. Not for several threads at once.
class StackPool {
 public:
  explicit StackPool(std::size_t stack_bytes = std::size_t{256} << 10) : bytes_(stack_bytes) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  std::byte* stack(std::size_t index);  // null when the system has no memory
  std::size_t stack_bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::vector<std::byte*> stacks_;
};

// Runs `entry(argument)` on its own stack. `entry` must not return and must not throw; a fiber that
// is never entered again is simply forgotten, so frames that may be left must own nothing.
class Fiber {
 public:
  Fiber(std::byte* stack, std::size_t stack_bytes, void (*entry)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void enter();  // from outside: runs the fiber until it leaves
  void leave();  // from inside: back to where `enter` was called

  static void run(void* context);  // the first thing on a new stack

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace assay::emulator
