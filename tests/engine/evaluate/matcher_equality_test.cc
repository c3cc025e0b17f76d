// The matcher against RE2, pattern by pattern and line by line, on random patterns and texts.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <random>
#include <string>

#include "engine/compile/pattern_literals.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/text/log_text.h"
#include "tests/support/sample.h"

namespace assay {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> kWords{"kv",      "cache",        "must be", ", got ",
                                      "backend", "requires",     "a",       "aa",
                                      "ab",      "unsupported",  "tensor.", "(fp8)",
                                      "x=",      "ValueError: ", "\xe9",    "attention_backend"};

std::string quoted(const std::string& word) { return re2::RE2::QuoteMeta(word); }

std::string random_pattern(Random& random) {
  static const std::vector<std::string> kParts{"(.+?)", "(.+?)",     "(.*?)", "(.+)",     "(\\d+)",
                                               "\\s",   "(?:a|kv )", "a?",    "[^ ]+",    ".",
                                               "(.*)",  "(a)?",      "a*",    "(?i:back)"};
  std::string pattern = random.below(12) == 0 ? "^" : "";
  const std::size_t parts = 1 + random.below(6);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t words = 1 + random.below(4);
    for (std::size_t w = 0; w < words; ++w)
      pattern += quoted(random.one_of(kWords)) + (random.below(2) == 0 ? " " : "");
    if (random.below(3) != 0) pattern += random.one_of(kParts);
  }
  if (random.below(12) == 0) pattern += "$";
  return pattern;
}

// Text that patterns are likely to match: the same words, and what the patterns' parts stand for.
std::string random_line(Random& random, const std::vector<std::string>& literals) {
  static const std::vector<std::string> kPrefixes{
      "",
      "",
      "[2026-01-02 03:04:05 TP0] ",
      "\x1b[1;36m(EngineCore_DP0 pid=12)\x1b[0;0m ERROR ",
      "server-1  | ",
      "2026-01-02T03:04:05.000000001Z stderr F "};
  static const std::vector<std::string> kNoise{"7",
                                               " ",
                                               "torch.bfloat16",
                                               "\xff\x80",
                                               std::string("\0", 1),
                                               "\x1b[31m",
                                               "^[[0m",
                                               "\r",
                                               "a",
                                               "\xe2\x80\x99",
                                               "&quot;",
                                               "[1;36m",
                                               "50%|##| 1/2 ",
                                               "{\"x\":\"y\"}"};
  std::string line = random.one_of(kPrefixes);
  const std::size_t parts = random.below(12);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t kind = random.below(4);
    line += kind == 0   ? random.one_of(kNoise)
            : kind == 1 ? random.one_of(literals)
                        : random.one_of(kWords) + (random.below(2) == 0 ? " " : "");
  }
  if (random.below(40) == 0) line.append(random.below(3000), 'a');
  return line;
}

struct Expected {
  std::size_t record;
  std::string text, matched;
  std::vector<std::string> captures;
  auto operator<=>(const Expected&) const = default;
};

class Reference {
 public:
  explicit Reference(const Dataset& dataset) : dataset_(dataset) {
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false);
    for (const ErrorRecord& record : dataset.records) {
      patterns_.push_back(
          std::make_unique<re2::RE2>(extend_last_group(record.message_pattern), options));
      contexts_.push_back(std::make_unique<re2::RE2>(record.context.value_or(""), options));
    }
  }

  std::vector<Expected> find(std::string_view text) const {
    LogText clean(text);
    std::vector<Expected> found;
    for (std::string_view rest = clean.text(); !rest.empty();) {
      const auto end = rest.find_first_of("\r\n");
      take_line(rest.substr(0, end), clean, found);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return found;
  }

 private:
  void take_line(std::string_view line, const LogText& clean, std::vector<Expected>& found) const {
    if (line.empty()) return;
    std::vector<std::string_view> records;
    split_glued_records(line, records);
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      const re2::RE2& re = *patterns_[i];
      std::vector<re2::StringPiece> pieces(1 +
                                           static_cast<std::size_t>(re.NumberOfCapturingGroups()));
      const auto matches = [&](std::string_view in) {
        return re.Match({in.data(), in.size()}, 0, in.size(), re2::RE2::UNANCHORED, pieces.data(),
                        static_cast<int>(pieces.size()));
      };
      const auto matches_record = [&](std::string_view record) {
        return matches(split_log_line(record).message) || matches(record);
      };
      if (std::none_of(records.begin(), records.end(), matches_record) && !matches(line)) continue;
      if (!re2::RE2::PartialMatch({line.data(), line.size()}, *contexts_[i])) continue;
      Expected expected{i, std::string(clean.original(line)), {}, {}};
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const std::string part(clean.original({pieces[p].data(), pieces[p].size()}));
        if (p == 0)
          expected.matched = part;
        else
          expected.captures.push_back(part);
      }
      found.push_back(std::move(expected));
    }
  }

  const Dataset& dataset_;
  std::vector<std::unique_ptr<re2::RE2>> patterns_, contexts_;
};

std::vector<Expected> found_by(const MessageMatcher& matcher, const Dataset& dataset,
                               std::string_view text) {
  std::vector<Expected> found;
  std::size_t line = 1;
  std::size_t counted = 0;
  for (const MessageMatch& match : matcher.find(text)) {
    EXPECT_EQ(match.text.data(), text.data() + match.offset);
    line +=
        static_cast<std::size_t>(std::count(text.begin() + static_cast<long>(counted),
                                            text.begin() + static_cast<long>(match.offset), '\n'));
    counted = match.offset;
    EXPECT_EQ(match.line, line);
    found.push_back({static_cast<std::size_t>(match.record - &dataset.records[0]),
                     std::string(match.text),
                     std::string(match.matched),
                     {match.captures.begin(), match.captures.end()}});
  }
  return found;
}

