// Python tracebacks in a log, read process by process although their lines interleave.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct TracebackFrame {
  std::string file;
  std::string function;
  std::string source;  // the line of code below it; empty when there is none
};

struct Traceback {
  std::uint64_t id = 0;     // from 1, in the order in which they begin
  std::uint64_t chain = 0;  // id of the first of those that "during handling" and the like join
  std::string process;      // as printed; empty: nobody is named
  std::size_t line = 0;     // of its heading
  std::vector<TracebackFrame> frames;  // the innermost ones, the outermost of them first
  std::size_t frame_count = 0;         // with those that are not kept
  std::string error_class;             // empty: the text ends or is cut before it
  std::string message;                 // with its further lines; cut at 4 KiB
  std::size_t error_line = 0;          // 0: the error is not in the text
};

enum class TracebackRole : std::uint8_t { none, heading, frame, source, error, message };

struct TracebackLine {
  TracebackRole role = TracebackRole::none;
  std::uint64_t traceback = 0;  // id; 0 with role none
  std::uint64_t chain = 0;
  std::size_t frame = 0;  // frame or source: which one, from 1
  std::string process;    // who printed the line, or spoke last where it does not say
};

// Fed with the lines of a log in order; lines that cannot belong to a traceback may be left out
// while `is_reading` is false.
class TracebackReader {
 public:
  TracebackLine feed(std::size_t number, std::string_view line);
  bool is_reading() const { return open_lines_ > 0; }
  // Those that ended since the last call. Call `finish` first to get the ones that are still open.
  std::vector<Traceback> take();
  void finish();

 private:
  struct Stream {
    Traceback now;
    bool is_open = false;
    bool is_linked = false;  // "During handling of ..." stood behind the last one
    std::uint64_t chain = 0;
    std::uint8_t prefixes = 0;  // of the lines below the heading
    std::string place;
    bool has_indentation = false;
    std::size_t further_lines = 0;  // of the message
    std::size_t strange_lines = 0;
    std::uint64_t last_used = 0;
  };
  struct Speaker {
    std::string process;
  };

  Stream& stream_of(const std::string& key);
  void open(Stream& stream, const std::string& process, std::size_t number);
  void close(Stream& stream);
  void close_silent();
  TracebackRole read_line(Stream& stream, const struct LogOrigin& origin, std::size_t number);
  TracebackRole read_behind_error(Stream& stream, const struct LogOrigin& origin);

  std::map<std::string, Stream> streams_;    // by container and process
  std::map<std::string, Speaker> speakers_;  // by container
  std::vector<Traceback> done_;
  std::uint64_t next_id_ = 1;
  std::uint64_t clock_ = 0;
  std::size_t open_lines_ = 0;  // streams that are open
};

// "RuntimeError" of "RuntimeError: text", "zmq.error.ZMQError: ...", "KeyError" alone; empty where
// `text` does not begin with the name of an exception.
std::string_view leading_error_class(std::string_view text);
// What a person wrote in the place of a message, or nothing: "", "...", "(cut here)".
bool is_elided(std::string_view message);

}  // namespace assay
