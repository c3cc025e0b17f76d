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

// What two records share, of what is followed.
struct Shared {
  std::vector<std::pair<double, std::string>> tags;  // with their rarity
  bool same_file = false;
  bool same_background = false;
};

std::string reason_of(Shared& shared, const ErrorRecord& record) {
  std::vector<std::string> reasons;
  std::stable_sort(shared.tags.begin(), shared.tags.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> tags;
  for (const auto& [rarity, tag] : shared.tags)
    if (rarity >= kTellingRarity && tags.size() < kNamedTags) tags.push_back(tag);
  if (!tags.empty()) reasons.push_back(fmt::format("also about {}", fmt::join(tags, ", ")));
  if (shared.same_file) reasons.emplace_back("raised in the same file");
  if (shared.same_background)
    reasons.push_back(fmt::format("the same kind of situation ({})", *record.background_tag));
  if (reasons.empty()) reasons.emplace_back("a similar message");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

struct RelatedErrors::Features {
  explicit Features(const Dataset& all_records) : dataset(all_records) {
    std::map<Feature, std::uint32_t> numbers;
    of_record.resize(dataset.records.size());
    for (std::uint32_t record = 0; record < dataset.records.size(); ++record)
      for (const Feature& feature : features_of(dataset.records[record])) {
        const auto [entry, is_new] =
            numbers.try_emplace(feature, static_cast<std::uint32_t>(holders.size()));
        if (is_new) {
          holders.emplace_back();
          names.push_back(feature);
        }
        holders[entry->second].push_back(record);
        of_record[record].push_back(entry->second);
      }
    // + 1: in a small dataset even what all share says something.
    const auto all = static_cast<double>(dataset.records.size());
    for (const auto& list : holders)
      rarity.push_back(std::log2(1 + all / static_cast<double>(list.size())));
  }

  bool is_followed(std::uint32_t feature) const { return holders[feature].size() <= kTooCommon; }

  Shared shared_by(std::size_t a, std::size_t b) const {
    const std::set<std::uint32_t> others(of_record[b].begin(), of_record[b].end());
    Shared shared;
    for (const std::uint32_t feature : of_record[a]) {
      if (!is_followed(feature) || !others.contains(feature)) continue;
      const auto& [kind, text] = names[feature];
      shared.same_file |= kind == Kind::file;
      shared.same_background |= kind == Kind::background;
      if (kind == Kind::tag) shared.tags.emplace_back(rarity[feature], text);
    }
    return shared;
  }

  const Dataset& dataset;
  std::vector<Feature> names;                         // by number
  std::vector<std::vector<std::uint32_t>> holders;    // records, by number
  std::vector<double> rarity;                         // by number
  std::vector<std::vector<std::uint32_t>> of_record;  // numbers, in the order of Feature
};

RelatedErrors::RelatedErrors(const Dataset& dataset)
    : features_(std::make_unique<const Features>(dataset)) {}
RelatedErrors::~RelatedErrors() = default;

std::vector<RelatedError> RelatedErrors::of(std::size_t index, std::size_t limit) const {
  const Dataset& dataset = features_->dataset;
  const ErrorRecord& record = dataset.records[index];
  std::vector<RelatedError> related;
  std::set<std::size_t> taken{index};
  for (const RecordLink& link : record.see_also) {
    const auto other = dataset.by_id.find(link.id);
    if (other == dataset.by_id.end() || related.size() == limit) continue;
    if (taken.insert(other->second).second)
      related.push_back({&dataset.records[other->second], link.reason});
  }
  std::vector<double> scores(dataset.records.size());
  for (const std::uint32_t feature : features_->of_record[index]) {
    if (!features_->is_followed(feature)) continue;
    const double score = features_->rarity[feature] * weight_of(features_->names[feature].first);
    for (const std::uint32_t other : features_->holders[feature]) scores[other] += score;
  }
  std::vector<std::size_t> order;
  for (std::size_t other = 0; other < scores.size(); ++other)
    if (scores[other] >= kLeastScore && !taken.contains(other) &&
        dataset.records[other].status != "retired")
      order.push_back(other);
  const std::size_t wanted = std::min(limit - related.size(), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  for (std::size_t at = 0; at < wanted; ++at) {
    Shared shared = features_->shared_by(index, order[at]);
    related.push_back({&dataset.records[order[at]], reason_of(shared, record)});
  }
  return related;
}

}  // namespace assay
