// Where in a log the server was started again.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

// What the engines print first of all when a server starts, and what when it serves. "Started
// server process" is none of them, since each of several HTTP workers prints it.
struct ServerSentence {
  std::string_view text;
  bool is_service;
};
inline constexpr std::array<ServerSentence, 4> kServerSentences{{
    {"server_args=ServerArgs(", false},
    {"vLLM API server version ", false},
    {"The server is fired up and ready to roll!", true},
    {"Application startup complete.", true},
}};

struct SeenSentence {
  std::size_t at = 0;        // in the text
  std::size_t sentence = 0;  // in kServerSentences

  bool operator==(const SeenSentence&) const = default;
};

// The lines of a log in stretches: a new one begins where a server starts, and where it says that
// it serves. The latest 1024 of them are told apart.
class ServerRuns {
 public:
  // Notes the beginnings in `text`, which starts with the log's line `first_line`; later texts come
  // later. `sentences`: all that stand in the text, in order.
  void note(std::string_view text, std::size_t first_line, std::span<const SeenSentence> sentences);

  // The stretch of a line, from 0.
  std::size_t stretch_of(std::size_t line) const;
  std::size_t last_stretch() const { return marks_.size(); }
  // Whether the stretch ends with a server that serves: what stands in it did not keep it from
  // that.
  bool ends_in_service(std::size_t stretch) const;
  // The line behind the stretch, which must not be the last one.
  std::size_t line_behind(std::size_t stretch) const { return marks_[stretch].line; }

 private:
  struct Mark {
    std::size_t line = 0;
    bool is_service = false;
  };
  std::vector<Mark> marks_;  // by line
};

}  // namespace assay
