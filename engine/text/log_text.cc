// The vector pass of log_places.h names the places that may need a change; what really needs one
// becomes an edit: bytes that go, and at most one that comes in their place. Text without edits is
// used where it stands; else the pieces between the edits are copied behind each other.
//
// Not copied back into shape: text that a terminal wrapped or padded, and lines in the wrong order.
#include "engine/text/log_text.h"

#include <algorithm>
#include <cstring>

#include "engine/text/log_escapes.h"

namespace assay {
namespace {

// What apply_edits copies beyond a piece, and so keeps free behind the text.
constexpr std::size_t kCopyBytes = 32;

// The record goes on for as many partial lines as this; a runtime splits at 16 KiB.
constexpr int kMaxParts = 1024;

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// The start of the container prefix whose stream ends before the `P` or `F` at `at`; npos when
// there is none or it does not open its line.
std::size_t prefix_begin(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxPrefix = 64;
  const std::string_view before = text.substr(0, at);
  if (!before.ends_with(" stderr ") && !before.ends_with(" stdout ")) return std::string_view::npos;
  const std::size_t from = at - std::min(at, kMaxPrefix);
  const auto feed = before.substr(from).rfind('\n');
  if (feed != std::string_view::npos) return from + feed + 1;
  return from == 0 ? 0 : std::string_view::npos;
}

// Copies in steps of fixed size, which the compiler makes two moves of; writes up to kCopyBytes - 1
// bytes more than asked for, and reads them unless they are behind `source_end`.
char* copy_piece(char* to, const char* from, std::size_t size, const char* source_end) {
  if (from + size + kCopyBytes > source_end) {
    std::memcpy(to, from, size);
    return to + size;
  }
  for (std::size_t i = 0; i < size; i += kCopyBytes) std::memcpy(to + i, from + i, kCopyBytes);
  return to + size;
}

}  // namespace

void LogText::assign(std::string_view original) {
  read(original);
  show({0, original.size()});
}

void LogText::read(std::string_view original, LogWords words) {
  find_log_places(original, words, places_);
  original_ = original;
  text_ = {};
  edits_.clear();
  known_line_end_ = 0;
  find_edits();
}

void LogText::show(Stretch part) {
  const auto is_before = [](const Edit& edit, std::size_t at) { return edit.at < at; };
  const auto first = std::lower_bound(edits_.begin(), edits_.end(), part.begin, is_before);
  auto last = edits_.end();
  if (part.end < original_.size()) last = std::lower_bound(first, last, part.end, is_before);
  shown_begin_ = part.begin;
  text_ = original_.substr(part.begin, part.end - part.begin);
  shifts_.clear();
  if (first != last) apply_edits({first, last}, part);
}

bool LogText::is_gone(std::size_t at) const {
  const auto after = std::upper_bound(edits_.begin(), edits_.end(), at,
                                      [](std::size_t a, const Edit& edit) { return a < edit.at; });
  return after != edits_.begin() && at < (after - 1)->end();
}

LogText::Stretch LogText::lines_around(std::size_t at, std::size_t more) const {
  Stretch part{at, at};
  for (std::size_t lines = 0; part.begin > 0 && lines <= more;) {
    const auto feed = original_.rfind('\n', part.begin - 1);
    if (feed == std::string_view::npos) {
      part.begin = 0;
    } else if (is_gone(feed)) {
      part.begin = feed;
    } else if (++lines > more) {
      part.begin = feed + 1;
    } else {
      part.begin = feed;
    }
  }
  for (std::size_t lines = 0; part.end < original_.size() && lines <= more;) {
    const auto feed = original_.find('\n', part.end);
    part.end = feed == std::string_view::npos ? original_.size() : feed + 1;
    if (feed != std::string_view::npos && !is_gone(feed)) ++lines;
  }
  return part;
}

void LogText::find_edits() {
  std::uint32_t covered = 0;  // an edit reaches up to here
  if (is_json_record(0)) covered = edit_json_record(0);
  bool in_order = true;
  for (const std::uint32_t at : places_.markers) {
    if (at < covered) continue;
    if (original_[at] == '\x1b') {  // nearly all edits of a coloured log
      in_order &= edits_.empty() || edits_.back().at < at;
      covered = edit_escape(at, 1);
      continue;
    }
    const std::size_t known = edits_.size();
    const std::uint32_t end = edit_at_marker(at);
    // A colour whose ESC is lost begins before its marker, maybe in what is gone already.
    if (edits_.size() > known && edits_.back().at < at && edits_.back().at < covered)
      edits_.pop_back();
    covered = std::max(covered, end);
    // Joined records are edited ahead of what stands before their end.
    if (edits_.size() > known + 1 ||
        (known > 0 && edits_.size() > known && edits_[known].at < edits_[known - 1].at))
      in_order = false;
  }
  if (in_order) return;
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  std::size_t end = 0;
  const auto overlaps = [&end](const Edit& edit) {
    if (edit.at < end) return true;
    end = edit.end();
    return false;
  };
  edits_.erase(std::remove_if(edits_.begin(), edits_.end(), overlaps), edits_.end());
}

// Makes the edits that the pair of bytes at `at` calls for; returns the place up to which the
// markers are dealt with.
std::uint32_t LogText::edit_at_marker(std::uint32_t at) {
  const std::string_view rest = original_.substr(at);
  Sequence sequence;
  switch (rest[0]) {
    case '^':
      return rest.starts_with("^[") ? edit_escape(at, 2) : at;
    case '&':
      sequence = html_entity(rest);
      break;
    case '\xe2':
      sequence = typographic_quote(rest);
      break;
    case 'P':
      join_partial_records(at);
      return at;
    case '\n':
    case ' ':
      return is_json_record(at + 1) ? edit_json_record(at + 1) : at;
    default:
      return edit_bare_colour(at);
  }
  if (sequence.length == 0) return at;
  replace(at, sequence.length, sequence.byte);
  return at + static_cast<std::uint32_t>(sequence.length);
}

void LogText::remove(std::size_t at, std::size_t length) {
  edits_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length), 0, 0});
}

