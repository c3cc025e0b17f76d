// The only globals of the program: a signal handler can reach nothing else. SA_RESETHAND gives the
// signal its usual meaning back after the first time, so that an impatient user is not locked in.
#include "tools/cli/interrupt.h"

#include <csignal>

namespace assay::cli {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> signal_number = 0;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may take no lock");
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may take no lock");

extern "C" void note_interrupt(int number) {
  signal_number.store(number);
  interrupted.store(true);
}

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
  signal_number.store(0);
  set_handler(note_interrupt);
}
InterruptFlag::~InterruptFlag() { set_handler(SIG_DFL); }

const std::atomic<bool>& InterruptFlag::flag() const { return interrupted; }
int InterruptFlag::signal() const { return signal_number.load(); }

}  // namespace assay::cli
