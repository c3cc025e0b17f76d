// Which window of a literal is entered decides how often the scan stops for nothing. Its grams
// should be rare in logs, which is told from two sources: how often they occur in all literals (the
// words that messages have in common), and whether they occur in what every log is full of (below).
// A gram has three bits in the filter; of a hundred other grams it lets one through. A slot
// tells by a print of the whole window whether it stands in the text.
#include "engine/compile/literal_tables_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "engine/compile/literal_tables.h"

namespace assay {
namespace {

// A gram found here is on every few lines, and counts as this many.
constexpr std::uint32_t kOrdinary = 1 << 10;
constexpr std::string_view kOrdinaryLog =
    "[2026-01-02 03:04:05 TP0] Decode batch, #running-req: 1, #token: 1, token usage: 0.00, cuda "
    "graph: True, gen throughput (token/s): 1.00, #queue-req: 0, accept len: 1.00, pre-allocated "
    "usage: 0.00, #retracted-req: 0, \n[2026-01-02 03:04:05 DP0 TP0] Prefill batch, #new-seq: 1, "
    "#new-token: 1, #cached-token: 1, full token usage: 0.00, #inflight-req: 0, input throughput "
    "(token/s): 1.00\nINFO:     127.0.0.1:5000 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n"
    "\"GET /health_generate HTTP/1.1\" 500 Internal Server Error\n(EngineCore_DP0 pid=1) INFO "
    "01-02 "
    "03:04:05 [core.py:1] (Worker_TP0 pid=1) (APIServer pid=1) WARNING ERROR gpu_model_runner.py "
    "Traceback (most recent call last):\n  File \"/usr/local/lib/python3.12/dist-packages/sglang/"
    "srt/managers/scheduler.py\", line 1, in event_loop_overlap\n  File "
    "\"/usr/local/lib/python3.12/"
    "site-packages/torch/nn/modules/module.py\", in _call_impl return forward_call(*args, "
    "**kwargs) "
    "model_executor/layers/quantization/vllm/v1/engine/core.py model_runner.py attention backend "
    "Capturing batches (bs=1 avail_mem=1.00 GB): 100%| Loading safetensors checkpoint shards: "
    "Load weight begin. avail mem= Load weight end. type= dtype=torch.bfloat16, mem usage=1.00 GB. "
    "Capture cuda graph begin. This can take up to several minutes. KV Cache is allocated. "
    "#tokens: "
    "server_args=ServerArgs(model_path='', tokenizer_path='', tokenizer_mode='auto', "
    "trust_remote_code=True, dtype='auto', kv_cache_dtype='auto', quantization=None, "
    "context_length=None, mem_fraction_static=0.8, max_running_requests=None, "
    "chunked_prefill_size=8192, tp_size=1, dp_size=1, ep_size=1, attention_backend='fa3', "
    "decode_attention_backend=None, prefill_attention_backend=None, moe_runner_backend='auto', "
    "speculative_algorithm=None, disable_radix_cache=False, disable_cuda_graph=False, "
    "enable_dp_attention=False, moe_a2a_backend='none', load_balance_method='round_robin') "
    "node-a:1:1 [1] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM Avg prompt throughput: 1.0 "
    "tokens/s, Avg generation throughput: 1.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV "
    "cache usage: 0.0%, Prefix cache hit rate: 0.0% stderr F stdout F request_id= "
    "Starting to load model Loading checkpoint shards: 100%| Completed | Loading model weights "
    "took 1.0 GiB and 1.0 seconds, finished in 1 secs, Graph capturing finished in 1 secs, took "
    "1.0 "
    "GiB Started server process [1] Waiting for application startup. Application startup complete. "
    "Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit) Automatically detected platform "
    "cuda. Received request cmpl-: prompt: '', params: SamplingParams(n=1, presence_penalty=0.0, "
    "temperature=1.0, max_tokens=16), lora_request: None, priority: 0, state=running, rank 0 "
    "Added request Finished request from /models/ init engine (profile, create kv cache, warmup "
    "model) took 1.0 seconds num_gpu_blocks: 1, cpu_blocks=1 Maximum concurrency for 1 tokens per "
    "request: 1.00x dtype=torch.bfloat16, device=cuda Connected all rings, use ring PXN 0 GDR 1 "
    "Connected all trees comm 0x0 nranks 8 cudaDev 0 busId 0 Init COMPLETE ";

// How common a gram is, by its hash: grams that share a counter only look more common.
class GramCounts {
 public:
  explicit GramCounts(std::uint32_t gram_bytes)
      : gram_bytes_(gram_bytes), counts_(std::size_t{1} << kIndexBits) {
    add(kOrdinaryLog, kOrdinary);
  }
  void add(std::string_view text, std::uint32_t weight) {
    for (std::size_t i = 0; i + gram_bytes_ <= text.size(); ++i) counter(text, i) += weight;
  }
  std::uint64_t at(std::string_view text, std::size_t place) { return counter(text, place); }

