// fork and exec, two pipes and poll. The command stays in our process group, so that it may read
// the terminal and gets the terminal's own signals by itself; those are not passed on, or it would
// see each twice. A signal that a process sent (kill, a supervisor) reached only us, and is passed
// on: the handler tells the two apart by si_code. A pipe tells the parent whether exec worked: it
// closes on success and carries errno otherwise.
#include "tools/cli/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tools/cli/exit_code.h"

namespace assay::cli {
namespace {

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
// How long after its end output of the command is waited for that a process it left behind still
// holds open.
constexpr int kLingerMilliseconds = 1000;

volatile sig_atomic_t child_pid = 0;  // a signal handler can reach nothing else

void pass_on(int signal, siginfo_t* info, void*) {
  const bool is_from_terminal = info->si_code == SI_KERNEL;
  const int saved = errno;
  if (!is_from_terminal && child_pid > 0) ::kill(child_pid, signal);
  errno = saved;
}

class SignalForwarding {
 public:
  SignalForwarding() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      ::sigaction(kPassedOn[i], &action, &before_[i]);
  }
  ~SignalForwarding() { restore(); }
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;
  void restore() const {
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      ::sigaction(kPassedOn[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, kPassedOn.size()> before_{};
};

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(read_end);
    close(write_end);
  }
};

[[noreturn]] void become(const std::vector<std::string>& words, const Pipe& out, const Pipe& err,
                         const Pipe& failure, const SignalForwarding& signals) {
  signals.restore();
  std::signal(SIGPIPE, SIG_DFL);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int fault = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure.write_end, &fault, sizeof fault);
  ::_exit(kNotExecutable);
}

void keep_tail(ChildOutcome& outcome, std::string_view text, std::size_t tail_bytes) {
  outcome.output_tail += text;
  if (outcome.output_tail.size() <= 2 * tail_bytes) return;  // moves each byte once on average
  outcome.output_tail.erase(0, outcome.output_tail.size() - tail_bytes);
  outcome.tail_is_cut = true;
}

// Reads once from `from` and writes it to `to`. False at the end of the output.
bool pump(int from, int to, ChildOutcome& outcome, std::size_t tail_bytes) {
  std::array<char, 1u << 16> buffer;
  const ssize_t count = ::read(from, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  keep_tail(outcome, text, tail_bytes);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(to, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;  // nobody reads; the command goes on, and its end is still kept
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool has_ended(pid_t pid, int& status) {
  const pid_t ended = ::waitpid(pid, &status, WNOHANG);
  return ended == pid;
}

int copy_until_the_end(pid_t pid, Pipe& out, Pipe& err, ChildOutcome& outcome,
                       std::size_t tail_bytes) {
  int status = 0;
  bool ended = false;
  int lingered = 0;
  while (out.read_end >= 0 || err.read_end >= 0) {
    std::array<pollfd, 2> waits{pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
    constexpr int kTickMilliseconds = 100;
    const int ready = ::poll(waits.data(), waits.size(), kTickMilliseconds);
    if (ready > 0) {
      if (waits[0].revents != 0 && !pump(out.read_end, STDOUT_FILENO, outcome, tail_bytes))
        Pipe::close(out.read_end);
      if (waits[1].revents != 0 && !pump(err.read_end, STDERR_FILENO, outcome, tail_bytes))
        Pipe::close(err.read_end);
      continue;
    }
    ended = ended || has_ended(pid, status);
    if (ended && (lingered += kTickMilliseconds) > kLingerMilliseconds) break;
  }
  while (!ended) ended = ::waitpid(pid, &status, 0) == pid || errno != EINTR;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

Diagnostic cannot_run(const std::string& command, int fault) {
  return make_error(code::cannot_run, {}, "cannot run `" + command + "`: " + std::strerror(fault));
}

}  // namespace

Result<ChildOutcome> run_child(const std::vector<std::string>& words, std::size_t tail_bytes,
                               int& exit_status) {
  exit_status = kNotExecutable;
  Pipe out;
  Pipe err;
  Pipe failure;
  if (!out.open() || !err.open() || !failure.open()) return cannot_run(words[0], errno);
  const SignalForwarding signals;
  const pid_t pid = ::fork();
  if (pid < 0) return cannot_run(words[0], errno);
  if (pid == 0) become(words, out, err, failure, signals);
  child_pid = pid;
  Pipe::close(out.write_end);
  Pipe::close(err.write_end);
  Pipe::close(failure.write_end);

  int fault = 0;
  ssize_t count = 0;
  do count = ::read(failure.read_end, &fault, sizeof fault);
  while (count < 0 && errno == EINTR);
  if (count == sizeof fault) {
    ::waitpid(pid, nullptr, 0);
    child_pid = 0;
    exit_status = fault == ENOENT ? kNotFound : kNotExecutable;
    return cannot_run(words[0], fault);
  }
  ChildOutcome outcome;
  outcome.exit_status = copy_until_the_end(pid, out, err, outcome, tail_bytes);
  child_pid = 0;
  if (outcome.output_tail.size() > tail_bytes) {
    outcome.output_tail.erase(0, outcome.output_tail.size() - tail_bytes);
    outcome.tail_is_cut = true;
  }
  exit_status = outcome.exit_status;
  return outcome;
}

}  // namespace assay::cli
