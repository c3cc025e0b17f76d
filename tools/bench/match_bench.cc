// How fast known messages are found in a log, against two measures of the same run: splitting the
// log into lines and doing nothing with them, and Vectorscan with the full regular expressions.
//
//   match_bench [MIB [REPETITIONS [PATTERNS]]]
//
// Without PATTERNS: the shipped dataset, then 10,000 patterns made of it by exchanging words, a
// tenth of them without a usable literal but with a context; all pass lint's rule for literals. The
// methods take turns; the figures are medians of the thread's processor time, because other work on
// the machine must not count. All methods end with captures and positions, and must find the same:
// the sums say so. Vectorscan gets the text already normalised, and its line is without the time
// that takes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#ifdef ASSAY_HAVE_VECTORSCAN
#include <hs/hs.h>
#endif

#include "engine/compile/pattern_search.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/read/dataset_reader.h"
#include "engine/text/file_system.h"
#include "engine/text/log_text.h"
#include "tools/bench/log_generator.h"

namespace assay::bench {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Answer {
  std::size_t hits = 0;
  std::uint64_t sum = 0;  // over lines' contents, patterns, captures

  void add(std::string_view line, std::string_view id,
           const std::vector<std::string_view>& captures) {
    ++hits;
    std::uint64_t h = std::hash<std::string_view>()(line) ^ 31 * std::hash<std::string_view>()(id);
    for (const std::string_view c : captures)
      h = (h ^ std::hash<std::string_view>()(c)) * 0x9e3779b97f4a7c15u;
    sum += h;
  }
};

std::string without_edits(std::string_view part) {
  LogText text(part);
  return std::string(text.text());
}

// Values for the open parts of a message; only its first line, as a log's line is one.
std::string example_of(const ErrorRecord& record, LogGenerator& random) {
  static constexpr const char* kValues[] = {"torch.bfloat16", "4096",      "/data/models/x",
                                            "fp8_e4m3",       "[1, 2, 3]", "flashinfer"};
  std::string message;
  bool is_open = false;
  for (const char c : record.error_message) {
    if (c == '\n') break;
    if (c == '{') message += kValues[random.below(6)];
    is_open = c == '{' || (is_open && c != '}');
    if (!is_open && c != '}') message += c;
  }
  return message;
}

std::vector<std::string> examples_of(const Dataset& dataset) {
  std::vector<std::string> none;
  LogGenerator random(none, 1);
  std::vector<std::string> examples;
  for (const ErrorRecord& record : dataset.records) {
    auto pattern = PatternSearch::compile(record.message_pattern, {});
    std::string example = example_of(record, random);
    if (record.context) example = *record.context + example;
    if (pattern && pattern->matches(example)) examples.push_back(std::move(example));
  }
  return examples;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A record like `from` with other words. Words are exchanged in the pattern's literal text and in
// the message alike.
ErrorRecord variant(const ErrorRecord& from, int number, const std::vector<std::string>& words,
                    LogGenerator& random) {
  ErrorRecord record = from;
  record.id = record.slug = "synthetic-" + std::to_string(number);
  const auto exchange = [&](std::string& text, std::uint64_t seed) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      const bool is_escape = i > 0 && text[i - 1] == '\\';
      if (end - i >= 4 && !is_escape &&
          (std::hash<std::string>()(text.substr(i, end - i)) ^ seed) % 2 == 0)
        out +=
            words[(std::hash<std::string>()(text.substr(i, end - i)) ^ seed * 7919) % words.size()];
      else if (end > i)
        out.append(text, i, end - i);
      if (end == i) out += text[end++];
      i = end;
    }
    text = out;
  };
  const std::uint64_t seed = random.below(1u << 30);
  exchange(record.message_pattern, seed);
  exchange(record.error_message, seed);
  return record;
}

bool has_literal(const std::string& pattern) {
  const auto search = PatternSearch::compile(pattern, {});
  if (!search) return false;
  return std::any_of(search->literals().begin(), search->literals().end(),
                     [](const std::string& literal) { return literal.size() >= 12; });
}