void LogText::replace(std::size_t at, std::size_t length, char byte) {
  edits_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length), 1, byte});
}

// `lead`: bytes of ESC or of the `^[` in its place, which is one only before a `[`.
std::uint32_t LogText::edit_escape(std::uint32_t at, std::size_t lead) {
  const std::string_view rest = original_.substr(at + lead);
  if (lead == 2 && !rest.starts_with('[')) return at;
  const std::size_t length = lead + escape_length(rest);
  remove(at, length);
  return at + static_cast<std::uint32_t>(length);
}

std::uint32_t LogText::edit_bare_colour(std::uint32_t at) {
  const std::size_t length = bare_colour_length(original_.substr(0, at + 1));
  // "[5m]" is a time.
  if (length == 0 || original_.substr(at + 2).starts_with(']')) return at;
  remove(at + 2 - length, length);
  return at + 2;
}

// A record that a container's runtime split: the line feed and the prefix of the next line go.
void LogText::join_partial_records(std::uint32_t at) {
  const std::size_t begin = prefix_begin(original_, at);
  if (begin == std::string_view::npos) return;
  const ContainerPrefix first = container_prefix(original_.substr(begin, at + 2 - begin));
  if (!first.is_partial || begin + first.length != at + 2) return;
  std::size_t end = line_end(original_, at);
  // A part that is itself the continuation of one has been joined together with the first.
  if (!edits_.empty() && begin > 0 && edits_.back().at == begin - 1) return;
  for (int part = 0; part < kMaxParts && end < original_.size(); ++part) {
    const ContainerPrefix next = container_prefix(original_.substr(end + 1));
    if (next.length == 0 || next.is_stderr != first.is_stderr) return;
    remove(end, 1 + next.length);
    if (!next.is_partial) return;
    end = line_end(original_, end + 1 + next.length);
  }
}

// A JSON record that fills the rest of its line; behind a container's prefix it starts in the
// middle.
bool LogText::is_json_record(std::size_t at) {
  if (!original_.substr(at).starts_with("{\"")) return false;
  const std::string_view before = original_.substr(0, at);
  if (at > 0 && before.back() != '\n' && !before.ends_with(" F ") && !before.ends_with("| "))
    return false;
  // Kept, since a line may look like many records.
  if (at >= known_line_end_) known_line_end_ = line_end(original_, at);
  std::size_t end = known_line_end_;
  while (end > at && (original_[end - 1] == '\r' || original_[end - 1] == ' ')) --end;
  return end > at && original_[end - 1] == '}';
}

