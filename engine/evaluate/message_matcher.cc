// The text is taken in blocks of about 96 KB that end at line ends, so that all passes but the
// first run on memory that is still in the cache. One scan of the text as it is stored finds the
// lines in which a literal of some pattern may stand (line_candidates.h); only these are normalised
// (log_text.h) and scanned again. Where a literal stands its patterns are searched in the line: in
// each record of the line, first in the message after an exception class or the log's prefix, then
// in all of it, and at last in the whole line. A pattern
// whose message has several lines is searched in as many. A pattern without a usable literal stands
// in for its context's; without either it is tried on every line, which lint refuses. A line longer
// than a block is taken in pieces of 64 KB that overlap by 4 KB: no line can make a pattern run
// over 100 MB. The engines' sentences that tell runs of a server apart are literals behind those of
// the patterns.
#include "engine/evaluate/message_matcher.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/lazy_list.h"
#include "engine/compile/bundle_file.h"
#include "engine/compile/literal_tables.h"
#include "engine/compile/literal_tables_builder.h"
#include "engine/evaluate/line_candidates.h"
#include "engine/evaluate/literal_scan.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/searched_pattern.h"
#include "engine/text/byte_scan.h"
#include "engine/text/log_text.h"

namespace assay {
namespace {

constexpr std::size_t kBlockBytes = 96 << 10;
constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kOverlapBytes = 4 << 10;
// A log in which every line is a known error must not take more memory than itself.
constexpr std::size_t kMaxMatches = 1 << 20;

// Compiled when they are asked for.
class BundledEntries final : public ItemReader<SearchedPattern> {
 public:
  BundledEntries(const LazyList<ErrorRecord>& records, const BundleFile& bundle)
      : records_(records), bundle_(bundle) {}

  std::size_t size() const override { return records_.size(); }
  std::unique_ptr<const SearchedPattern> read(std::size_t at) const override {
    Result<SearchedPattern> entry = SearchedPattern::compile(records_[at], at);
    if (entry) return std::make_unique<SearchedPattern>(std::move(*entry));
    bundle_.note_damage("a message pattern is refused");
    return std::make_unique<SearchedPattern>();
  }