 private:
  static constexpr int kIndexBits = 18;
  std::uint32_t& counter(std::string_view text, std::size_t at) {
    std::uint64_t gram = 0;
    std::memcpy(&gram, text.data() + at, gram_bytes_);
    return counts_[(gram * kHashEight) >> (64 - kIndexBits)];
  }
  std::uint32_t gram_bytes_;
  std::vector<std::uint32_t> counts_;
};

struct ChosenWindow {
  std::string_view literal;
  std::size_t offset = 0;
  std::uint64_t commonness = UINT64_MAX;
};

// The rarest window of all literals that are long enough for one.
ChosenWindow choose_window(const std::vector<std::string>& literals, std::uint32_t stride,
                           std::uint32_t gram_bytes, GramCounts& counts, GramCounts& beginnings) {
  ChosenWindow best;
  for (const std::string_view literal : literals) {
    const std::size_t window_bytes = stride + gram_bytes - 1;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + gram_bytes <= literal.size(); ++i) {
      sum += counts.at(literal, i) + beginnings.at(literal, i);
      if (i + 1 < stride) continue;
      if (sum < best.commonness) best = {literal, i + gram_bytes - window_bytes, sum};
      sum -= counts.at(literal, i + 1 - stride) + beginnings.at(literal, i + 1 - stride);
    }
  }
  return best;
}

// More than half of the slots stay empty, so that a search ends soon.
std::size_t slots_for(std::size_t grams) { return grams == 0 ? 0 : std::bit_ceil(2 * grams + 1); }

// 8 KB at least; 16 bits a gram or more up to 128 KB, which the second level of a cache holds
// beside the text, and 8 above.
std::size_t filter_words_for(std::size_t grams) {
  constexpr std::size_t kCachedWords = 1 << 15;
  const std::size_t words = std::bit_ceil(std::max<std::size_t>(grams / 2, 1024));
  return words <= kCachedWords ? words : std::max(kCachedWords, std::bit_ceil(grams / 8));
}

class TablesBuilder {
 public:
  std::string build(std::span<const std::vector<std::string>> literals) {
    GramCounts long_counts(kLongGramBytes);
    GramCounts short_counts(kShortGramBytes);
    std::size_t shortest = SIZE_MAX;
    for (const auto& of_pattern : literals) {
      for (const std::string& literal : of_pattern) {
        long_counts.add(literal, 1);
        short_counts.add(literal, 1);
      }
      const std::size_t longest = longest_of(of_pattern);
      if (longest >= kUsableLiteralBytes) shortest = std::min(shortest, longest);
    }
    if (shortest < kFastLiteralBytes) head_.stride = kShortestStride;
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      const std::size_t longest = longest_of(literals[i]);
      if (longest < kUsableLiteralBytes) {
        without_literal_.push_back(i);
      } else if (longest < head_.stride + kLongGramBytes - 1) {
        enter(i,
              choose_window(literals[i], head_.stride, kShortGramBytes, short_counts, short_counts),
              short_grams_);
      } else {
        enter(i,
              choose_window(literals[i], head_.stride, kLongGramBytes, long_counts, short_counts),
              long_grams_);
      }
    }
    fill_filter();
    fill_slots(long_grams_, long_slots_);
    fill_slots(short_grams_, short_slots_);
    return image();
  }

 private:
  // Windows by their bytes, with the places of literals that have it.
  using Windows = std::map<std::string_view, std::vector<LiteralTables::Place>>;
  struct Grams {
    std::uint32_t bytes;
    Windows windows = {};
  };

  static std::size_t longest_of(const std::vector<std::string>& literals) {
    std::size_t longest = 0;
    for (const std::string& literal : literals) longest = std::max(longest, literal.size());
    return longest;
  }

  void enter(std::uint32_t pattern, const ChosenWindow& chosen, Grams& grams) {
    const auto [known, is_new] =
        by_text_.emplace(chosen.literal, static_cast<std::uint32_t>(texts_.size()));
    if (!is_new) return patterns_of_[known->second].push_back(pattern);
    texts_.push_back(chosen.literal);
    patterns_of_.push_back({pattern});
    grams.windows[chosen.literal.substr(chosen.offset, head_.stride + grams.bytes - 1)].push_back(
        {known->second, static_cast<std::uint32_t>(chosen.offset)});
  }

  void fill_filter() {
    const std::size_t windows = long_grams_.windows.size() + short_grams_.windows.size();
    if (windows == 0) return;
    words_.resize(filter_words_for(windows * head_.stride));
    // Where a literal ends less than eight bytes behind, all bits of a gram's word must be set.
    std::size_t open_grams = 0;
    for_each_gram([&](std::string_view rest) { open_grams += rest.size() < 8 ? 1 : 0; });
    const bool is_by_five = open_grams > words_.size() / 32;
    head_.is_filter_by_five = is_by_five ? 1 : 0;
    std::size_t fewest = SIZE_MAX;
    std::vector<std::uint64_t> best;
    for (std::uint32_t hash = 0; hash < kWordHashes; ++hash) {
      const std::size_t passing = fill_filter(hash, is_by_five);
      if (passing >= fewest) continue;
      fewest = passing;
      best = words_;
      head_.word_hash = hash;
    }
    words_ = std::move(best);
  }

