// A combination has a number; its digits, with the facts' numbers of candidates as bases, say which
// candidate each fact has. If the lowest fact that was read is the k-th, all numbers that differ in
// the k - 1 lower digits are passed over at once. Others that agree with an earlier combination in
// what was read for it are found by comparing.
#include "engine/evaluate/combinations.h"

#include <algorithm>

namespace assay {

bool Combinations::begin(const FactTable& table, std::span<const FactId> facts) {
  for (const FactId fact : facts) {
    if (!table.has_candidates(fact)) continue;
    const auto size = static_cast<std::uint32_t>(table.candidates(fact).size());
    all_ *= size;
    if (all_ > kMaxCombinations) return false;
    facts_[count_] = fact;
    sizes_[count_++] = size;
  }
  return true;
}

void Combinations::select(FactTable& table) const {
  std::uint64_t digits = digits_;
  for (std::size_t i = 0; i < count_; ++i, digits >>= 4)
    table.select_watched(facts_[i], table.candidates(facts_[i])[digits & 15].value);
  table.renew_lets();
}

bool Combinations::next(const FactTable& table) {
  std::uint64_t read = 0;
  for (std::size_t i = 0; i < count_; ++i)
    if (table.was_read(facts_[i])) read |= std::uint64_t{15} << (4 * i);
  if (seen_count_ < seen_.size()) seen_[seen_count_++] = {digits_ & read, read};
  pass_over(read);
  while (at_ < all_) {
    set_digits();
    const Seen* seen = find_seen();
    if (seen == nullptr) return true;
    pass_over(seen->read);
  }
  return false;
}

void Combinations::end(FactTable& table) const {
  for (std::size_t i = 0; i < count_; ++i) table.select_none(facts_[i]);
}

void Combinations::set_digits() {
  digits_ = 0;
  std::uint32_t rest = at_;
  for (std::size_t i = 0; i < count_; ++i, rest /= sizes_[i - 1])
    digits_ |= std::uint64_t{rest % sizes_[i]} << (4 * i);
}

// Goes to the first number that differs from this one in a fact that was read, or in a higher one.
void Combinations::pass_over(std::uint64_t read) {
  std::uint32_t block = 1;
  for (std::size_t i = 0; i < count_ && (read >> (4 * i) & 1) == 0; ++i) block *= sizes_[i];
  at_ = (at_ / block + 1) * block;
}

const Combinations::Seen* Combinations::find_seen() const {
  const auto* end = seen_.data() + seen_count_;
  const auto* found = std::find_if(
      seen_.data(), end, [this](const Seen& seen) { return (digits_ & seen.read) == seen.digits; });
  return found == end ? nullptr : found;
}

bool are_many_combinations(const FactTable& table, std::span<const FactId> facts) {
  constexpr std::size_t kFew = 2;
  std::size_t all = 1;
  for (const FactId fact : facts) {
    if (table.has_candidates(fact)) all *= table.candidates(fact).size();
    if (all > kFew) return true;
  }
  return false;
}

}  // namespace assay
