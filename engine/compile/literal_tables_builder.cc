// Which window of a literal is entered decides how often the scan stops for nothing. Its grams
// should be rare in logs, which is told from two sources: how often they occur in all literals (the
// words that messages have in common), and whether they occur in what every log is full of (below).
// The filter has at least 8 bits a gram, two of them set: of a hundred other grams it lets one to
// four through; those are looked up in the slots and stop there.
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
    "cache usage: 0.0%, Prefix cache hit rate: 0.0% stderr F stdout F request_id= ";

// How common a gram is, by its hash: grams that share a counter only look more common.
class GramCounts {
 public:
  explicit GramCounts(std::uint32_t gram_bytes) : gram_bytes_(gram_bytes), counts_(1 << 16) {
    add(kOrdinaryLog, kOrdinary);
  }
  void add(std::string_view text, std::uint32_t weight) {
    for (std::size_t i = 0; i + gram_bytes_ <= text.size(); ++i) counter(text, i) += weight;
  }
  std::uint64_t at(std::string_view text, std::size_t place) { return counter(text, place); }

 private:
  std::uint32_t& counter(std::string_view text, std::size_t at) {
    return counts_[gram_hash(gram_at(text, at, gram_bytes_)) >> 48];
  }
  std::uint32_t gram_bytes_;
  std::vector<std::uint32_t> counts_;
};

struct Window {
  std::string_view literal;
  std::size_t offset = 0;
  std::uint64_t commonness = UINT64_MAX;
};

// The rarest window of all literals that are long enough for one.
Window choose_window(const std::vector<std::string>& literals, std::uint32_t stride,
                     std::uint32_t gram_bytes, GramCounts& counts) {
  Window best;
  for (const std::string_view literal : literals) {
    const std::size_t window_bytes = stride + gram_bytes - 1;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + gram_bytes <= literal.size(); ++i) {
      sum += counts.at(literal, i);
      if (i + 1 < stride) continue;
      if (sum < best.commonness) best = {literal, i + gram_bytes - window_bytes, sum};
      sum -= counts.at(literal, i + 1 - stride);
    }
  }
  return best;
}

// A tier while it grows.
struct TierBuilder {
  std::uint32_t gram_bytes;
  std::uint32_t stride;
  std::vector<std::pair<std::uint64_t, LiteralTier::Place>> entered = {};
  std::vector<std::uint64_t> filter = {};
  std::vector<std::uint32_t> slots = {};
  std::vector<LiteralTier::Gram> grams = {};
  std::vector<LiteralTier::Place> places = {};

  // A slot holds the index of a gram in some bits.
  bool is_full() const { return entered.size() + stride > kSlotIndex; }
  void finish(const std::vector<std::string_view>& literals);
  LiteralTablesHead::Tier head() const {
    const auto size = [](const auto& array) { return static_cast<std::uint32_t>(array.size()); };
    return {size(filter), size(slots), size(grams), size(places)};
  }

 private:
  void fill_index();
};

// 8 KB at least; 16 bits a gram or more up to 128 KB, which the second level of a cache holds
// beside the text, and 8 above.
std::size_t filter_words_for(std::size_t grams) {
  constexpr std::size_t kCachedWords = 1 << 14;
  const std::size_t words = std::bit_ceil(std::max<std::size_t>(grams / 4, 1024));
  return words <= kCachedWords ? words : std::max(kCachedWords, std::bit_ceil(grams / 8));
}

// A gram that is common all the same is mostly told from the literal's by what follows it.
void note_next(std::string_view behind, LiteralTier::Gram& gram) {
  const std::string_view next = behind.substr(0, 8);
  std::memcpy(&gram.next, next.data(), next.size());
  gram.counts |= static_cast<std::uint32_t>(next.size()) << LiteralTier::Gram::kPlaceBits;
}

void TierBuilder::finish(const std::vector<std::string_view>& literals) {
  if (entered.empty()) return;
  std::stable_sort(entered.begin(), entered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [gram, place] : entered) {
    if (grams.empty() || grams.back().bytes != gram)
      grams.push_back({gram, 0, static_cast<std::uint32_t>(places.size()), 0});
    ++grams.back().counts;
    places.push_back(place);
  }
  for (LiteralTier::Gram& gram : grams) {
    if (gram.places() != 1) continue;
    const LiteralTier::Place& place = places[gram.first_place];
    note_next(literals[place.literal].substr(place.offset + gram_bytes), gram);
  }
  fill_index();
}