Dataset synthetic(const Dataset& shipped, int count) {
  std::vector<std::string> none;
  LogGenerator random(none, 1);
  std::map<std::string, int> counted;
  for (const ErrorRecord& record : shipped.records) {
    std::string word;
    for (const char c : record.error_message + " ") {
      if (is_word(c))
        word += c;
      else if (word.size() >= 4)
        ++counted[std::exchange(word, "")];
      else
        word.clear();
    }
  }
  std::vector<std::string> words;
  for (const auto& [word, n] : counted) words.push_back(word);
  Dataset dataset;
  for (std::size_t source = 0; dataset.records.size() < static_cast<std::size_t>(count); ++source) {
    const int i = static_cast<int>(dataset.records.size());
    const ErrorRecord& from = shipped.records[source % shipped.records.size()];
    ErrorRecord record = variant(from, i, words, random);
    if (!has_literal(record.message_pattern)) continue;
    dataset.records.push_back(std::move(record));
    if (i % 10 != 0) continue;
    ErrorRecord& weak = dataset.records.back();  // one short word on each side, a context
    const std::string& a = words[random.below(words.size())];
    const std::string& b = words[random.below(words.size())];
    const std::string first = a.substr(0, 4) + std::to_string(i % 97);
    const std::string second = b.substr(0, 3) + std::to_string(i % 89);
    weak.message_pattern = first + " (.+?) " + second + " (\\S+)";
    weak.error_message = first + " {x} " + second + " {y}";
    weak.context = words[static_cast<std::size_t>(i / 10) % 40] + "FlavourError: ";
  }
  return dataset;
}

class Bench {
 public:
  Bench(const Dataset& dataset, std::size_t bytes) : dataset_(dataset) {
    const std::vector<std::string> examples = examples_of(dataset);
    LogGenerator generator(examples, 1000);
    log_ = generator.write(bytes);
    auto matcher = MessageMatcher::compile(dataset);
    if (!matcher) std::abort();
    matcher_.emplace(std::move(*matcher));
    std::printf("\n%zu patterns, %zu MiB of log, %zu messages planted\n", dataset.records.size(),
                log_.size() >> 20, generator.planted());
  }

  void run(int repetitions) {
    struct Method {
      const char* name;
      std::function<Answer()> find;
      std::vector<double> rates;
      Answer answer;
    };
    std::vector<Method> methods;
    methods.push_back({"split into lines", [this] { return split_lines(); }, {}, {}});
    methods.push_back({"assay", [this] { return find(); }, {}, {}});
#ifdef ASSAY_HAVE_VECTORSCAN
    prepare_vectorscan();
    methods.push_back({"Vectorscan, full expressions", [this] { return vectorscan(); }, {}, {}});
#endif
    for (int i = 0; i < repetitions; ++i) {
      for (Method& method : methods) {
        const double start = processor_seconds();
        method.answer = method.find();
        method.rates.push_back(static_cast<double>(log_.size()) / 1e6 /
                               (processor_seconds() - start));
      }
    }
    double split = 0;
    for (Method& method : methods) {
      std::sort(method.rates.begin(), method.rates.end());
      const double median = method.rates[method.rates.size() / 2];
      if (split == 0) split = median;
      std::printf("%-30s %8.0f MB/s [%.0f-%.0f]  %.3f of splitting  %zu hits  sum=%016lx\n",
                  method.name, median, method.rates.front(), method.rates.back(), median / split,
                  method.answer.hits, static_cast<unsigned long>(method.answer.sum));
    }
  }

 private:
  Answer split_lines() const {
    Answer answer;
    const char* end = log_.data() + log_.size();
    for (const char* at = log_.data(); at < end; ++answer.hits) {
      const void* feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
      if (feed == nullptr) break;
      at = static_cast<const char*>(feed) + 1;
    }
    return answer;
  }

  Answer find() const {
    Answer answer;
    for (const MessageMatch& match : matcher_->find(log_)) {
      const std::string line = without_edits(match.text);
      std::vector<std::string> texts;
      for (const std::string_view c : match.captures) texts.push_back(without_edits(c));
      answer.add(line, match.record->id, {texts.begin(), texts.end()});
    }
    return answer;
  }

#ifdef ASSAY_HAVE_VECTORSCAN
  static constexpr std::size_t kChunk = 256 << 10;

