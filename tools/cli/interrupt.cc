// The one global of the program: a signal handler can reach nothing else. SA_RESETHAND gives the
// signal its usual meaning back after the first time, so that an impatient user is not locked in.
#include "tools/cli/interrupt.h"

#include <csignal>

namespace assay::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may take no lock");

extern "C" void note_interrupt(int) { interrupted.store(true); }

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted.store(false);
  set_handler(note_interrupt);
}
InterruptFlag::~InterruptFlag() { set_handler(SIG_DFL); }

const std::atomic<bool>& InterruptFlag::flag() const { return interrupted; }

}  // namespace assay::cli
