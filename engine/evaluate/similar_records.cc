// Two stages. An inverted index over words gives every record that shares one with the message, and
// the weighted share of common words (a word's weight is the logarithm of how few records use it).
// The best two dozen are then compared word by word in order (longest common subsequence with the
// same weights): likeness is the mean of both, so that the same words in another order count less.
#include "engine/evaluate/similar_records.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/ascii.h"

namespace assay {
namespace {

constexpr std::size_t kMaxWords = 96;
constexpr std::size_t kCompared = 24;
constexpr std::size_t kLeastWords = 3;  // fewer are in too many messages to say anything
constexpr double kLeastLikeness = 0.4;
constexpr double kClassShare = 0.04;
constexpr std::string_view kHole = "{}";

bool is_word_character(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         u >= 0x80;
}

bool is_hole(std::string_view word) { return word == kHole; }
bool is_number(std::string_view word) {
  return word.find_first_not_of("0123456789") == std::string_view::npos;
}

// The words of a message; `{name}` of a record's is one hole.
std::vector<std::string> words_of(std::string_view text, bool has_holes) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size() && words.size() < kMaxWords;) {
    if (has_holes && text[at] == '{') {
      const auto close = text.find('}', at);
      if (close != std::string_view::npos) {
        if (words.empty() || !is_hole(words.back())) words.emplace_back(kHole);
        at = close + 1;
        continue;
      }
    }
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end > at) words.emplace_back(text.substr(at, std::min<std::size_t>(end - at, 64)));
    at = std::max(end, at + 1);
  }
  return words;
}

class Alignment {
 public:
  template <typename Weight>
  Alignment(const std::vector<std::string>& record, const std::vector<std::string>& log,
            Weight weight)
      : record_(record), log_(log), width_(log.size() + 1), best_((record.size() + 1) * width_) {
    for (const std::string& word : record_) record_keys_.push_back(lowered(word));
    for (const std::string& word : log_) log_keys_.push_back(lowered(word));
    for (std::size_t r = record_.size(); r-- > 0;)
      for (std::size_t l = log_.size(); l-- > 0;) {
        double best = std::max(at(r + 1, l), at(r, l + 1));
        if (record_keys_[r] == log_keys_[l])
          best = std::max(best, at(r + 1, l + 1) + weight(log_keys_[l]));
        at(r, l) = best;
      }
  }

  double common() { return at(0, 0); }

  std::vector<WordDifference> difference() {
    std::size_t r = 0;
    std::size_t l = 0;
    while (r < record_.size() || l < log_.size()) {
      if (r < record_.size() && l < log_.size() && record_keys_[r] == log_keys_[l]) {
        add(WordDifference::Side::both, log_[l]);
        ++r, ++l;
      } else if (r < record_.size() && (l == log_.size() || at(r + 1, l) >= at(r, l + 1))) {
        add(WordDifference::Side::record_only, record_[r++]);
      } else {
        add(WordDifference::Side::log_only, log_[l++]);
      }
    }
    fill_holes();
    return std::move(parts_);
  }

 private:
  double& at(std::size_t r, std::size_t l) { return best_[r * width_ + l]; }

  void add(WordDifference::Side side, const std::string& word) {
    if (parts_.empty() || parts_.back().side != side)
      parts_.push_back({side, word});
    else
      parts_.back().text += ' ' + word;
  }

  // A hole of the record that words of the log stand against is no difference.
  void fill_holes() {
    std::vector<WordDifference> filled;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const bool is_only_hole =
          parts_[i].side == WordDifference::Side::record_only && is_hole(parts_[i].text);
      if (!is_only_hole) {
        filled.push_back(parts_[i]);
        continue;
      }
      if (i + 1 < parts_.size() && parts_[i + 1].side == WordDifference::Side::log_only)
        parts_[i + 1].side = WordDifference::Side::both;
      else if (!filled.empty() && filled.back().side == WordDifference::Side::log_only)
        filled.back().side = WordDifference::Side::both;
    }
    parts_.clear();
    for (WordDifference& part : filled) {
      if (!parts_.empty() && parts_.back().side == part.side)
        parts_.back().text += ' ' + part.text;
      else
        parts_.push_back(std::move(part));
    }
  }

  const std::vector<std::string>& record_;
  const std::vector<std::string>& log_;
  std::vector<std::string> record_keys_;
  std::vector<std::string> log_keys_;
  std::size_t width_;
  std::vector<double> best_;
  std::vector<WordDifference> parts_;
};

// The different words that say something: no holes, no numbers.
std::set<std::string> vocabulary(const std::vector<std::string>& words) {
  std::set<std::string> different;
  for (const std::string& word : words)
    if (!is_hole(word) && !is_number(word)) different.insert(lowered(word));
  return different;
}

}  // namespace

void SimilarRecords::read_records() const {
  for (const ErrorRecord& record : dataset_.records) {
    if (record.is_wrapper || record.status == "retired") continue;
    const auto index = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({&record, words_of(record.error_message, true), 0});
    for (const std::string& word : vocabulary(entries_.back().words))
      by_word_[word].push_back(index);
  }
  for (Entry& entry : entries_)
    for (const std::string& word : vocabulary(entry.words)) entry.weight += weight_of(word);
}

double SimilarRecords::weight_of(const std::string& word) const {
  const auto known = by_word_.find(word);
  const double users = known == by_word_.end() ? 1.0 : static_cast<double>(known->second.size());
  return std::log(1.0 + static_cast<double>(entries_.size()) / users);
}

std::vector<SimilarRecord> SimilarRecords::find(std::string_view error_class,
                                                std::string_view message, std::size_t count) const {
  const std::vector<std::string> words = words_of(message, false);
  const std::set<std::string> different = vocabulary(words);
  if (different.size() < kLeastWords) return {};
  std::call_once(is_read_, [this] { read_records(); });
  std::unordered_map<std::uint32_t, double> common;
  double own = 0;
  for (const std::string& word : different) {
    const double weight = weight_of(word);
    own += weight;
    const auto known = by_word_.find(word);
    if (known == by_word_.end()) continue;
    for (const std::uint32_t index : known->second) common[index] += weight;
  }
  const auto share = [&](double both, const Entry& entry) {
    const double all = own + entry.weight;
    return all == 0 ? 0 : 2 * both / all;
  };
  std::vector<std::pair<double, std::uint32_t>> ranked;
  for (const auto& [index, weight] : common)
    ranked.emplace_back(share(weight, entries_[index]), index);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  ranked.resize(std::min(ranked.size(), kCompared));

  std::vector<SimilarRecord> found;
  for (const auto& [words_share, index] : ranked) {
    const Entry& entry = entries_[index];
    Alignment alignment(entry.words, words, [&](const std::string& word) {
      return is_number(word) ? 0.0 : weight_of(word);
    });
    const bool is_same_class = !error_class.empty() && entry.record->error_class &&
                               *entry.record->error_class == error_class;
    const double likeness = (words_share + share(alignment.common(), entry)) / 2;
    const double raised = std::min(1.0, likeness + (is_same_class ? kClassShare : 0));
    if (raised < kLeastLikeness) continue;
    found.push_back({entry.record, raised, alignment.difference()});
  }
  std::stable_sort(found.begin(), found.end(), [](const SimilarRecord& a, const SimilarRecord& b) {
    return a.likeness > b.likeness;
  });
  if (found.size() > count) found.resize(count);
  return found;
}

}  // namespace assay
