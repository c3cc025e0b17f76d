// A tier for each error, then the place in the text. The tiers say what may be a cause at all: a
// message that only carries another never is; a wait or a lost connection is one only where nothing
// else is known; of an exception chain it is the most specific known error, since the innermost is
// often too low (a compiler's exit status) and the outermost a wrapper. What marks a record as a
// wrapper, a symptom or an asynchronous fault stands in the record (`wrapper`, the tag "symptom",
// the background "asynchronous-device-fault"), never here.
#include "engine/evaluate/root_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/evaluate/log_origin.h"

namespace assay {
namespace {

constexpr std::size_t kMaxFetch = 4;
constexpr std::size_t kExplainedUnknown = 8;  // unknown errors whose near records are looked for
constexpr std::size_t kSimilar = 3;

enum class Tier : std::uint8_t {
  known,
  known_by_place,
  assertion,     // of a kernel: what an asynchronous fault only reports
  asynchronous,  // and the text has such an assertion
  unknown,
  consequence,
  symptom,
  wrapper,
  plain,    // a line of level ERROR, no more
  earlier,  // of a run of the server before the one that failed last
  warning,
};

bool has_tag(const ErrorRecord& record, std::string_view tag) {
  return std::find(record.tags.begin(), record.tags.end(), tag) != record.tags.end();
}

bool is_error(const ErrorRecord& record) {
  return record.severity != "warning" && record.severity != "note";
}

class CauseJudgement {
 public:
  explicit CauseJudgement(LogEvidence evidence) : evidence_(std::move(evidence)) {
    has_assertion_ = std::any_of(evidence_.candidates.begin(), evidence_.candidates.end(),
                                 [](const ErrorCandidate& c) { return c.is_assertion; });
    for (const ErrorCandidate& candidate : evidence_.candidates)
      tiers_.push_back(tier_of(candidate));
    demote_within_chains();
    demote_outside_last_failure();
    demote_behind_unknown();
  }

