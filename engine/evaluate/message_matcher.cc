// The text is taken in blocks of about 256 KB that end at line ends, so that every pattern's search
// for its literal runs on memory that is still in the cache. Where the literal is found, the
// pattern is searched in that line alone: in the message after an exception class or the log's
// prefix, or, when it is not there, in the whole line. A pattern without a usable literal is tried
// on every line. A line longer than a block is taken in pieces of 64 KB that overlap by 4 KB: no
// line can make a pattern run over 100 MB.
#include "engine/evaluate/message_matcher.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "engine/compile/pattern_search.h"
#include "engine/evaluate/clean_text.h"
#include "engine/evaluate/log_line.h"

namespace assay {
namespace {

constexpr std::size_t kBlockBytes = 256 << 10;
constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kOverlapBytes = 4 << 10;
// A literal shorter than this is on every line: looking for it first gains nothing.
constexpr std::size_t kUsableLiteral = 3;
// A log in which every line is a known error must not take more memory than itself.
constexpr std::size_t kMaxMatches = 1 << 20;

struct Entry {
  const ErrorRecord* record;
  PatternSearch pattern;
  std::optional<PatternSearch> context;  // the whole line must match this one too
};

struct Found {
  MessageMatch match;
  const Entry* entry;
  bool is_piece;  // of a long line: the next piece may find it again
};

std::size_t block_length(std::string_view rest, bool& is_piece) {
  is_piece = false;
  if (rest.size() <= kPieceBytes) return rest.size();
  const auto newline = rest.substr(0, kBlockBytes).rfind('\n');
  if (newline != std::string_view::npos) return newline + 1;
  is_piece = true;
  return kPieceBytes;
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// The line around the byte at `at`; progress bars end their states with a carriage return, so that
// counts as a line end here.
std::string_view line_around(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && !is_line_end(text[begin - 1])) --begin;
  const auto end = text.find_first_of("\r\n", at);
  return text.substr(begin, end == std::string_view::npos ? end : end - begin);
}

class BlockSearch {
 public:
  BlockSearch(std::string_view block, bool is_piece, std::vector<Found>& found)
      : clean_(block), text_(clean_.text()), is_piece_(is_piece), found_(found) {}

  void run(const Entry& entry) {
    const std::string& literal = entry.pattern.literal();
    std::size_t at = 0;
    while (at < text_.size() && found_.size() < kMaxMatches) {
      if (literal.size() >= kUsableLiteral) {
        const void* hit =
            memmem(text_.data() + at, text_.size() - at, literal.data(), literal.size());
        if (hit == nullptr) return;
        at = static_cast<std::size_t>(static_cast<const char*>(hit) - text_.data());
      }
      const std::string_view line = line_around(text_, at);
      try_line(entry, line);
      at = static_cast<std::size_t>(line.data() - text_.data()) + line.size() + 1;
    }
  }

 private:
  void try_line(const Entry& entry, std::string_view line) {
    if (line.empty()) return;
    PatternHit hit;
    if (!entry.pattern.search(split_log_line(line).message, hit) &&
        !entry.pattern.search(line, hit))
      return;
    if (entry.context && !entry.context->matches(line)) return;
    MessageMatch match;
    match.record = entry.record;
    match.text = clean_.original(line);
    match.matched = clean_.original(hit.matched);
    for (const std::string_view capture : hit.captures)
      match.captures.push_back(clean_.original(capture));
    found_.push_back({std::move(match), &entry, is_piece_});
  }

  CleanText clean_;
  std::string_view text_;
  bool is_piece_;
  std::vector<Found>& found_;
};

bool is_more_specific(const Entry& a, const Entry& b) {
  const bool a_retired = a.record->status == "retired";
  const bool b_retired = b.record->status == "retired";
  if (a_retired != b_retired) return b_retired;
  if (a.pattern.literal_bytes() != b.pattern.literal_bytes())
    return a.pattern.literal_bytes() > b.pattern.literal_bytes();
  return &a < &b;
}

// Puts the matches in the order of the text and counts their lines; those that both pieces of an
// overlap found are kept once.
std::vector<MessageMatch> in_order(std::string_view text, std::vector<Found> found) {
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.match.text.data() != b.match.text.data())
      return a.match.text.data() < b.match.text.data();
    return is_more_specific(*a.entry, *b.entry);
  });
  std::vector<MessageMatch> matches;
  matches.reserve(found.size());
  std::set<std::pair<const ErrorRecord*, const char*>> in_pieces;
  const char* counted = text.data();
  std::size_t line = 1;
  for (Found& f : found) {
    line += static_cast<std::size_t>(std::count(counted, f.match.text.data(), '\n'));
    counted = f.match.text.data();
    f.match.line = line;
    f.match.offset = static_cast<std::size_t>(f.match.text.data() - text.data());
    // The last piece of a long line is an ordinary block, so it is looked up as well.
    const auto place = std::pair(f.match.record, f.match.matched.data());
    if (f.is_piece ? !in_pieces.insert(place).second : in_pieces.contains(place)) continue;
    matches.push_back(std::move(f.match));
  }
  return matches;
}

}  // namespace

struct MessageMatcher::Patterns {
  std::vector<Entry> entries;
};

MessageMatcher::MessageMatcher(std::unique_ptr<Patterns> patterns)
    : patterns_(std::move(patterns)) {}
MessageMatcher::MessageMatcher(MessageMatcher&&) noexcept = default;
MessageMatcher& MessageMatcher::operator=(MessageMatcher&&) noexcept = default;
MessageMatcher::~MessageMatcher() = default;

Result<MessageMatcher> MessageMatcher::compile(const Dataset& dataset) {
  auto patterns = std::make_unique<Patterns>();
  Diagnostics faults;
  for (const ErrorRecord& record : dataset.records) {
    auto pattern = PatternSearch::compile(record.message_pattern, record.pattern_span);
    if (!pattern) {
      faults.insert(faults.end(), pattern.error().begin(), pattern.error().end());
      continue;
    }
    Entry entry{&record, std::move(*pattern), std::nullopt};
    if (record.context) {
      auto context = PatternSearch::compile(*record.context, record.span);
      if (!context) {
        faults.insert(faults.end(), context.error().begin(), context.error().end());
        continue;
      }
      entry.context = std::move(*context);
    }
    patterns->entries.push_back(std::move(entry));
  }
  if (!faults.empty()) return faults;
  return MessageMatcher(std::move(patterns));
}

std::vector<MessageMatch> MessageMatcher::find(std::string_view text) const {
  std::vector<Found> found;
  for (std::size_t at = 0; at < text.size();) {
    bool is_piece = false;
    const std::string_view rest = text.substr(at);
    const std::size_t length = block_length(rest, is_piece);
    BlockSearch block(rest.substr(0, length), is_piece, found);
    for (const Entry& entry : patterns_->entries) block.run(entry);
    at += length - (is_piece ? kOverlapBytes : 0);
  }
  return in_order(text, std::move(found));
}

}  // namespace assay