 private:
  const LazyList<ErrorRecord>& records_;
  const BundleFile& bundle_;
};

struct Found {
  MessageMatch match;
  const SearchedPattern* entry;
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
  std::size_t end = at;
  while (end < text.size() && !is_line_end(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// `line` with up to `more` lines before and behind it.
std::string_view lines_around(std::string_view text, std::string_view line, std::size_t more) {
  std::size_t begin = static_cast<std::size_t>(line.data() - text.data());
  std::size_t end = begin + line.size();
  for (std::size_t i = 0; i < more && begin > 0; ++i) {
    --begin;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
  }
  for (std::size_t i = 0; i < more && end < text.size(); ++i)
    end = std::min(text.find('\n', end + 1), text.size());
  return text.substr(begin, end - begin);
}

class BlockSearch {
 public:
  BlockSearch(const LazyList<SearchedPattern>& entries, const LiteralTables& tables,
              std::string_view text, std::vector<Found>& found,
              std::vector<SeenSentence>& sentences)
      : entries_(entries),
        tables_(tables),
        whole_(text),
        found_(found),
        sentences_(sentences),
        tried_(entries.size()) {}

  void run(std::string_view block, bool is_piece, LogWords words) {
    clean_.read(block, words);
    is_piece_ = is_piece;
    if (!tables_.without_literal.empty()) {
      search_part({0, block.size()}, 0);
      search_every_line();
      return;
    }
    std::size_t done = 0;
    for (const std::uint32_t place : candidates_.find(tables_, clean_)) {
      if (place < done) continue;
      search_part(clean_.lines_around(place), place);
      done = searched_.end;
    }
  }
  const LogText& block() const { return clean_; }

 private:
  // `part` is whole lines of the original, around `place`.
  void search_part(LogText::Stretch part, std::uint32_t place) {
    searched_ = part;
    scan(part);
    const std::size_t more = lines_needed();
    if (more > 0) scan(clean_.lines_around(place, more));
    for (const LiteralHit& hit : hits_) {
      if (more == 0 && is_sentence(hit)) {  // a dump of arguments is a long line
        note_sentence(hit, patterns_of(hit).front());
        continue;
      }
      const bool is_in_line = line_.data() != nullptr && text_.data() + hit.at >= line_.data() &&
                              text_.data() + hit.at < line_.data() + line_.size();
      if (!is_in_line) take_line(line_around(text_, hit.at));
      if (more > 0 && !is_searched(line_)) continue;
      for (const std::uint32_t pattern : patterns_of(hit))
        pattern < entries_.size() ? try_line(pattern) : note_sentence(hit, pattern);
    }
  }

  void scan(LogText::Stretch part) {
    clean_.show(part);
    text_ = clean_.text();
    line_ = {};
    hits_.clear();
    scan_literals(tables_, text_, hits_);
  }

  // Before and behind the lines with hits, by messages of several lines.
  std::size_t lines_needed() const {
    std::size_t lines = 0;
    for (const LiteralHit& hit : hits_)
      for (const std::uint32_t pattern : patterns_of(hit))
        if (pattern < entries_.size()) lines = std::max(lines, entries_[pattern].line_feeds);
    return lines;
  }

  std::span<const std::uint32_t> patterns_of(const LiteralHit& hit) const {
    const LiteralTables::Literal& literal = tables_.literals[hit.literal];
    return tables_.patterns.subspan(literal.first_pattern, literal.patterns);
  }

  bool is_sentence(const LiteralHit& hit) const {
    return std::ranges::all_of(patterns_of(hit),
                               [&](std::uint32_t p) { return p >= entries_.size(); });
  }

  void note_sentence(const LiteralHit& hit, std::uint32_t pattern) {
    const char* const at = clean_.original(text_.substr(hit.at, 1)).data();
    sentences_.push_back({static_cast<std::size_t>(at - whole_.data()), pattern - entries_.size()});
  }

  // The lines beside it are there to be read with it, and have their own turn.
  bool is_searched(std::string_view line) const {
    const auto at =
        static_cast<std::size_t>(clean_.original(line).data() - clean_.whole_original().data());
    return at >= searched_.begin && at < searched_.end;
  }

  void search_every_line() {
    for (std::size_t at = 0; at < text_.size(); at += line_.size() + 1) {
      take_line(line_around(text_, at));
      for (const std::uint32_t index : tables_.without_literal) try_line(index);
    }
  }

  void take_line(std::string_view line) {
    line_ = line;
    ++line_number_;
    split_glued_records(line, records_);
    messages_.clear();
    for (const std::string_view record : records_)
      messages_.push_back(split_log_line(record).message);
  }

  bool search_line(const PatternSearch& pattern) {
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (pattern.search(messages_[i], hit_) || pattern.search(records_[i], hit_)) return true;
    return records_.size() > 1 && pattern.search(line_, hit_);
  }

  // A message of several lines, of which line_ is one: begun before it, or else in it.
  bool search_lines(const SearchedPattern& entry) {
    const std::string_view lines = lines_around(text_, line_, entry.line_feeds);
    if (!entry.pattern->search(lines, hit_)) return false;
    if (hit_.matched.data() + hit_.matched.size() > line_.data()) return true;
    return entry.pattern->search(
        lines.substr(static_cast<std::size_t>(line_.data() - lines.data())), hit_);
  }

  void try_line(std::uint32_t index) {
    if (line_.empty() || tried_[index] == line_number_ || found_.size() >= kMaxMatches) return;
    tried_[index] = line_number_;
    const SearchedPattern& entry = entries_[index];
    if (!entry.pattern) return;
    std::string_view line = line_;
    if (entry.line_feeds == 0) {
      if (!search_line(*entry.pattern)) return;
    } else {
      if (!search_lines(entry)) return;
      line = line_around(text_, static_cast<std::size_t>(hit_.matched.data() - text_.data()));
    }
    if (entry.context && !entry.context->matches(line)) return;
    MessageMatch match;
    match.record = entry.record;
    match.text = clean_.original(line);
    match.matched = clean_.original(hit_.matched);
    match.captures.reserve(hit_.captures.size());
    for (const std::string_view capture : hit_.captures)
      match.captures.push_back(clean_.original(capture));
    found_.push_back({std::move(match), &entry, is_piece_});
  }

  const LazyList<SearchedPattern>& entries_;
  const LiteralTables& tables_;
  const std::string_view whole_;
  std::vector<Found>& found_;
  std::vector<SeenSentence>& sentences_;
  LogText clean_;  // of the block
  LineCandidates candidates_;
  LogText::Stretch searched_;  // of the block
  std::string_view text_;      // of it, and more where that is needed
  bool is_piece_ = false;
  std::vector<LiteralHit> hits_;
  PatternHit hit_;
  // The line being tried; each has a number of its own, kept by the patterns tried on it.
  std::string_view line_;
  std::vector<std::string_view> records_;   // glued together in it
  std::vector<std::string_view> messages_;  // of the records
  std::uint64_t line_number_ = 0;
  std::vector<std::uint64_t> tried_;
};

bool is_more_specific(const SearchedPattern& a, const SearchedPattern& b) {
  const bool a_retired = a.record->status == "retired";
  const bool b_retired = b.record->status == "retired";
  if (a_retired != b_retired) return b_retired;
  if (a.pattern->literal_bytes() != b.pattern->literal_bytes())
    return a.pattern->literal_bytes() > b.pattern->literal_bytes();
  return a.at < b.at;
}

bool stands_before(const Found& a, const Found& b) {
  if (a.match.text.data() != b.match.text.data()) return a.match.text.data() < b.match.text.data();
  return is_more_specific(*a.entry, *b.entry);
}

// Puts those from `first` on, which were found in one block, in order and numbers their lines.
// `line` is the block's first one.
void number_lines(std::string_view text, std::size_t block, std::size_t line,
                  std::vector<Found>& found, std::size_t first) {
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), stands_before);
  // Each line of a message of several lines may have led to it.
  const auto is_same = [](const Found& a, const Found& b) {
    return a.entry == b.entry && a.match.matched.data() == b.match.matched.data();
  };
  found.erase(std::unique(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(), is_same),
              found.end());
  std::size_t counted = block;
  std::size_t here = line;
  for (std::size_t i = first; i < found.size(); ++i) {
    MessageMatch& match = found[i].match;
    match.offset = static_cast<std::size_t>(match.text.data() - text.data());
    here += count_line_feeds(text.substr(counted, match.offset - counted));
    counted = match.offset;
    match.line = here;
  }
}

// The first of each line; `words` are in the block at `block`.
void add_anchors(std::string_view text, std::size_t block, std::span<const std::uint32_t> words,
                 std::vector<std::size_t>& anchors) {
  const auto line_end = [&](std::size_t at) { return std::min(text.find('\n', at), text.size()); };
  if (words.empty()) return;
  std::size_t known = anchors.empty() ? 0 : line_end(anchors.back());
  for (const std::uint32_t word : words) {
    if (block + word < known) continue;
    anchors.push_back(block + word);
    known = line_end(block + word);
  }
}

// Without those that both pieces of an overlap found.
std::vector<MessageMatch> without_repetitions(std::vector<Found> found) {
  const bool has_pieces =
      std::any_of(found.begin(), found.end(), [](const Found& f) { return f.is_piece; });
  if (has_pieces) std::stable_sort(found.begin(), found.end(), stands_before);
  std::vector<MessageMatch> matches;
  matches.reserve(found.size());
  std::set<std::pair<const ErrorRecord*, const char*>> in_pieces;
  for (Found& f : found) {
    // The last piece of a long line is an ordinary block, so it is looked up as well.
    const auto place = std::pair(f.match.record, f.match.matched.data());
    if (f.is_piece ? !in_pieces.insert(place).second : in_pieces.contains(place)) continue;
    matches.push_back(std::move(f.match));
  }
  return matches;
}

}  // namespace

struct MessageMatcher::Patterns {
  LazyList<SearchedPattern> entries;
  std::string built;       // holds the image, where no bundle does
  std::string_view image;  // of the tables
  LiteralTables tables;
};

MessageMatcher::MessageMatcher(std::unique_ptr<Patterns> patterns)
    : patterns_(std::move(patterns)) {}
MessageMatcher::MessageMatcher(MessageMatcher&&) noexcept = default;
MessageMatcher& MessageMatcher::operator=(MessageMatcher&&) noexcept = default;
MessageMatcher::~MessageMatcher() = default;

Result<MessageMatcher> MessageMatcher::compile(const Dataset& dataset) {
  std::vector<SearchedPattern> entries;
  Diagnostics faults;
  for (std::size_t at = 0; at < dataset.records.size(); ++at) {
    Result<SearchedPattern> entry = SearchedPattern::compile(dataset.records[at], at);
    if (entry)
      entries.push_back(std::move(*entry));
    else
      faults.insert(faults.end(), entry.error().begin(), entry.error().end());
  }
  if (!faults.empty()) return faults;
  std::vector<std::vector<std::string>> literals;
  literals.reserve(entries.size() + kServerSentences.size());
  for (const SearchedPattern& entry : entries) literals.push_back(literals_to_scan_for(entry));
  for (const ServerSentence& sentence : kServerSentences)
    literals.push_back({std::string(sentence.text)});
  auto patterns = std::make_unique<Patterns>();
  patterns->built = build_literal_tables(literals);
  patterns->image = patterns->built;
  const auto tables = read_literal_tables(patterns->image, literals.size());
  ASSAY_CHECK(tables.has_value(), "tables are read as they were built");
  patterns->tables = *tables;
  patterns->entries = std::move(entries);
  return MessageMatcher(std::move(patterns));
}

MessageMatcher MessageMatcher::open(const Dataset& dataset, const BundleFile& bundle) {
  auto patterns = std::make_unique<Patterns>();
  patterns->entries =
      LazyList<SearchedPattern>(std::make_unique<BundledEntries>(dataset.records, bundle));
  patterns->image = bundle.section(SectionKind::matcher);
  if (const auto tables =
          read_literal_tables(patterns->image, dataset.records.size() + kServerSentences.size()))
    patterns->tables = *tables;
  else
    bundle.note_damage("the tables of the log matcher are not what they should be");
  return MessageMatcher(std::move(patterns));
}

std::string_view MessageMatcher::tables() const { return patterns_->image; }

MessageMatcher::Findings MessageMatcher::search(std::string_view text, LogWords words) const {
  Findings findings;
  std::vector<Found> found;
  BlockSearch search(patterns_->entries, patterns_->tables, text, found, findings.sentences);
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    bool is_piece = false;
    const std::string_view rest = text.substr(at);
    const std::size_t length = block_length(rest, is_piece);
    const std::size_t step = length - (is_piece ? kOverlapBytes : 0);
    const std::size_t first = found.size();
    search.run(rest.substr(0, length), is_piece, words);
    number_lines(text, at, line, found, first);
    add_anchors(text, at, search.block().error_words(), findings.anchors);
    line += search.block().line_feeds();  // a piece has none
    at += step;
  }
  findings.matches = without_repetitions(std::move(found));
  std::vector<SeenSentence>& sentences = findings.sentences;
  std::ranges::sort(sentences, {}, &SeenSentence::at);
  sentences.erase(std::unique(sentences.begin(), sentences.end()), sentences.end());  // of pieces
  findings.line_feeds = line - 1;
  return findings;
}

}  // namespace assay
