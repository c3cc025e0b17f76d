// A synthetic log like those that serving engines write, from a fixed seed: records of SGLang and
// vLLM behind the prefixes of containers and clusters, colours on a quarter of the lines, progress
// bars, dumps of arguments, tracebacks, and near misses: known messages with two words changed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace assay::bench {

class LogGenerator {
 public:
  // `messages`: what one line in `one_in` says, behind an exception class or not.
  LogGenerator(const std::vector<std::string>& messages, std::uint64_t one_in)
      : messages_(messages), one_in_(one_in) {}

  std::string write(std::size_t bytes) {
    std::string log;
    log.reserve(bytes + 16384);
    while (log.size() < bytes) add_line(log);
    return log;
  }
  std::size_t planted() const { return planted_; }

  std::uint64_t below(std::uint64_t limit) {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  template <class... Numbers>
  std::string print(const char* format, Numbers... numbers) {
    char line[1024];
    const int size = std::snprintf(line, sizeof line, format, numbers...);
    return std::string(line, static_cast<std::size_t>(size));
  }
  int number(int limit) { return static_cast<int>(below(static_cast<std::uint64_t>(limit))); }
  std::string date() { return print("%02d-%02d", 1 + number(12), 1 + number(28)); }
  std::string time() { return print("%02d:%02d:%02d", number(24), number(60), number(60)); }

  void add_line(std::string& log) {
    const bool is_planted = below(one_in_) == 0;
    if (is_planted) ++planted_;
    const std::string message = is_planted ? known_message() : ordinary_message();
    const std::string clock = "2026-" + date() + " " + time();
    switch (below(20)) {
      default:
        log += "[" + clock + print(" TP%d] ", number(8)) + message;
        break;
      case 0:
      case 1:
        log += "[" + clock + print(" DP%d TP%d EP%d] ", number(8), number(8), number(8)) + message;
        break;
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
        log += print("\x1b[1;36m(EngineCore_DP%d pid=%d)\x1b[0;0m INFO ", number(8), number(9999)) +
               clock.substr(5) + print(" [core.py:%d] ", number(999)) + message;
        break;
      case 7:
      case 8:
        log += print("(APIServer pid=1) (Worker_TP%d pid=%d) WARNING ", number(8), number(9999)) +
               clock.substr(5) + print(" [gpu_model_runner.py:%d] ", number(999)) + message;
        break;
      case 9:
      case 10:
        log += print("sglang-%d  | [", number(9)) + clock + "] " + message;
        break;
      case 11:
        log += "2026-" + date() + "T" + time() + print(".%09dZ stderr F [", number(999999999)) +
               clock + print(" TP%d] ", number(8)) + message;
        break;
      case 12:
        log += print("Jan %02d ", 1 + number(28)) + time() +
               print(" node-a vllm[%d]: ", number(9999)) + message;
        break;
    }
    log += '\n';
  }

  std::string known_message() {
    std::string message = messages_[below(messages_.size())];
    if (below(20) == 0) message.insert(message.size() / 2, "\x1b[31m");
    return (below(2) == 0 ? "ValueError: " : "") + message;
  }

  std::string ordinary_message() {
    const auto kind = below(1000);
    if (kind < 300)
      return print(
          "Decode batch, #running-req: %d, #token: %d, token usage: 0.%02d, cuda graph: True, "
          "gen throughput (token/s): %d.%02d, #queue-req: %d, ",
          number(99), number(99999), number(100), number(9999), number(100), number(9));
    if (kind < 420)
      return print(
          "Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: "
          "0.%02d, #running-req: %d, #queue-req: %d, ",
          number(99), number(9999), number(9999), number(100), number(99), number(9));
    if (kind < 600)
      return print("INFO:     127.0.0.1:%d - \"POST /v1/chat/completions HTTP/1.1\" 200 OK",
                   number(65535));
    if (kind < 700)
      return print(
          "  File \"/usr/local/lib/python3.12/dist-packages/sglang/srt/managers/"
          "scheduler.py\", line %d, in event_loop_overlap",
          number(3000));
    if (kind < 705) return arguments();
    if (kind < 735) return near_miss();
    if (kind < 765) return progress();
    if (kind < 775)
      return print(
          "{\"asctime\":\"2026-01-02 03:04:05\",\"levelname\":\"INFO\",\"name\":\"vllm.v1."
          "engine\",\"message\":\"Running: %d reqs\\n\"}",
          number(99));
    if (kind < 800)
      return print("node-a:%d:%d [%d] NCCL INFO Connected all rings, use ring PXN 0 GDR 1",
                   number(9999), number(9999), number(8));
    return print(
        "Loading checkpoint shard from /data/models/llama, request_id=%08x%08x%08x priority="
        "%d state=running kv_blocks=%d finished in %d.%dms",
        static_cast<unsigned>(below(1u << 31)), static_cast<unsigned>(below(1u << 31)),
        static_cast<unsigned>(below(1u << 31)), number(10), number(9999), number(99), number(9));
  }

  std::string arguments() {
    static constexpr const char* kNames[] = {"tp_size",
                                             "attention_backend",
                                             "kv_cache_dtype",
                                             "mem_fraction_static",
                                             "disable_radix_cache",
                                             "speculative_algorithm",
                                             "moe_runner_backend",
                                             "chunked_prefill_size"};
    static constexpr const char* kValues[] = {"None", "True", "'fa3'", "'auto'",
                                              "8",    "0.85", "False"};
    std::string line = "server_args=ServerArgs(model_path='/m'";
    for (int i = 0; i < 80; ++i)
      line += std::string(", ") + kNames[below(8)] + "=" + kValues[below(7)];
    return line + ")";
  }

  std::string near_miss() {
    std::string message = messages_[below(messages_.size())];
    for (int change = 0; change < 2; ++change) {
      const std::size_t from = message.find(' ', below(message.size()));
      if (from != std::string::npos)
        message.insert(from + 1, "quite-");
      else
        message.insert(message.size() / 2, "_");
    }
    message.insert(message.size() / 3, "~");
    return message;
  }

  std::string progress() {
    std::string line;
    for (int state = 0; state < 4; ++state) {
      line += print("Capturing batches (bs=%d avail_mem=%d.50 GB): %3d%%|", number(256), number(99),
                    25 * state);
      for (int i = 0; i < 10; ++i) line += i < 3 * state ? "\xe2\x96\x88" : " ";
      line += print("| %d/4 [00:0%d<00:01,  1.%02ds/it]", state, number(9), number(99));
      line += state < 3 ? "\r" : "";
    }
    return line;
  }

  const std::vector<std::string>& messages_;
  std::uint64_t one_in_;
  std::uint64_t state_ = 20260102;
  std::size_t planted_ = 0;
};

}  // namespace assay::bench
