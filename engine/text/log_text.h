// A piece of a log as its writer meant it: without terminal escapes, with plain quotes, with the
// strings of JSON records unescaped and the parts of a split record joined; and the way back to the
// places of the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class LogText {
 public:
  LogText() = default;
  explicit LogText(std::string_view original) { assign(original); }
  LogText(const LogText&) = delete;
  LogText& operator=(const LogText&) = delete;

  // `original`, below 4 GiB, must outlive its use here; memory is kept from one to the next. Where
  // there is nothing to change, nothing is copied.
  void assign(std::string_view original);

  // Its lines end with a line feed or a carriage return. Each string of a JSON record is a line.
  std::string_view text() const { return text_; }
  // The original bytes of a part of text(): from its first byte to its last, with what was left out
  // in between.
  std::string_view original(std::string_view part) const;
  // The other way round: what stands in text() for a part of the original.
  std::string_view cleaned(std::string_view part) const;

 private:
  struct Edit {
    std::uint32_t at = 0;      // in the original
    std::uint32_t length = 0;  // bytes that go
    std::uint32_t has_byte = 0;
    char byte = 0;  // what comes in their place
  };
  // In text(), everything from `at` on stands `removed` bytes later in the original; the byte
  // before stands for `before` bytes of it.
  struct Shift {
    std::uint32_t at = 0;
    std::uint32_t removed = 0;
    std::uint32_t before = 1;
  };

  void find_edits();
  void apply_edits();
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
  std::string buffer_;
  std::vector<std::uint32_t> markers_;
  std::vector<Edit> edits_;
  std::vector<Shift> shifts_;
  std::size_t known_line_end_ = 0;
};

}  // namespace assay
