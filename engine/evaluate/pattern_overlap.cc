// A log is made of every record's message, its open parts filled, and of its examples, and the
// matcher itself is asked what it finds in it: what comes first on a line is what a user would be
// told. That proves overlaps, it does not prove that there are no others: two patterns may meet in
// a line that is neither's example.
#include "engine/evaluate/pattern_overlap.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/evaluate/message_matcher.h"

namespace assay {
namespace {

// "got {kv.dtype}." as a log may have it. Only the first line, as a record's line is one.
std::string example_of(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size() && message[at] != '\n'; ++at) {
    const auto close = message[at] == '{' ? message.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      text += message[at];
    } else {
      text += "x1";
      at = close;
    }
  }
  return text;
}

// Whether the overlap is meant: a wrapper carries any message.
bool is_meant(const ErrorRecord& a, const ErrorRecord& b) {
  return a.is_wrapper != b.is_wrapper || a.replaced_by == b.id ||
         std::any_of(a.see_also.begin(), a.see_also.end(),
                     [&](const RecordLink& link) { return link.id == b.id; });
}

std::string quoted(std::string_view line) {
  constexpr std::size_t kMaxBytes = 160;
  return line.size() <= kMaxBytes ? std::string(line)
                                  : std::string(line.substr(0, kMaxBytes)) + "...";
}

class OverlapLint {
 public:
  explicit OverlapLint(const Dataset& dataset) {
    for (const ErrorRecord& record : dataset.records) {
      add(record, example_of(record.error_message));
      for (const RecordExample& example : record.examples) add(record, example_of(example.message));
    }
  }

  Diagnostics run(const MessageMatcher& matcher) {
    const std::vector<MessageMatch> matches = matcher.find(log_);
    for (std::size_t first = 0, next = 0; first < matches.size(); first = next) {
      while (next < matches.size() && matches[next].line == matches[first].line) ++next;
      take_line({matches.begin() + static_cast<std::ptrdiff_t>(first),
                 matches.begin() + static_cast<std::ptrdiff_t>(next)});
    }
    return std::move(warnings_);
  }

 private:
  void add(const ErrorRecord& record, const std::string& line) {
    log_ += line + "\n";
    owners_.push_back(&record);
  }

  // All that one line holds, the most specific first.
  void take_line(const std::vector<MessageMatch>& matches) {
    const ErrorRecord& owner = *owners_[matches[0].line - 1];
    const auto own = std::find_if(matches.begin(), matches.end(), [&](const MessageMatch& match) {
      return match.record == &owner;
    });
    if (own == matches.end()) return;  // a part of it may be needed: examples are for lint_records
    for (auto other = matches.begin(); other != matches.end(); ++other) {
      if (other == own || is_meant(owner, *other->record) || is_meant(*other->record, owner))
        continue;
      if (!reported_.insert(std::minmax(&owner, other->record)).second) continue;
      other < own ? warn_of_shadow(owner, *other) : warn_of_overlap(owner, *other);
    }
  }

  void warn_of_shadow(const ErrorRecord& owner, const MessageMatch& other) {
    warn(code::shadowed_pattern, owner,
         "a line of `" + owner.slug + "` is explained as `" + other.record->slug + "`: \"" +
             quoted(other.text) + "\"",
         "Make one of the patterns say what tells them apart, or name the other in `seeAlso`.");
  }

  void warn_of_overlap(const ErrorRecord& owner, const MessageMatch& other) {
    warn(code::overlapping_patterns, *other.record,
         "the pattern of `" + other.record->slug + "` also finds what `" + owner.slug +
             "` is about: \"" + quoted(other.text) + "\"",
         "If the one is a case of the other, let it name the other in `seeAlso`.");
  }

  void warn(DiagnosticCode code, const ErrorRecord& at, std::string message, std::string help) {
    warnings_.push_back(
        {Severity::warning, code, at.pattern_span, std::move(message), std::move(help), {}});
  }

  std::string log_;
  std::vector<const ErrorRecord*> owners_;  // of its lines
  std::set<std::pair<const ErrorRecord*, const ErrorRecord*>> reported_;
  Diagnostics warnings_;
};

}  // namespace

Diagnostics lint_overlaps(const Dataset& dataset) {
  const Result<MessageMatcher> matcher = MessageMatcher::compile(dataset);
  if (!matcher) return matcher.error();
  return OverlapLint(dataset).run(*matcher);
}

}  // namespace assay