// Each string of the record becomes a line, its escapes are undone. A "log" string of Docker's that
// does not end its line goes on in the next record.
std::uint32_t LogText::edit_json_record(std::size_t begin) {
  constexpr std::string_view kDockerStart = "{\"log\":\"";
  const bool is_docker = original_.substr(begin).starts_with(kDockerStart);
  std::size_t end = line_end(original_, begin);
  std::size_t quotes = 0;
  bool ends_line = false;  // the string's last character was `\n`
  for (std::size_t at = begin; at < end; ++at) {
    if (original_[at] == '\\' && quotes % 2 == 1) {
      const Sequence sequence = json_escape(original_.substr(at, end - at));
      ends_line = sequence.has_byte && sequence.byte == '\n';
      if (sequence.length == 0) {
        ++at;
        continue;
      }
      sequence.has_byte ? replace(at, sequence.length, sequence.byte) : remove(at, sequence.length);
      at += sequence.length - 1;
      continue;
    }
    if (original_[at] != '"') {
      ends_line = false;
      continue;
    }
    ++quotes;
    // The fourth quote closes the value of the first key.
    if (is_docker && quotes == 4 && !ends_line &&
        original_.substr(std::min(end + 1, original_.size())).starts_with(kDockerStart)) {
      const std::size_t next = end + 1 + kDockerStart.size();
      remove(at, next - at);
      at = next - 1;
      end = line_end(original_, next);
      quotes = 3;
      continue;
    }
    replace(at, 1, '\n');
  }
  return static_cast<std::uint32_t>(end);
}

void LogText::apply_edits(std::span<const Edit> edits, Stretch part) {
  const std::size_t size = part.end - part.begin;
  if (buffer_.size() < size + kCopyBytes) buffer_.resize(size + kCopyBytes);
  char* to = buffer_.data();
  const char* source_end = original_.data() + original_.size();
  std::size_t at = part.begin;
  std::uint32_t removed = 0;
  for (const Edit& edit : edits) {
    to = copy_piece(to, original_.data() + at, edit.at - at, source_end);
    at = edit.end();
    if (edit.has_byte != 0) *to++ = edit.byte;
    if (edit.length == edit.has_byte) continue;
    removed += edit.length - edit.has_byte;
    const auto place = static_cast<std::uint32_t>(to - buffer_.data());
    shifts_.push_back({place, removed, edit.has_byte != 0 ? edit.length : 1});
  }
  if (at < part.end) to = copy_piece(to, original_.data() + at, part.end - at, source_end);
  text_ = std::string_view(buffer_.data(), static_cast<std::size_t>(to - buffer_.data()));
}

std::string_view LogText::original(std::string_view part) const {
  if (part.data() == nullptr) return {};
  const auto begin = static_cast<std::size_t>(part.data() - text_.data());
  // The shift that is in force at `place`; none before the first.
  const auto shift_at = [this](std::size_t place) {
    return std::upper_bound(shifts_.begin(), shifts_.end(), place,
                            [](std::size_t p, const Shift& shift) { return p < shift.at; });
  };
  const auto shifted = [this](auto after, std::size_t place) {
    return after == shifts_.begin() ? place : place + (after - 1)->removed;
  };
  const std::size_t first = shown_begin_ + shifted(shift_at(begin), begin);
  if (part.empty()) return original_.substr(std::min(first, original_.size()), 0);
  const std::size_t last = begin + part.size() - 1;
  const auto after = shift_at(last);
  std::size_t end = shown_begin_ + shifted(after, last) + 1;
  // The last byte stands for a whole sequence when a shift begins right behind it.
  if (after != shifts_.end() && after->at == last + 1) end += after->before - 1;
  return original_.substr(first, end - first);
}

std::string_view LogText::cleaned(std::string_view part) const {
  if (part.data() == nullptr || part.data() < original_.data()) return {};
  const auto place_of = [this](const char* at) {
    std::size_t low = 0;
    std::size_t high = text_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (original(text_.substr(middle, 1)).data() < at)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const std::size_t begin = place_of(part.data());
  return text_.substr(begin, place_of(part.data() + part.size()) - begin);
}

}  // namespace assay