  void prepare_vectorscan() {
    std::vector<std::string> texts;
    std::vector<const char*> pointers;
    std::vector<unsigned> flags, ids;
    for (const ErrorRecord& record : dataset_.records) {
      auto pattern = PatternSearch::compile(record.message_pattern, {});
      if (!pattern) std::abort();
      patterns_.push_back(std::move(*pattern));
      std::string text = record.message_pattern;
      // Else it reports every later byte of the line.
      if (text.ends_with("(.+?)")) text.replace(text.size() - 5, 5, ".");
      if (text.ends_with("(\\S+)")) text.replace(text.size() - 5, 5, "\\S");
      ids.push_back(static_cast<unsigned>(texts.size()));
      flags.push_back(0);
      texts.push_back(std::move(text));
    }
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    hs_compile_error_t* fault = nullptr;
    if (hs_compile_multi(pointers.data(), flags.data(), ids.data(),
                         static_cast<unsigned>(ids.size()), HS_MODE_BLOCK, nullptr, &database_,
                         &fault) != HS_SUCCESS) {
      std::fprintf(stderr, "Vectorscan: %s\n", fault->message);
      std::abort();
    }
    hs_alloc_scratch(database_, &scratch_);
    LogText text;
    for (std::size_t at = 0; at < log_.size();) {
      std::size_t length = std::min(kChunk, log_.size() - at);
      if (at + length < log_.size()) length = log_.rfind('\n', at + length) + 1 - at;
      text.assign(std::string_view(log_).substr(at, length));
      ends_.push_back((normal_ += text.text()).size());
      at += length;
    }
  }

  struct Scan {
    const Bench* bench;
    std::string_view chunk;
    std::unordered_map<std::uint64_t, bool> seen;  // line and pattern
    Answer answer;
    PatternHit hit;
  };

  static bool search_line(const PatternSearch& pattern, std::string_view line, PatternHit& hit) {
    std::vector<std::string_view> records;
    split_glued_records(line, records);
    for (const std::string_view record : records)
      if (pattern.search(split_log_line(record).message, hit) || pattern.search(record, hit))
        return true;
    return pattern.search(line, hit);
  }

  static int on_match(unsigned id, unsigned long long, unsigned long long to, unsigned,
                      void* context) {
    Scan& scan = *static_cast<Scan*>(context);
    std::size_t begin = to - 1;
    const auto is_end = [&](std::size_t at) {
      return scan.chunk[at] == '\n' || scan.chunk[at] == '\r';
    };
    while (begin > 0 && !is_end(begin - 1)) --begin;
    if (!scan.seen.emplace(begin << 32 | id, true).second) return 0;
    std::size_t end = to;
    while (end < scan.chunk.size() && !is_end(end)) ++end;
    const std::string_view line = scan.chunk.substr(begin, end - begin);
    const PatternSearch& pattern = scan.bench->patterns_[id];
    if (!search_line(pattern, line, scan.hit)) return 0;
    const ErrorRecord& record = scan.bench->dataset_.records[id];
    if (record.context && line.find(*record.context) == std::string_view::npos) return 0;
    scan.answer.add(line, record.id, scan.hit.captures);
    return 0;
  }

  Answer vectorscan() const {
    Scan scan{this, {}, {}, {}, {}};
    std::size_t at = 0;
    for (const std::size_t end : ends_) {
      scan.chunk = std::string_view(normal_).substr(at, end - at);
      scan.seen.clear();
      hs_scan(database_, scan.chunk.data(), static_cast<unsigned>(scan.chunk.size()), 0, scratch_,
              on_match, &scan);
      at = end;
    }
    return scan.answer;
  }

  std::vector<PatternSearch> patterns_;
  hs_database_t* database_ = nullptr;
  hs_scratch_t* scratch_ = nullptr;
  std::string normal_;
  std::vector<std::size_t> ends_;
#endif
  const Dataset& dataset_;
  std::string log_;
  std::optional<MessageMatcher> matcher_;
};

int run(std::size_t mib, int repetitions, int patterns) {
  SourceSet sources;
  Diagnostics warnings;
  auto shipped = read_dataset(sources, DiskFileSystem(), ASSAY_SOURCE_DIR "/dataset", warnings);
  if (!shipped) return 2;
  // Vectorscan's matches are searched in one line here; eight messages have several.
  Dataset one_line;
  for (const ErrorRecord& record : shipped->records)
    if (record.message_pattern.find("\\n") == std::string::npos) one_line.records.push_back(record);
  if (patterns == 0) Bench(one_line, mib << 20).run(repetitions);
  const Dataset many = synthetic(one_line, patterns == 0 ? 10'000 : patterns);
  Bench(many, mib << 20).run(repetitions);
  return 0;
}

}  // namespace
}  // namespace assay::bench

int main(int count, char** arguments) {
  const auto number = [&](int index, long otherwise) {
    return count > index ? std::strtol(arguments[index], nullptr, 10) : otherwise;
  };
  return assay::bench::run(static_cast<std::size_t>(number(1, 256)), static_cast<int>(number(2, 5)),
                           static_cast<int>(number(3, 0)));
}
