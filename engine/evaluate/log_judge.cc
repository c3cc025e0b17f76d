// The matcher says where known messages are; a coarse sieve (text/log_places.h) where else an
// error may stand. Only there are lines read one by one: from a few lines before (who speaks, a
// traceback without its heading) until the traceback that begins there ends. A long healthy log
// costs no more than the two searches.
//
// A match on a traceback's line of code is held until the traceback ends: it says something only in
// the innermost frames, and where the message itself is not known. Errors without a record are kept
// by their template, so that eight ranks or a loop give one.
#include "engine/evaluate/log_judge.h"

#include <algorithm>
#include <utility>

#include "engine/base/byte_set.h"
#include "engine/evaluate/log_launches.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/log_origin.h"
#include "engine/evaluate/lone_error.h"
#include "engine/evaluate/root_cause.h"
#include "engine/text/byte_scan.h"
#include "engine/text/log_escapes.h"
#include "engine/text/privacy_mask.h"

namespace assay {
namespace {

constexpr std::size_t kMaxQuotedBytes = 1024;
constexpr std::size_t kMaxLineBytes = 64 << 10;  // of a line, for reading who printed it
constexpr std::size_t kLinesBefore = 16;
constexpr std::size_t kMaxFrameBytes = 16 << 10;  // kept of a traceback
constexpr std::size_t kMaxUnknown = 2048;
constexpr std::size_t kMaxChains = 4096;
constexpr std::size_t kMaxCut = 64;
constexpr std::size_t kInnermost = 4;  // frames: kernels are called through two of torch's own
constexpr std::size_t kNoCandidate = static_cast<std::size_t>(-1);

bool overlaps(std::string_view a, std::string_view b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

// What the terminal would show of a line: its last state, for a progress bar.
std::string_view visible_part(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const auto state = line.rfind('\r');
  if (state != std::string_view::npos) line.remove_prefix(state + 1);
  return line.substr(0, kMaxLineBytes);
}

// Whether the lines before say who speaks, or are frames of a traceback without its heading.
bool needs_lines_before(std::string_view line) {
  const LogOrigin origin = read_log_origin(visible_part(line));
  return !origin.starts_record() || origin.body.starts_with(' ') ||
         !leading_error_class(origin.body).empty();
}

bool is_statement(std::string_view code) {
  return code.starts_with("raise ") || code.starts_with("logger.") || code.starts_with("print(");
}

bool may_be_cause(const ErrorRecord& record) {
  return record.severity == "error" && !record.is_wrapper;
}

}  // namespace

LogJudge::LogJudge(const ExplainOptions& options, std::string source)
    : options_(options), source_(std::move(source)) {}

bool LogJudge::is_of_later_run(std::size_t line, const ErrorCandidate& known) const {
  return evidence_.runs.stretch_of(line) > evidence_.runs.stretch_of(known.error.line);
}

// One candidate a record: where it comes again in a later run, it is told of that one.
std::size_t LogJudge::known_candidate(ErrorCandidate found) {
  const std::string process = found.error.process;
  const auto [known, is_new] = by_record_.emplace(found.error.record, evidence_.candidates.size());
  has_error_ |= may_be_cause(*found.error.record);
  if (is_new) evidence_.candidates.push_back(std::move(found));
  ErrorCandidate& candidate = evidence_.candidates[known->second];
  if (!is_new && is_of_later_run(found.error.line, candidate)) {
    found.error.count = candidate.error.count;
    candidate = std::move(found);
  } else if (!is_new) {
    candidate.is_raised |= found.is_raised;
    if (!found.quote.empty() && is_elided(candidate.quote))
      candidate.quote = std::move(found.quote);
  }
  ++candidate.error.count;
  if (!process.empty() && candidate.ranks.size() < kMaxRanks)
    candidate.ranks.insert(rank_label(process));
  return known->second;
}

std::size_t LogJudge::unknown_candidate(std::string_view error_class, std::string_view message,
                                        const Place& place, std::string_view file) {
  std::string text(message.substr(0, kMaxQuotedBytes));
  if (options_.mask) text = mask_private(text);
  if (options_.unknown != nullptr)
    options_.unknown->add(error_class, text, source_, place.line, file);
  std::string key = std::string(error_class) + '\n' + message_template(text);
  const auto known = by_template_.find(key);
  const bool is_new = known == by_template_.end();
  if (is_new && by_template_.size() >= kMaxUnknown) {
    ++evidence_.left_out;
    return kNoCandidate;
  }
  const std::size_t index = is_new ? evidence_.candidates.size() : known->second;
  has_error_ |= !error_class.empty();
  if (is_new) by_template_.emplace(std::move(key), index);
  if (is_new) evidence_.candidates.emplace_back();
  if (is_new || is_of_later_run(place.line, evidence_.candidates[index])) {
    ErrorCandidate candidate;
    candidate.error.count = evidence_.candidates[index].error.count;
    ExplainedError& error = candidate.error;
    error.line = place.line;
    error.offset = place.offset;
    error.column = 1;
    const std::string_view shown = read_log_origin(place.text).printed;
    error.text = quoted_line(options_.mask ? shown : place.text, shown);
    error.matched = text.substr(0, text.find('\n'));
    error.error_class = error_class;
    error.process = place.at.process;
    candidate.is_by_message = true;
    candidate.is_raised = !error_class.empty();
    evidence_.candidates[index] = std::move(candidate);
  }
  ErrorCandidate& candidate = evidence_.candidates[index];
  ++candidate.error.count;
  if (!place.at.process.empty() && candidate.ranks.size() < kMaxRanks)
    candidate.ranks.insert(rank_label(place.at.process));
  return index;
}

// Whether the message stands in a request or an answer that a server in good health prints.
bool LogJudge::is_in_prompt(const MessageMatch& match, const Place& place) {
  if (place.at.role != TracebackRole::none) return false;
  if (prompt_line_ != match.text.data()) prompts_ = PromptSpans(match.text);
  prompt_line_ = match.text.data();
  if (!prompts_.holds(static_cast<std::size_t>(match.matched.data() - match.text.data())))
    return false;
  const LogOrigin origin = read_log_origin(place.text);
  return !origin.is_error_level() && leading_error_class(origin.body).empty();
}

// Of a record that a container's runtime split, the whole is told, not its pieces with their
// prefixes.
MessageMatch LogJudge::joined(const MessageMatch& match, const Place& place) const {
  MessageMatch whole = match;
  whole.text = place.text;
  whole.matched = clean_.cleaned(match.matched);
  for (std::string_view& capture : whole.captures) capture = clean_.cleaned(capture);
  const char* const begin = place.text.data();
  const bool is_inside = whole.matched.data() >= begin &&
                         whole.matched.data() + whole.matched.size() <= begin + place.text.size();
  return is_inside ? whole : match;
}

void LogJudge::take_match(const MessageMatch& match, const Place& place) {
  if (place.at.role == TracebackRole::frame) return;  // a path, no message
  if (is_in_prompt(match, place)) return;
  ErrorCandidate found = describe_match(is_split_ ? joined(match, place) : match, options_.mask);
  found.error.line = place.line;
  found.error.offset = place.offset;
  found.error.process = place.at.process;
  found.is_raised |= place.at.role == TracebackRole::error;
  if (place.at.role == TracebackRole::source) {
    const std::string_view body = read_log_origin(place.text).body;
    const auto begin = body.find_first_not_of(" \t");
    if (begin == std::string_view::npos || is_statement(body.substr(begin))) return;
    found.error.is_known_by_place = true;
    seen_[place.at.traceback].by_place.emplace_back(std::move(found), place.at.frame);
    return;
  }
  found.is_by_message = true;
  if (place.at.role == TracebackRole::heading && match.record->is_wrapper &&
      carried_.size() < kMaxChains)
    carried_.insert(place.at.chain);
  const std::size_t candidate = known_candidate(std::move(found));
  evidence_.candidates[candidate].is_by_message = true;
  evidence_.candidates[candidate].error.is_known_by_place = false;
  const bool is_its_error =
      place.at.role == TracebackRole::error || place.at.role == TracebackRole::message;
  if (is_its_error) seen_[place.at.traceback].by_message.push_back(candidate);
}

void LogJudge::take_lone_error(const Place& place) {
  const std::optional<LoneError> error = read_lone_error(place.text);
  if (!error) return;
  const std::size_t known = unknown_candidate(error->error_class, error->message, place);
  if (known == kNoCandidate) return;
  ErrorCandidate& candidate = evidence_.candidates[known];
  candidate.is_assertion |= error->is_assertion;
  candidate.is_plain |= error->is_plain;
}

void LogJudge::note_place(std::size_t candidate, const Traceback& traceback) {
  ExplainedError& error = evidence_.candidates[candidate].error;
  if (!error.file.empty() || traceback.frames.empty()) return;
  error.file = traceback.frames.back().file;
  error.function = traceback.frames.back().function;
  error.code = traceback.frames.back().source;
}

void LogJudge::note_chain(std::uint64_t chain, std::size_t candidate) {
  if (chains_.size() >= kMaxChains && !chains_.contains(chain)) return;
  chains_[chain].push_back(candidate);
}

void LogJudge::take_traceback(const Traceback& traceback, SeenTraceback& seen) {
  bool is_known = false;
  for (const std::size_t candidate : seen.by_message) {
    note_place(candidate, traceback);
    note_chain(traceback.chain, candidate);
    is_known |= !evidence_.candidates[candidate].error.record->is_wrapper;
  }
  // The line of code speaks where the message does not.
  for (auto& [found, frame] : seen.by_place) {
    const bool is_innermost = frame + kInnermost > traceback.frame_count;
    if (is_known || !is_innermost) continue;
    describe_by_code(found.error, traceback, frame);
    const std::size_t candidate = known_candidate(std::move(found));
    note_place(candidate, traceback);
    note_chain(traceback.chain, candidate);
    is_known = true;
  }
  if (is_known) return;
  const bool is_cut =
      traceback.error_line == 0 || (is_elided(traceback.message) && !traceback.message.empty());
  if (is_cut && seen.by_message.empty()) {
    if (evidence_.cut.size() < kMaxCut)
      evidence_.cut.push_back({traceback.process, traceback.line,
                               traceback.frames.empty() ? "" : traceback.frames.back().function});
    return;
  }
  if (!seen.by_message.empty() || traceback.error_line == 0) return;
  Place place{traceback.error_line, 0, {}, {}};
  place.at.process = traceback.process;
  const std::string shown = traceback.message.empty()
                                ? traceback.error_class
                                : traceback.error_class + ": " + traceback.message;
  place.text = shown;
  // A bare class says nothing: the line of code that raised it stands in for the message.
  const bool has_code = !traceback.frames.empty() && !traceback.frames.back().source.empty();
  const std::string message =
      traceback.message.empty() && has_code ? traceback.frames.back().source : traceback.message;
  const std::string_view file =
      traceback.frames.empty() ? std::string_view() : traceback.frames.back().file;
  const std::size_t candidate = unknown_candidate(traceback.error_class, message, place, file);
  if (candidate == kNoCandidate) return;
  evidence_.candidates[candidate].is_carried |= carried_.contains(traceback.chain);
  note_place(candidate, traceback);
  note_chain(traceback.chain, candidate);
}

void LogJudge::take_tracebacks() {
  for (const Traceback& traceback : reader_.take()) {
    const auto seen = seen_.find(traceback.id);
    SeenTraceback none;
    take_traceback(traceback, seen == seen_.end() ? none : seen->second);
    if (seen != seen_.end()) seen_.erase(seen);
  }
}

// Projects word some messages alike: of their records, that of the project whose file the traceback
// names last.
const MessageMatch& LogJudge::of_its_project(const Place& place, Match match, Match last) const {
  const auto seen = seen_.find(place.at.traceback);
  if (seen == seen_.end()) return *match;
  Match best = match;
  std::size_t best_end = 0;
  for (Match twin = match; twin != last && twin->matched.data() == match->matched.data(); ++twin) {
    if (twin->record->message_pattern != match->record->message_pattern) continue;
    const std::string& repo = twin->record->repo;
    const auto at = seen->second.frames.rfind("/" + repo.substr(repo.rfind('/') + 1) + "/");
    if (at == std::string::npos || at + 1 <= best_end) continue;
    best = twin;
    best_end = at + 1;
  }
  return *best;
}

void LogJudge::read_record(const Place& place, const char* end, Match last, Match& match) {
  if (place.at.role == TracebackRole::frame)
    if (std::string& frames = seen_[place.at.traceback].frames; frames.size() < kMaxFrameBytes)
      frames.append(place.text);
  bool is_known = false;
  const Match first = match;
  for (; match != last && match->matched.data() < end; ++match) {
    is_known = true;
    // A less specific record is left out where a more specific one explains the same bytes.
    const bool is_covered = std::any_of(first, match, [&](const MessageMatch& other) {
      return overlaps(other.matched, match->matched);
    });
    if (!is_covered) take_match(of_its_project(place, match, last), place);
  }
  if (!is_known && place.at.role == TracebackRole::none) take_lone_error(place);
}

std::size_t LogJudge::read_line(const LogPart& part, std::size_t begin, std::size_t number,
                                Match& match) {
  const std::size_t end = container_record_end(part.text, begin);
  prompt_line_ = nullptr;  // its buffer may be used again
  is_split_ = part.text.substr(begin, end - begin).find('\n') != std::string_view::npos;
  clean_.assign(visible_part(part.text.substr(begin, end - begin)));
  const std::uint64_t offset = part.chunk != nullptr ? part.chunk->offset(begin) : begin;
  std::string_view rest = clean_.text();
  do {  // a record in JSON has a line for each of its strings
    const auto line_end = std::min(kLineEnds.find_in(rest), rest.size());
    split_glued_records(rest.substr(0, line_end), records_);
    rest.remove_prefix(std::min(line_end + 1, rest.size()));
    for (const std::string_view record : records_) {
      const Place place{number, offset, record, reader_.feed(number, record)};
      take_tracebacks();
      const bool is_last = rest.empty() && &record == &records_.back();
      const std::string_view original = clean_.original(record);
      const char* const record_end =
          is_last ? part.text.data() + end + 1 : original.data() + original.size();
      read_record(place, record_end, part.found.matches.end(), match);
    }
  } while (!rest.empty());
  return end;
}

// Launches stand at the beginning of a log, or where a server was started again. A dump may go on
// in the next part.
void LogJudge::keep_launches(const LogPart& part) {
  constexpr std::size_t kMaxKept = 8;
  constexpr std::size_t kMaxContinued = 64 << 10;
  if (launch_bytes_ >= kLaunchBytes) return;
  launch_bytes_ += part.text.size();
  if (is_launch_open_) launch_texts_.back().text += part.text.substr(0, kMaxContinued);
  is_launch_open_ = launch_texts_.size() < kMaxKept && shows_launch(part.text);
  if (is_launch_open_)
    launch_texts_.push_back({std::string(part.text.substr(0, kLaunchBytes)), part.first_line});
}

void LogJudge::add(const LogPart& part) {
  keep_launches(part);
  const bool has_errors =
      has_error_ || std::any_of(part.found.matches.begin(), part.found.matches.end(),
                                [](const MessageMatch& m) { return may_be_cause(*m.record); });
  if (has_errors) evidence_.runs.note(part.text, part.first_line, part.found.sentences);
  const std::string_view text = part.text;
  Match match = part.found.matches.begin();
  auto anchor = part.found.anchors.begin();
  const auto line_begin = [&](std::size_t at) {
    const auto newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
  };
  std::size_t done = 0;                  // everything before it was looked at
  std::size_t number = part.first_line;  // of the line at `done`
  const auto read_next = [&] {
    const std::size_t end = read_line(part, done, number, match);
    number += 1 + (is_split_ ? count_line_feeds(text.substr(done, end - done)) : 0);
    done = std::min(end + 1, text.size());
  };
  while (done < text.size()) {
    while (anchor != part.found.anchors.end() && *anchor < done) ++anchor;
    std::size_t next = anchor == part.found.anchors.end() ? text.size() : *anchor;
    if (match != part.found.matches.end())
      next = std::min(next, static_cast<std::size_t>(match->matched.data() - text.data()));
    if (reader_.is_reading()) {
      read_next();
      continue;
    }
    if (next >= text.size()) break;
    std::size_t from = line_begin(next);
    if (needs_lines_before(text.substr(from, text.find('\n', from) - from)))
      for (std::size_t i = 0; i < kLinesBefore && from > done; ++i) from = line_begin(from - 1);
    from = std::max(from, done);
    number += count_line_feeds(text.substr(done, from - done));
    done = from;
    do read_next();
    while (done < text.size() && done <= next);
  }
  if (has_error_ && !has_errors)
    evidence_.runs.note(part.text, part.first_line, part.found.sentences);
}

Explanation LogJudge::finish(std::size_t lines) {
  reader_.finish();
  take_tracebacks();
  evidence_.lines = lines;
  for (auto& [id, candidates] : chains_) {
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (candidates.size() > 1) evidence_.chains.insert(std::move(candidates));
  }
  if (options_.mask)
    for (ErrorCandidate& candidate : evidence_.candidates) mask_texts(candidate);
  Explanation explanation = judge_evidence(std::move(evidence_), options_.similar);
  explanation.source = source_;
  explanation.launch_texts = std::move(launch_texts_);
  return explanation;
}

Explanation explain_text(const MessageMatcher& matcher, std::string source, std::string_view text,
                         const ExplainOptions& options) {
  LogJudge judge(options, std::move(source));
  const MessageMatcher::Findings found = matcher.search(text);
  judge.add({text, found, 1, nullptr});
  const bool ends_in_line = !text.empty() && text.back() != '\n';
  return judge.finish(found.line_feeds + (ends_in_line ? 1 : 0));
}

}  // namespace assay
