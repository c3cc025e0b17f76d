// Two errors are related by what they share: tags, the file that raises them, the kind of situation
// (backgroundTag), and words of the message. What few records share says more than what many share,
// so a shared thing counts by its rarity, log2(records / records that have it), times a weight for
// its kind: tags 1, kind of situation 1.5, file 1, a word of the message 0.5. Things that more than
// kTooCommon records share are not followed, which keeps 10,000 records far from 10,000 squared
// pairs. Equal scores are broken by the dataset's order.
#include "engine/report/related_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace assay {
namespace {

constexpr std::size_t kTooCommon = 400;
constexpr double kLeastScore = 1.0;
constexpr std::size_t kNamedTags = 3;
// log2(1 + 2): what more than half of all records share counts, but is not worth naming.
constexpr double kTellingRarity = 1.58;

enum class Kind : std::uint8_t { tag, background, file, word };

double weight_of(Kind kind) {
  switch (kind) {
    case Kind::tag:
    case Kind::file:
      return 1.0;
    case Kind::background:
      return 1.5;
    case Kind::word:
      break;
  }
  return 0.5;
}

using Feature = std::pair<Kind, std::string>;

// Lower-case words of at least three letters outside {placeholders}.
std::set<std::string> words_of(std::string_view message) {
  std::set<std::string> words;
  std::string word;
  int braces = 0;
  const auto end_word = [&] {
    if (word.size() >= 3) words.insert(word);
    word.clear();
  };
  for (char c : message) {
    if (c == '{') ++braces;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (is_letter && braces == 0) {
      word += c;
    } else {
      end_word();
    }
    if (c == '}' && braces > 0) --braces;
  }
  end_word();
  return words;
}

std::set<Feature> features_of(const ErrorRecord& record) {
  std::set<Feature> features;
  for (const std::string& tag : record.tags) features.emplace(Kind::tag, tag);
  if (record.background_tag) features.emplace(Kind::background, *record.background_tag);
  if (record.file_path) features.emplace(Kind::file, record.repo + ":" + *record.file_path);
  for (const std::string& word : words_of(record.error_message)) features.emplace(Kind::word, word);
  return features;
}

struct Closeness {
  double score = 0;
  std::vector<std::pair<double, std::string>> tags;  // with their rarity
  bool same_file = false;
  bool same_background = false;
};

std::string reason_of(Closeness& closeness, const ErrorRecord& record) {
  std::vector<std::string> reasons;
  std::stable_sort(closeness.tags.begin(), closeness.tags.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> tags;
  for (const auto& [rarity, tag] : closeness.tags)
    if (rarity >= kTellingRarity && tags.size() < kNamedTags) tags.push_back(tag);
  if (!tags.empty()) reasons.push_back(fmt::format("also about {}", fmt::join(tags, ", ")));
  if (closeness.same_file) reasons.emplace_back("raised in the same file");
  if (closeness.same_background)
    reasons.push_back(fmt::format("the same kind of situation ({})", *record.background_tag));
  if (reasons.empty()) reasons.emplace_back("a similar message");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

class Relations {
 public:
  explicit Relations(const Dataset& dataset) : dataset_(dataset) {
    for (std::size_t i = 0; i < dataset.records.size(); ++i)
      for (const Feature& feature : features_of(dataset.records[i])) holders_[feature].push_back(i);
  }

  std::vector<RelatedError> of(std::size_t index, std::size_t limit) const {
    const ErrorRecord& record = dataset_.records[index];
    std::vector<RelatedError> related;
    std::set<std::size_t> taken{index};
    for (const RecordLink& link : record.see_also) {
      const auto other = dataset_.by_id.find(link.id);
      if (other == dataset_.by_id.end() || related.size() == limit) continue;
      if (taken.insert(other->second).second)
        related.push_back({&dataset_.records[other->second], link.reason});
    }
    std::map<std::size_t, Closeness> close = closeness_to(index);
    std::vector<std::size_t> order;
    for (const auto& [other, closeness] : close)
      if (closeness.score >= kLeastScore && !taken.contains(other) &&
          dataset_.records[other].status != "retired")
        order.push_back(other);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return close[a].score > close[b].score; });
    for (const std::size_t other : order) {
      if (related.size() == limit) break;
      related.push_back({&dataset_.records[other], reason_of(close[other], record)});
    }
    return related;
  }

 private:
  std::map<std::size_t, Closeness> closeness_to(std::size_t index) const {
    std::map<std::size_t, Closeness> close;
    const auto all = static_cast<double>(dataset_.records.size());
    for (const Feature& feature : features_of(dataset_.records[index])) {
      const auto& holders = holders_.at(feature);
      if (holders.size() > kTooCommon) continue;
      // + 1: in a small dataset even what all share says something.
      const double rarity = std::log2(1 + all / static_cast<double>(holders.size()));
      for (const std::size_t other : holders) {
        Closeness& c = close[other];
        c.score += rarity * weight_of(feature.first);
        c.same_file |= feature.first == Kind::file;
        c.same_background |= feature.first == Kind::background;
        if (feature.first == Kind::tag) c.tags.emplace_back(rarity, feature.second);
      }
    }
    return close;
  }

  const Dataset& dataset_;
  std::map<Feature, std::vector<std::size_t>> holders_;
};

}  // namespace

std::vector<std::vector<RelatedError>> related_errors(const Dataset& dataset, std::size_t limit) {
  const Relations relations(dataset);
  std::vector<std::vector<RelatedError>> all;
  all.reserve(dataset.records.size());
  for (std::size_t i = 0; i < dataset.records.size(); ++i) all.push_back(relations.of(i, limit));
  return all;
}

}  // namespace assay
