// One small state machine a process: heading, frames with their lines of code, the exception's
// line, further lines of its message. A line without a prefix of its own belongs to the process
// that spoke last in the same container, which is how SGLang prints (the heading carries the rank,
// the rest carries nothing); where every line has the prefix (vLLM), the machines of the processes
// advance independently. What a line is, is read from its own look and not from indentation alone,
// because pastes lose it. Not read: the arrows of notebooks, C++ frames (never the cause).
//
// Bounded: 256 processes, 8 innermost frames, 4 KiB of message, 40 further lines of it. A traceback
// whose process says nothing more for 4096 lines of others is over.
#include "engine/evaluate/traceback_reader.h"

#include <algorithm>
#include <array>

#include "engine/base/byte_set.h"
#include "engine/evaluate/log_origin.h"

namespace assay {
namespace {

constexpr std::size_t kMaxStreams = 256;
constexpr std::size_t kMaxFrames = 8;
constexpr std::size_t kMaxMessageBytes = 4096;
constexpr std::size_t kMaxFurtherLines = 40;
constexpr std::size_t kMaxStrangeLines = 2;  // between frames: noise of other writers
constexpr std::size_t kMaxTextBytes = 512;
constexpr ByteSet kMarkerBytes(" \t^~");
// Lines read since a traceback's process last spoke, after which it is taken to have died: reading
// every line for its sake would take a hundred times as long as searching them.
constexpr std::uint64_t kMaxSilentLines = 4096;

constexpr std::string_view kHeading = "Traceback (most recent call last)";
constexpr std::array<std::string_view, 2> kLinks{
    "During handling of the above exception, another exception occurred",
    "The above exception was the direct cause of the following exception"};

bool is_module_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view without_blanks(std::string_view text) {
  const auto begin = kBlanks.find_other_in(text);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string_view cut(std::string_view text) { return text.substr(0, kMaxTextBytes); }

bool is_link(std::string_view text) {
  return std::any_of(kLinks.begin(), kLinks.end(),
                     [&](std::string_view link) { return text.starts_with(link); });
}

// `File "path", line 7, in f`, its quotes straight or typographic. False: it is something else.
bool read_frame(std::string_view text, TracebackFrame& frame) {
  constexpr std::string_view kHead = "File ";
  if (!text.starts_with(kHead)) return false;
  const auto line = text.find(", line ");
  if (line == std::string_view::npos) return false;
  std::string_view file = text.substr(kHead.size(), line - kHead.size());
  for (const std::string_view quote : {"\"", "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9f"}) {
    if (file.starts_with(quote)) file.remove_prefix(quote.size());
    if (file.ends_with(quote)) file.remove_suffix(quote.size());
  }
  frame.file = cut(file);
  frame.source.clear();
  const auto in = text.find(", in ", line);
  frame.function =
      in == std::string_view::npos ? "" : std::string(cut(without_blanks(text.substr(in + 5))));
  return true;
}

bool is_marker(std::string_view text) {
  return !text.empty() && kMarkerBytes.find_other_in(text) == std::string_view::npos;
}

bool ends_like_an_error(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kEnds{
      "Error", "Exception", "Interrupt", "Exit", "Timeout", "Iteration", "Failure", "Fault"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

// The text of the message behind its class.
std::string_view message_behind(std::string_view text, std::string_view error_class) {
  std::string_view rest = text.substr(error_class.size());
  if (rest.starts_with(':')) rest.remove_prefix(1);
  return without_blanks(rest);
}

}  // namespace

std::string_view leading_error_class(std::string_view text) {
  std::size_t end = 0;
  std::size_t last = 0;  // where the last part of a dotted name begins
  while (end < text.size() && (is_module_name_byte(text[end]) || text[end] == '.')) {
    if (text[end] == '.') last = end + 1;
    ++end;
  }
  const std::string_view name = text.substr(last, end - last);
  if (name.empty() || name[0] < 'A' || name[0] > 'Z' || !ends_like_an_error(name)) return {};
  if (end < text.size() && text[end] != ':') return {};
  return text.substr(0, end);
}

bool is_elided(std::string_view message) {
  const std::string_view text = without_blanks(message);
  if (text.find_first_not_of(" .…-") == std::string_view::npos) return true;
  if (text.front() != '(' || text.back() != ')') return false;
  return text.find(')') == text.size() - 1;
}

TracebackReader::Stream& TracebackReader::stream_of(const std::string& key) {
  if (streams_.size() >= kMaxStreams && !streams_.contains(key)) {
    const auto oldest = std::min_element(
        streams_.begin(), streams_.end(),
        [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; });
    close(oldest->second);
    streams_.erase(oldest);
  }
  Stream& stream = streams_[key];
  stream.last_used = ++clock_;
  return stream;
}

void TracebackReader::close_silent() {
  if (open_lines_ == 0 || clock_ % (kMaxSilentLines / 4) != 0) return;
  for (auto& [key, stream] : streams_)
    if (clock_ - stream.last_used >= kMaxSilentLines) close(stream);
}

void TracebackReader::open(Stream& stream, const std::string& process, std::size_t number) {
  close(stream);
  stream.now = Traceback();
  stream.now.id = next_id_++;
  stream.now.process = process;
  stream.now.line = number;
  stream.now.chain = stream.is_linked && stream.chain != 0 ? stream.chain : stream.now.id;
  stream.chain = stream.now.chain;
  stream.is_linked = false;
  stream.is_open = true;
  stream.has_indentation = false;
  stream.further_lines = 0;
  stream.strange_lines = 0;
  ++open_lines_;
}

void TracebackReader::close(Stream& stream) {
  if (!stream.is_open) return;
  stream.is_open = false;
  --open_lines_;
  done_.push_back(std::move(stream.now));
}

TracebackRole TracebackReader::read_behind_error(Stream& stream, const LogOrigin& origin) {
  const bool is_same_writer = origin.prefixes == stream.prefixes && origin.place == stream.place;
  if (!is_same_writer || stream.further_lines >= kMaxFurtherLines) {
    close(stream);
    return TracebackRole::none;
  }
  ++stream.further_lines;
  const std::string_view text = without_blanks(origin.body);
  std::string& message = stream.now.message;
  if (!text.empty() && message.size() < kMaxMessageBytes)
    message.append("\n").append(text.substr(0, kMaxMessageBytes - message.size()));
  return TracebackRole::message;
}

TracebackRole TracebackReader::read_line(Stream& stream, const LogOrigin& origin,
                                         std::size_t number) {
  const std::string_view text = without_blanks(origin.body);
  if (stream.now.error_line != 0) return read_behind_error(stream, origin);
  TracebackFrame frame;
  if (read_frame(text, frame)) {
    const bool is_first = stream.now.frames.empty();
    if (is_first) {
      stream.prefixes = origin.prefixes;
      stream.place = origin.place;
      stream.has_indentation = origin.body.starts_with("  ");
    }
    if (stream.now.frames.size() >= kMaxFrames) stream.now.frames.erase(stream.now.frames.begin());
    stream.now.frames.push_back(std::move(frame));
    ++stream.now.frame_count;
    stream.strange_lines = 0;
    return TracebackRole::frame;
  }
  if (text.empty() || is_marker(text)) return TracebackRole::source;
  const bool is_indented = origin.body.starts_with("  ");
  std::string_view error_class = leading_error_class(text);
  // A class of any name, where indentation tells it from a line of code.
  if (error_class.empty() && stream.has_indentation && !is_indented &&
      origin.prefixes == stream.prefixes) {
    const auto end = std::min(text.find(": "), text.size());
    const std::string_view name = text.substr(0, end);
    if (std::all_of(name.begin(), name.end(),
                    [](char c) { return is_module_name_byte(c) || c == '.'; }) &&
        (end < text.size() || name.find('.') != std::string_view::npos))
      error_class = name;
  }
  if (!error_class.empty() && !(stream.has_indentation && is_indented)) {
    stream.now.error_class = cut(error_class);
    stream.now.message = message_behind(text, error_class).substr(0, kMaxMessageBytes);
    stream.now.error_line = number;
    stream.prefixes = origin.prefixes;
    stream.place = origin.place;
    return TracebackRole::error;
  }
  const bool expects_source = !stream.now.frames.empty() && stream.now.frames.back().source.empty();
  if (expects_source && (is_indented || !stream.has_indentation)) {
    stream.now.frames.back().source = cut(text);
    return TracebackRole::source;
  }
  if (is_indented) return TracebackRole::source;
  const bool is_other_record = origin.starts_record() && origin.prefixes != stream.prefixes;
  if (is_other_record || ++stream.strange_lines > kMaxStrangeLines) close(stream);
  return TracebackRole::none;
}

TracebackLine TracebackReader::feed(std::size_t number, std::string_view line) {
  const LogOrigin origin = read_log_origin(line);
  const std::string container(cut(origin.container));
  if (speakers_.size() >= kMaxStreams && !speakers_.contains(container)) speakers_.clear();
  Speaker& speaker = speakers_[container];
  const bool is_own = origin.starts_record();
  TracebackLine result;
  if (is_own) speaker.process = cut(origin.process);
  result.process = speaker.process;

  const auto heading = origin.body.find(kHeading);
  Stream& stream = stream_of(container + '\n' + speaker.process);
  close_silent();
  if (heading != std::string_view::npos) {
    open(stream, speaker.process, number);
    result.role = TracebackRole::heading;
  } else if (is_link(without_blanks(origin.body))) {
    close(stream);
    stream.is_linked = true;
    return result;
  } else {
    TracebackFrame frame;  // one without a heading: the paste begins in the middle
    if (!stream.is_open && read_frame(without_blanks(origin.body), frame))
      open(stream, speaker.process, number);
    if (stream.is_open) result.role = read_line(stream, origin, number);
  }
  if (result.role != TracebackRole::none) {
    result.traceback = stream.now.id;
    result.chain = stream.now.chain;
    result.frame = stream.now.frame_count;
  } else if (!stream.is_open && !without_blanks(origin.body).empty()) {
    stream.is_linked = false;
  }
  return result;
}

std::vector<Traceback> TracebackReader::take() {
  std::vector<Traceback> taken;
  taken.swap(done_);
  return taken;
}

void TracebackReader::finish() {
  for (auto& [key, stream] : streams_) close(stream);
}

}  // namespace assay
