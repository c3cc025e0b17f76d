// The first walk in a bundle: written when the bundle is made, read instead of walked. What was
// read is held against the pack; if it does not fit, that is noted and the walk is done.
#include <algorithm>

#include "engine/compile/bundle_fields.h"
#include "engine/evaluate/wake_set.h"

namespace assay {

constexpr Verdict last_of(Verdict /*of*/) { return Verdict::undecided; }

namespace {

// Reads and writes a span whose items live in the archive's memory.
template <class T>
void visit_span(BundleWriter& writer, std::span<const T>& items) {
  writer(std::vector<T>(items.begin(), items.end()));
}
template <class T>
void visit_span(BundleReader& reader, std::span<const T>& items) {
  std::vector<T> read;
  reader(read);
  T* memory = reader.memory().allocate_array<T>(read.size());
  std::uninitialized_copy(read.begin(), read.end(), memory);
  items = {memory, read.size()};
}

}  // namespace

template <class Archive>
void fields(Archive& a, Candidate& candidate) {
  a(candidate.value, candidate.writer, candidate.before);
  if constexpr (Archive::kReads)
    a.expect(candidate.writer == kUnplaced || candidate.writer < a.reading().rule_count);
}
template <class Archive>
void fields(Archive& a, FactChange& change) {
  a(change.fact, change.before, change.is_change);
  visit_span(a, change.before_values);
  visit_span(a, change.written);
  visit_span(a, change.waits_for);
  if constexpr (Archive::kReads) {
    a.expect(change.fact < a.reading().fact_count && !change.written.empty() &&
             change.written.size() <= kMaxCandidates);
    for (const std::uint32_t slot : change.waits_for) a.expect(slot < a.reading().slot_count);
  }
}
template <class Archive>
void fields(Archive& a, RuleMemo& memo) {
  Judgement& judgement = memo.outcome.judgement;
  a(judgement.verdict, judgement.row, judgement.waits_for, judgement.error, memo.outcome.changes);
  if constexpr (Archive::kReads)
    for (const std::uint32_t slot : judgement.waits_for) a.expect(slot < a.reading().slot_count);
}

template <class Archive>
void WakeSet::visit(Archive& a) {
  a(enabled_, verdicts_, memos_, memo_of_rule_, readers_, guarded_dependents_, enabled_count_,
    sleeping_satisfied_, sleeping_not_applicable_);
}

std::string WakeSet::stored(const BundleWriting& writing) const {
  BundleWriter writer(writing);
  const_cast<WakeSet*>(this)->visit(writer);  // a writer only reads
  return writer.take();
}

bool WakeSet::read_stored(const CompiledPack& pack) {
  const std::unique_ptr<BundleReader> reader = pack.stored_walk();
  if (reader == nullptr) return false;
  visit(*reader);
  const std::size_t count = pack.rules().size();
  const std::size_t words = (count + 63) / 64;
  const auto is_rule = [&](std::uint32_t rule) { return rule < count; };
  const auto is_derived = [&](FactId fact) {
    return fact < pack.slots().fact_count && pack.is_derived(fact);
  };
  bool fits = reader->finish() && enabled_.size() == words && verdicts_.size() == count &&
              memo_of_rule_.size() == count && readers_.size() == pack.slots().size &&
              guarded_dependents_.size() == pack.slots().size &&
              std::ranges::all_of(readers_.items(), is_rule) &&
              std::ranges::all_of(guarded_dependents_.items(), is_derived) &&
              (count % 64 == 0 || words == 0 || enabled_.back() >> (count % 64) == 0);
  always_.assign(words, 0);
  for (std::uint32_t at = 0; fits && at < count; ++at) {
    const std::uint32_t memo = memo_of_rule_[at];
    if (memo == kUnplaced) continue;
    set(always_, at);
    const std::uint32_t row = memo < memos_.size() ? memos_[memo].outcome.judgement.row : 0;
    fits = memo < memos_.size() && is_enabled(at) &&
           (row == kUnplaced || row < pack.rules()[at].cases.size());
  }
  if (!fits) {
    reader->reading().file->note_damage("its first walk is not one of its rules");
    return false;
  }
  stored_memory_ = reader->take_memory();
  for (Bits* bits : {&awake_, &visited_, &reworded_}) bits->assign(words, 0);
  is_disturbed_.assign(pack.slots().fact_count, 0);
  return true;
}

}  // namespace assay