  // Returns how many grams of an ordinary log it lets through.
  std::size_t fill_filter(std::uint32_t word_hash, bool is_by_five) {
    std::ranges::fill(words_, 0);
    GramFilter filter{index_shift(words_.size()), word_factor(word_hash),
                      is_by_five ? kHashFive : kHashEight, words_};
    for_each_gram([&](std::string_view rest) {
      std::uint64_t gram = 0;
      std::memcpy(&gram, rest.data(), std::min<std::size_t>(rest.size(), 8));
      words_[(gram * filter.word_factor) >> filter.shift] |=
          rest.size() < 8 && !is_by_five
              ? ~std::uint64_t{0}
              : kBitTriples[GramFilter::triple_of(gram * filter.bits_factor)];
    });
    std::size_t passing = 0;
    for (std::size_t at = 0; at + 8 <= kOrdinaryLog.size(); ++at)
      passing += filter.lets_through(load_eight(kOrdinaryLog.data() + at)) ? 1 : 0;
    return passing;
  }

  // Calls `visit` with each gram of each window, and the rest of its literal behind it.
  template <class Visit>
  void for_each_gram(Visit visit) const {
    for (const Grams* grams : {&long_grams_, &short_grams_})
      for (const auto& [window, places] : grams->windows)
        for (const LiteralTables::Place& place : places)
          for (std::uint32_t at = 0; at < head_.stride; ++at)
            visit(texts_[place.literal].substr(place.offset + at));
  }

  void fill_slots(const Grams& grams, std::vector<GramSlots::Slot>& slots) {
    slots.resize(slots_for(grams.windows.size() * head_.stride));
    if (slots.empty()) return;
    const std::uint32_t shift = index_shift(slots.size());
    const std::uint64_t factor = grams.bytes == kLongGramBytes ? kHashEight : kHashFive;
    for (const auto& [window, places] : grams.windows) {
      windows_.push_back(
          {static_cast<std::uint32_t>(places_.size()), static_cast<std::uint32_t>(places.size())});
      places_.insert(places_.end(), places.begin(), places.end());
      const std::uint32_t print =
          window_print(window.data(), static_cast<std::uint32_t>(window.size()));
      const auto number = static_cast<std::uint32_t>(windows_.size());
      for (std::uint32_t at = 0; at < head_.stride; ++at) {
        std::uint64_t gram = 0;
        std::memcpy(&gram, window.data() + at, grams.bytes);
        std::size_t slot = (gram * factor) >> shift;
        while (slots[slot].window != 0) slot = (slot + 1) & (slots.size() - 1);
        slots[slot] = {print, number << GramSlots::Slot::kPlaceBits | at};
      }
    }
  }

  std::string image() {
    std::vector<LiteralTables::Literal> literals;
    std::vector<std::uint32_t> patterns;
    std::string bytes;
    const auto count = [](const auto& array) { return static_cast<std::uint32_t>(array.size()); };
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      literals.push_back({count(bytes), count(texts_[i]), count(patterns), count(patterns_of_[i])});
      bytes += texts_[i];
      patterns.insert(patterns.end(), patterns_of_[i].begin(), patterns_of_[i].end());
    }
    head_.filter_words = count(words_);
    head_.long_slots = count(long_slots_);
    head_.short_slots = count(short_slots_);
    head_.windows = count(windows_);
    head_.places = count(places_);
    head_.literals = count(literals);
    head_.patterns = count(patterns);
    head_.without_literal = count(without_literal_);
    head_.bytes = count(bytes);
    std::string image(reinterpret_cast<const char*>(&head_), sizeof head_);
    const auto append = [&image](const auto& array) {
      image.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(array[0]));
    };
    append(words_);
    append(long_slots_);
    append(short_slots_);
    append(windows_);
    append(places_);
    append(literals);
    append(patterns);
    append(without_literal_);
    image += bytes;
    return image;
  }

  LiteralTablesHead head_{.stride = kStride};
  Grams long_grams_{kLongGramBytes};
  Grams short_grams_{kShortGramBytes};
  std::vector<std::uint64_t> words_;  // of the filter
  std::vector<GramSlots::Slot> long_slots_;
  std::vector<GramSlots::Slot> short_slots_;
  std::vector<LiteralTables::Window> windows_;
  std::vector<LiteralTables::Place> places_;
  std::vector<std::string_view> texts_;  // of the literals, which are the caller's
  std::map<std::string_view, std::uint32_t> by_text_;
  std::vector<std::vector<std::uint32_t>> patterns_of_;
  std::vector<std::uint32_t> without_literal_;
};

}  // namespace

std::string build_literal_tables(std::span<const std::vector<std::string>> literals) {
  return TablesBuilder().build(literals);
}

}  // namespace assay