void TierBuilder::fill_index() {
  filter.resize(filter_words_for(grams.size()));
  // A fifth of the slots stays empty, and one at least: a search ends there.
  slots.resize(std::bit_ceil(grams.size() + grams.size() / 4 + 1));
  const std::uint32_t filter_shift = index_shift(filter.size());
  const std::uint32_t slot_shift = index_shift(slots.size());
  for (std::size_t i = 0; i < grams.size(); ++i) {
    const std::uint64_t hash = gram_hash(grams[i].bytes);
    filter[hash >> filter_shift] |= filter_bits(hash);
    std::size_t slot = hash >> slot_shift;
    while (slots[slot] != 0) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = slot_tag(hash) | static_cast<std::uint32_t>(i + 1);
  }
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
    if (shortest < kFastLiteralBytes) short_.stride = kShortestStride;
    for (std::uint32_t i = 0; i < literals.size(); ++i) {
      if (longest_of(literals[i]) < kUsableLiteralBytes) {
        without_literal_.push_back(i);
        continue;
      }
      // Less than 23 bytes have no window in the long tier; and where each window there has a gram
      // that all logs are full of, a smaller one may do without.
      const Window in_long = choose_window(literals[i], kLongStride, kLongGramBytes, long_counts);
      const Window in_short =
          in_long.commonness < kOrdinary
              ? Window{}
              : choose_window(literals[i], short_.stride, kShortGramBytes, short_counts);
      if (in_short.commonness < in_long.commonness)
        enter(i, in_short, short_);
      else
        enter(i, in_long, long_);
    }
    long_.finish(texts_);
    short_.finish(texts_);
    return image();
  }

 private:
  static std::size_t longest_of(const std::vector<std::string>& literals) {
    std::size_t longest = 0;
    for (const std::string& literal : literals) longest = std::max(longest, literal.size());
    return longest;
  }

  void enter(std::uint32_t pattern, const Window& window, TierBuilder& tier) {
    // A literal may be in both tiers; its patterns are in one.
    const auto key = std::pair(tier.stride, window.literal);
    const auto known = by_text_.find(key);
    if (known != by_text_.end()) return patterns_of_[known->second].push_back(pattern);
    if (tier.is_full()) return without_literal_.push_back(pattern);
    const auto literal = static_cast<std::uint32_t>(texts_.size());
    by_text_.emplace(key, literal);
    texts_.push_back(window.literal);
    patterns_of_.push_back({pattern});
    for (std::size_t i = window.offset; i < window.offset + tier.stride; ++i)
      tier.entered.push_back(
          {gram_at(window.literal, i, tier.gram_bytes), {literal, static_cast<std::uint32_t>(i)}});
  }

  std::string image() const {
    std::vector<LiteralTables::Literal> literals;
    std::vector<std::uint32_t> patterns;
    std::string bytes;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      literals.push_back({static_cast<std::uint32_t>(bytes.size()),
                          static_cast<std::uint32_t>(texts_[i].size()),
                          static_cast<std::uint32_t>(patterns.size()),
                          static_cast<std::uint32_t>(patterns_of_[i].size())});
      bytes += texts_[i];
      patterns.insert(patterns.end(), patterns_of_[i].begin(), patterns_of_[i].end());
    }
    const LiteralTablesHead head{static_cast<std::uint32_t>(literals.size()),
                                 static_cast<std::uint32_t>(patterns.size()),
                                 static_cast<std::uint32_t>(without_literal_.size()),
                                 static_cast<std::uint32_t>(bytes.size()),
                                 short_.stride,
                                 0,
                                 long_.head(),
                                 short_.head()};
    std::string image(reinterpret_cast<const char*>(&head), sizeof head);
    const auto append = [&image](const auto& array) {
      image.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(array[0]));
    };
    append(long_.filter);
    append(long_.grams);
    append(short_.filter);
    append(short_.grams);
    append(long_.slots);
    append(long_.places);
    append(short_.slots);
    append(short_.places);
    append(literals);
    append(patterns);
    append(without_literal_);
    image += bytes;
    return image;
  }

  TierBuilder long_{kLongGramBytes, kLongStride};
  TierBuilder short_{kShortGramBytes, kShortStride};
  std::vector<std::string_view> texts_;  // of the literals, which are the caller's
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> by_text_;
  std::vector<std::vector<std::uint32_t>> patterns_of_;
  std::vector<std::uint32_t> without_literal_;
};

}  // namespace

std::string build_literal_tables(std::span<const std::vector<std::string>> literals) {
  return TablesBuilder().build(literals);
}

}  // namespace assay