// What `reference` and the matcher find in `text`; returns how many matches there are.
std::size_t compare_on(const Dataset& dataset, const std::string& text, unsigned seed) {
  const auto matcher = MessageMatcher::compile(dataset);
  EXPECT_TRUE(matcher.has_value());
  auto expected = Reference(dataset).find(text);
  auto found = found_by(*matcher, dataset, text);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found.size(), expected.size()) << "seed " << seed;
  if (found == expected) return found.size();
  const auto wrong = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  for (const auto& [what, at, end] : {std::tuple("found", wrong.first, found.end()),
                                      std::tuple("expected", wrong.second, expected.end())})
    if (at != end)
      ADD_FAILURE() << "seed " << seed << ", " << what << " "
                    << dataset.records[at->record].message_pattern << " in `" << at->text << "`: `"
                    << at->matched << "`";
  return found.size();
}

// On one random set of patterns and one text.
std::size_t compare(unsigned seed, std::size_t patterns, std::size_t lines) {
  Random random(seed);
  Dataset dataset;
  std::vector<std::string> literals{"kv"};
  for (std::size_t i = 0; i < patterns; ++i) {
    ErrorRecord record;
    record.id = record.slug = std::to_string(i);
    record.message_pattern = random_pattern(random);
    if (random.below(5) == 0) record.context = quoted(random.one_of(kWords));
    for (const std::string& literal : required_literals(record.message_pattern))
      literals.push_back(literal);
    dataset.records.push_back(std::move(record));
  }
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += random_line(random, literals) + "\n";
  return compare_on(dataset, text, seed);
}

// Messages whose bytes are few, so that they look alike in all their parts.
std::string random_literal(Random& random, std::size_t shortest) {
  std::string literal;
  const std::size_t size = shortest + random.below(40);
  while (literal.size() < size) literal += "abcd, '\"&P{"[random.below(11)];
  return literal;
}

// `message` with what a log puts into it and a reader takes out again, or with other damage.
std::string damaged(const std::string& message, Random& random) {
  static const std::vector<std::string> kInside{"\x1b[31m",
                                                "\x1b[0;0m",
                                                "\x1b[1m\x1b[36m",
                                                "\x1b",
                                                "^[[0m",
                                                "[1;36m",
                                                "\x1b]0;title\a",
                                                "\n2026-01-02T03:04:05.000000001Z stderr F ",
                                                "&#x1b;",
                                                "~",
                                                "\n",
                                                "\r"};
  std::string text;
  for (const char c : message) {
    if (random.below(24) == 0) text += random.one_of(kInside);
    const bool is_entity = random.below(6) == 0;
    text += is_entity && c == '"'    ? "&quot;"
            : is_entity && c == '\'' ? "\xe2\x80\x99"
            : is_entity && c == '&'  ? "&amp;"
                                     : std::string(1, c);
  }
  return text;
}

std::string line_around(const std::string& message, Random& random) {
  static const std::vector<std::string> kBefore{"",
                                                "",
                                                "ValueError: ",
                                                "[2026-01-02 03:04:05 TP0] ",
                                                "\x1b[1;36m(Engine pid=1)\x1b[0;0m ",
                                                "2026-01-02T03:04:05.000000001Z stderr P ",
                                                "{\"message\":\"",
                                                "{\"log\":\""};
  const std::string& before = random.one_of(kBefore);
  return before + std::string(random.below(20), '.') + message +
         (before.starts_with('{') ? random.below(2) == 0 ? "\\n\"}" : "\"}" : "");
}

// Every pattern has a literal that is looked for, so that lines without one are not read.
std::size_t compare_damaged(unsigned seed, std::size_t shortest) {
  Random random(seed);
  Dataset dataset;
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < 1 + seed % 9; ++i) {
    ErrorRecord record;
    record.id = record.slug = std::to_string(i);
    const std::string first = random_literal(random, shortest);
    const std::string second = random_literal(random, 1);
    const bool has_group = random.below(2) == 0;
    record.message_pattern = quoted(first) + (has_group ? " (.+?) " + quoted(second) : "");
    messages.push_back(has_group ? first + " x " + second : first);
    dataset.records.push_back(std::move(record));
  }
  std::string text;
  while (text.size() < 3000) {
    const std::string& message = random.one_of(messages);
    text += random.below(2) == 0
                ? line_around(damaged(message, random), random)
                : damaged(line_around(message, random) + random.one_of(messages), random);
    if (random.below(8) != 0) text += '\n';
  }
  return compare_on(dataset, text, seed);
}

TEST(MatcherEquality, SmallSetsOnShortTexts) {
  std::size_t matches = 0;
  for (unsigned seed = 0; seed < 300; ++seed) matches += compare(seed, 1 + seed % 12, 12);
  EXPECT_GT(matches, 100u);
}

TEST(MatcherEquality, ManyPatternsOnTextsOfSeveralBlocks) {
  for (unsigned seed = 1000; seed < 1002; ++seed) EXPECT_GT(compare(seed, 40, 6000), 100u);
}

TEST(MatcherEquality, WhateverIsTakenOutOfTheMiddleOfALiteral) {
  for (const std::size_t shortest : {8u, 12u, 15u, 30u}) {
    std::size_t matches = 0;
    const auto step = static_cast<unsigned>(test::sample_step());
    for (unsigned seed = 0; seed < 400; seed += step) matches += compare_damaged(seed, shortest);
    EXPECT_GT(matches * step, 2000u) << shortest;
  }
}

}  // namespace
}  // namespace assay