  Explanation explain(const SimilarRecords* similar) {
    Explanation explanation;
    explanation.lines = evidence_.lines;
    explanation.left_out = evidence_.left_out;
    std::vector<std::size_t> order(evidence_.candidates.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    put_quoting_wrapper_first(order);
    if (!order.empty()) decide(order.front(), explanation);
    for (const std::size_t index : order) explanation.errors.push_back(finished(index));
    if (explanation.found == CauseFound::known || explanation.found == CauseFound::unknown)
      name_cause(order, explanation.errors.front());
    if (order.empty() && !evidence_.cut.empty()) explanation.found = CauseFound::not_in_text;
    if (explanation.found == CauseFound::not_in_text) list_what_to_fetch(order, explanation.fetch);
    if (similar != nullptr) find_similar(*similar, explanation);
    return explanation;
  }

 private:
  Tier tier_of(const ErrorCandidate& candidate) const {
    const ExplainedError& error = candidate.error;
    if (error.record == nullptr)
      return candidate.is_assertion ? Tier::assertion
             : candidate.is_plain   ? Tier::plain
                                    : Tier::unknown;
    if (error.record->is_wrapper) return Tier::wrapper;
    if (!is_error(*error.record)) return Tier::warning;
    if (has_tag(*error.record, "symptom")) return Tier::symptom;
    if (error.is_asynchronous && has_assertion_) return Tier::asynchronous;
    return candidate.is_by_message ? Tier::known : Tier::known_by_place;
  }

  // Of one chain the most specific known error stays; the others of it came with it.
  void demote_within_chains() {
    std::vector<bool> is_best(tiers_.size());
    std::vector<bool> is_other(tiers_.size());
    for (const std::vector<std::size_t>& chain : evidence_.chains) {
      const auto worth = [&](std::size_t index) {
        return std::tuple(-static_cast<int>(tiers_[index]), evidence_.candidates[index].weight);
      };
      const std::size_t best =
          *std::max_element(chain.begin(), chain.end(),
                            [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
      for (const std::size_t index : chain) (index == best ? is_best : is_other)[index] = true;
      if (tiers_[best] == Tier::known || tiers_[best] == Tier::known_by_place)
        chain_length_[best] = std::max(chain_length_[best], chain.size());
    }
    for (std::size_t i = 0; i < tiers_.size(); ++i)
      if (is_other[i] && !is_best[i] && tiers_[i] < Tier::consequence)
        tiers_[i] = Tier::consequence;
  }

  // Of a server that was started again the last run that failed is asked for: the last stretch with
  // an error that did not end with a server that serves, if there is one.
  void demote_outside_last_failure() {
    const ServerRuns& runs = evidence_.runs;
    if (runs.last_stretch() == 0) return;
    std::optional<std::pair<bool, std::size_t>> last;
    const auto stretch_of = [&](std::size_t i) {
      return runs.stretch_of(evidence_.candidates[i].error.line);
    };
    for (std::size_t i = 0; i < tiers_.size(); ++i) {
      if (tiers_[i] > Tier::unknown) continue;
      const std::pair here(!runs.ends_in_service(stretch_of(i)), stretch_of(i));
      if (!last || *last < here) last = here;
    }
    if (!last) return;
    for (std::size_t i = 0; i < tiers_.size(); ++i) {
      const std::size_t stretch = stretch_of(i);
      if (stretch == last->second || tiers_[i] > Tier::consequence) continue;
      tiers_[i] = Tier::earlier;
      if (stretch == runs.last_stretch()) continue;
      const std::size_t line = runs.line_behind(stretch);
      reasons_[i] =
          runs.ends_in_service(stretch)
              ? fmt::format("The server was ready at line {}, after it.", line)
              : fmt::format("Of an earlier run: the server was started again at line {}.", line);
    }
  }

  // What a process says after an error that ended it, is no cause. Which errors end one, a record
  // says; without one, the wrapper that carried it does.
  void demote_behind_unknown() {
    for (std::size_t known = 0; known < tiers_.size(); ++known) {
      const ErrorCandidate& candidate = evidence_.candidates[known];
      if (tiers_[known] > Tier::known_by_place || candidate.error.process.empty() ||
          candidate.ranks.size() != 1)
        continue;
      const auto ended = std::find_if(evidence_.candidates.begin(), evidence_.candidates.end(),
                                      [&](const ErrorCandidate& c) {
                                        return tier_at(c) == Tier::unknown && c.is_carried &&
                                               c.error.process == candidate.error.process &&
                                               c.error.line < candidate.error.line;
                                      });
      if (ended == evidence_.candidates.end()) continue;
      tiers_[known] = Tier::consequence;
      reasons_[known] =
          fmt::format("The error at line {} had ended its process.", ended->error.line);
    }
  }

  std::size_t line_at(std::size_t index) const { return evidence_.candidates[index].error.line; }

  Tier tier_at(const ErrorCandidate& candidate) const {
    return tiers_[static_cast<std::size_t>(&candidate - evidence_.candidates.data())];
  }

  std::tuple<Tier, std::size_t, std::size_t> rank(std::size_t index) const {
    const ExplainedError& error = evidence_.candidates[index].error;
    return {tiers_[index], error.line, error.column};
  }

  void decide(std::size_t first, Explanation& explanation) const {
    const ErrorCandidate& candidate = evidence_.candidates[first];
    switch (tiers_[first]) {
      case Tier::known:
      case Tier::known_by_place:
      case Tier::asynchronous:
      case Tier::consequence:
      case Tier::symptom:
        explanation.found = CauseFound::known;
        return;
      case Tier::assertion:
      case Tier::unknown:
        explanation.found = CauseFound::unknown;
        return;
      case Tier::plain:
        explanation.found = evidence_.cut.empty() ? CauseFound::unknown : CauseFound::not_in_text;
        return;
      case Tier::wrapper:
        explanation.found = has_quote(candidate) ? CauseFound::unknown : CauseFound::not_in_text;
        return;
      case Tier::earlier:
      case Tier::warning:
        explanation.found = evidence_.cut.empty() ? CauseFound::nothing : CauseFound::not_in_text;
        return;
    }
  }

  // What a wrapper quotes is the error, even where nobody has described it.
  void put_quoting_wrapper_first(std::vector<std::size_t>& order) const {
    if (order.empty() || tiers_[order.front()] != Tier::wrapper) return;
    const auto quoting = std::find_if(order.begin(), order.end(), [&](std::size_t index) {
      return tiers_[index] == Tier::wrapper && has_quote(evidence_.candidates[index]);
    });
    if (quoting != order.end()) std::rotate(order.begin(), quoting, quoting + 1);
  }

  // A sentence, that is: no name, number or list of processes.
  static bool has_quote(const ErrorCandidate& candidate) {
    const std::string& quote = candidate.quote;
    return !is_elided(quote) && quote.front() != '{' && quote.front() != '[' &&
           std::count(quote.begin(), quote.end(), ' ') >= 2 &&
           quote.find("Traceback (most recent") == std::string::npos;
  }

  ExplainedError finished(std::size_t index) {
    ErrorCandidate& candidate = evidence_.candidates[index];
    ExplainedError error = std::move(candidate.error);
    error.ranks.assign(candidate.ranks.begin(), candidate.ranks.end());
    switch (tiers_[index]) {
      case Tier::wrapper:
        error.role = ErrorRole::wrapper;
        error.why = "It only carries another error.";
        break;
      case Tier::symptom:
        error.role = ErrorRole::symptom;
        error.why = "It tells that others failed or were slow, not why.";
        break;
      case Tier::consequence:
        error.role = ErrorRole::consequence;
        error.why = "Its exception chain holds a more specific error.";
        break;
      case Tier::warning:
        error.role = ErrorRole::warning;
        error.why = "The engine went on after it.";
        break;
      default:
        error.role = ErrorRole::error;
        error.why = error.record == nullptr ? "No record describes it." : "";
        break;
    }
    const auto reason = reasons_.find(index);
    if (reason != reasons_.end()) error.why = reason->second;
    return error;
  }

  void name_cause(const std::vector<std::size_t>& order, ExplainedError& cause) const {
    const std::size_t first = order.front();
    const ErrorCandidate& candidate = evidence_.candidates[first];
    const Tier tier = tiers_[first];
    const auto rivals = std::count_if(order.begin() + 1, order.end(),
                                      [&](std::size_t index) { return tiers_[index] == tier; });
    cause.role = tier == Tier::symptom ? ErrorRole::symptom : ErrorRole::cause;
    cause.confidence = Confidence::likely;
    const auto chain = chain_length_.find(first);
    if (tier == Tier::symptom) {
      cause.confidence = Confidence::possible;
      cause.why = "Nothing more specific is in the text; look at the other processes first.";
    } else if (tier == Tier::wrapper) {
      cause.role = ErrorRole::cause;
      cause.confidence = Confidence::possible;
      cause.why = "It quotes the error that it carries, and no record describes that.";
    } else if (tier == Tier::assertion) {
      cause.why = "A kernel's own check: errors of the device behind it only report it.";
    } else if (cause.record == nullptr) {
      cause.confidence = Confidence::possible;
      cause.why = rivals == 0 ? "The only error that carries no other; no record describes it."
                              : "The first error that carries no other; no record describes it.";
    } else if (tier == Tier::known_by_place) {
      cause.why =
          "The line of code that failed is known; its message is not in the text or says less.";
    } else if (chain != chain_length_.end()) {
      cause.why = fmt::format("The most specific of the {} known errors of an exception chain.",
                              chain->second);
    } else if (rivals == 0) {
      cause.why = "The only known error that carries no other.";
    } else {
      cause.why = fmt::format("The first of {} known errors that carry no other.", rivals + 1);
    }
    const bool is_sure = tier == Tier::known && candidate.is_raised && rivals == 0 &&
                         !cause.is_asynchronous &&
                         !evidence_.runs.ends_in_service(evidence_.runs.stretch_of(cause.line));
    if (!is_sure) return;
    const auto unknown = std::find_if(order.begin(), order.end(), [&](std::size_t index) {
      return tiers_[index] == Tier::unknown && evidence_.candidates[index].is_raised;
    });
    if (unknown == order.end() || line_at(*unknown) > cause.line)
      cause.confidence = Confidence::certain;
    else
      cause.why +=
          fmt::format(" The error at line {}, before it, is not known.", line_at(*unknown));
  }

  void list_what_to_fetch(const std::vector<std::size_t>& order,
                          std::vector<std::string>& fetch) const {
    const auto add = [&](std::string text) {
      if (fetch.size() < kMaxFetch && std::find(fetch.begin(), fetch.end(), text) == fetch.end())
        fetch.push_back(std::move(text));
    };
    for (const CutTraceback& cut : evidence_.cut) {
      if (fetch.size() >= 2) break;
      const std::string owner = cut.process.empty() ? "" : " of " + rank_label(cut.process);
      add(fmt::format(
          "The traceback{} at line {} is cut before its error: the lines behind it, down "
          "to the one that begins with the name of an exception",
          owner, cut.line));
    }
    for (const std::size_t index : order) {
      const ErrorRecord* record = evidence_.candidates[index].error.record;
      if (record != nullptr && record->is_wrapper && !record->solutions.empty())
        add(record->solutions.front());
    }
  }

  void find_similar(const SimilarRecords& records, Explanation& explanation) const {
    std::size_t left = kExplainedUnknown;
    for (std::size_t i = 0; i < explanation.errors.size() && left > 0; ++i) {
      ExplainedError& error = explanation.errors[i];
      const bool is_quoting =
          i == 0 && explanation.found == CauseFound::unknown && error.record != nullptr;
      if (error.record != nullptr && !is_quoting) continue;
      const std::string& message =
          is_quoting && !error.captures.empty() ? error.captures.back().value : error.matched;
      error.similar = records.find(error.error_class, message, kSimilar);
      --left;
    }
  }

  LogEvidence evidence_;
  std::vector<Tier> tiers_;
  std::map<std::size_t, std::size_t> chain_length_;  // by the best candidate
  std::map<std::size_t, std::string> reasons_;       // why a candidate is none of the causes
  bool has_assertion_ = false;
};

// Whether the log holds the error that the rule's record describes.
bool is_seen(const Explanation& explanation, const std::string& record) {
  return !record.empty() &&
         std::any_of(explanation.errors.begin(), explanation.errors.end(),
                     [&](const ExplainedError& e) { return e.record && e.record->id == record; });
}

}  // namespace

bool Explanation::has_answer() const {
  if (found == CauseFound::not_in_text) return false;
  return !launches.empty() ||
         std::any_of(errors.begin(), errors.end(),
                     [](const ExplainedError& error) { return error.record != nullptr; });
}

Explanation judge_evidence(LogEvidence evidence, const SimilarRecords* similar) {
  return CauseJudgement(std::move(evidence)).explain(similar);
}

void weigh_launches(Explanation& explanation) {
  std::string confirmed;
  for (const auto& launch : explanation.launches)
    for (const Finding& finding : launch->report.findings)
      if (finding.rule != nullptr && is_seen(explanation, finding.rule->error))
        confirmed = finding.rule->error;
  if (explanation.launches.empty()) return;
  if (!confirmed.empty()) {
    const auto cause = std::find_if(
        explanation.errors.begin(), explanation.errors.end(),
        [&](const ExplainedError& e) { return e.record && e.record->id == confirmed; });
    if (!explanation.errors.front().record || explanation.found != CauseFound::known)
      explanation.found = CauseFound::known;
    if (explanation.errors.front().role == ErrorRole::cause)
      explanation.errors.front().role = ErrorRole::error;
    std::rotate(explanation.errors.begin(), cause, cause + 1);
    ExplainedError& first = explanation.errors.front();
    first.role = ErrorRole::cause;
    first.confidence = Confidence::certain;
    first.why = "The launch in the text breaks the rule that raises it.";
    explanation.fetch.clear();
    return;
  }
  const bool is_known =
      explanation.found == CauseFound::known && explanation.errors.front().role == ErrorRole::cause;
  if (is_known) return;
  if (explanation.found != CauseFound::nothing && !explanation.errors.empty() &&
      explanation.errors.front().role == ErrorRole::cause)
    explanation.errors.front().role = ErrorRole::error;
  explanation.found = CauseFound::launch;
}

}  // namespace assay
