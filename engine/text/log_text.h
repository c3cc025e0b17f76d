// A piece of a log as its writer meant it: without terminal escapes, with plain quotes, with the
// strings of JSON records unescaped and the parts of a split record joined; and the way back to the
// places of the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/log_places.h"

namespace assay {

class LogText {
 public:
  // What is not meant as text: `length` bytes that go, and at most one that comes in their place.
  struct Edit {
    std::uint32_t at = 0;  // in the original
    std::uint32_t length = 0;
    std::uint32_t has_byte = 0;
    char byte = 0;
    std::uint32_t end() const { return at + length; }
  };
  struct Stretch {  // of the original
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  LogText() = default;
  explicit LogText(std::string_view original) { assign(original); }
  LogText(const LogText&) = delete;
  LogText& operator=(const LogText&) = delete;

  // `original`, below 4 GiB, must outlive its use here; memory is kept from one to the next. Where
  // there is nothing to change, nothing is copied.
  void assign(std::string_view original);

  // The same in two steps: what is to be changed is found at once, text() is made of a part later.
  void read(std::string_view original, LogWords words = LogWords::none);
  void show(Stretch part);
  std::string_view whole_original() const { return original_; }
  std::size_t line_feeds() const { return places_.line_feeds; }  // of the original
  // Where in the original a word of errors stands (LogPlaces), if they were asked for.
  std::span<const std::uint32_t> error_words() const { return places_.error_words; }
  std::span<const Edit> edits() const { return edits_; }  // in order, apart from each other
  // The line around the byte at `at`, with those that edits join to it, and `more` on both sides.
  Stretch lines_around(std::size_t at, std::size_t more = 0) const;

  // Its lines end with a line feed or a carriage return. Each string of a JSON record is a line.
  std::string_view text() const { return text_; }
  // The original bytes of a part of text(): from its first byte to its last, with what was left out
  // in between.
  std::string_view original(std::string_view part) const;
  // The other way round: what stands in text() for a part of the original.
  std::string_view cleaned(std::string_view part) const;

 private:
  // In text(), everything from `at` on stands `removed` bytes later in the original; the byte
  // before stands for `before` bytes of it.
  struct Shift {
    std::uint32_t at = 0;
    std::uint32_t removed = 0;
    std::uint32_t before = 1;
  };

  void find_edits();
  void apply_edits(std::span<const Edit> edits, Stretch part);
  bool is_gone(std::size_t at) const;
  std::uint32_t edit_at_marker(std::uint32_t at);
  void remove(std::size_t at, std::size_t length);
  void replace(std::size_t at, std::size_t length, char byte);
  std::uint32_t edit_escape(std::uint32_t at, std::size_t lead);
  std::uint32_t edit_bare_colour(std::uint32_t at);
  std::uint32_t edit_entity(std::uint32_t at);
  void join_partial_records(std::uint32_t at);
  bool is_json_record(std::size_t at);
  std::uint32_t edit_json_record(std::size_t begin);

  std::string_view original_;
  std::string_view text_;
  std::size_t shown_begin_ = 0;  // of text_ in the original
  std::string buffer_;
  LogPlaces places_;
  std::vector<Edit> edits_;
  std::vector<Shift> shifts_;
  std::size_t known_line_end_ = 0;
};

}  // namespace assay
