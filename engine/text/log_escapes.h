// The sequences that stand in a log for something else than themselves, one function a kind. Each
// looks at the start of `rest`, which may be cut anywhere, and reads no further than its limit.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

// A sequence of `length` bytes that means `byte`, or nothing at all. Length 0: there is none.
struct Sequence {
  std::size_t length = 0;
  bool has_byte = false;
  char byte = 0;
};

// What follows ESC, or `^[` in its place: "[1;36m", "]0;title\a", "(B". 0 when it is no sequence.
std::size_t escape_length(std::string_view rest);
// "[1;36m" whose ESC is lost. Of `text`, which ends with the digit before the `m`, the length of
// the sequence with its `m`; 0 when there is none.
std::size_t bare_colour_length(std::string_view text);
// "&quot;", "&#39;", "&#x27;" of an ASCII character or a quote.
Sequence html_entity(std::string_view rest);
// A quotation mark that a word processor or a web page put in the place of ' or ".
Sequence typographic_quote(std::string_view rest);
// `\n`, `\"`, `\u0027` in a JSON string. A colour ("\u001b[0m") means nothing; of what is no ASCII
// character or quote the length is 0.
Sequence json_escape(std::string_view rest);

// "2026-01-02T03:04:05.000000001Z stderr P " at the start of `rest`: what a container's runtime
// puts before a record. Length 0 when there is none.
struct ContainerPrefix {
  std::size_t length = 0;
  bool is_partial = false;  // the record goes on in the next line of the same stream
  bool is_stderr = false;
};
ContainerPrefix container_prefix(std::string_view rest);

// Where the line at `begin` ends, with the lines in which a runtime went on with it: the place of
// the last one's line feed, or the end of the text.
std::size_t container_record_end(std::string_view text, std::size_t begin);

}  // namespace assay
