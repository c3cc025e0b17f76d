// The texts that were read, kept so that a Span can be shown with its line. A SourceSet owns them;
// everything that carries a Span (nodes, rules, diagnostics) needs the set it came from only when
// it is shown. Threads: adding is not thread-safe; reading a set that no longer grows is.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "engine/text/span.h"

namespace assay {

// Lines and columns count from 1; a column counts UTF-8 code points (a byte that is not UTF-8
// counts as one).
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Position&) const = default;
};

class Source {
 public:
  Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  // `offset` may be text().size(), the place after the last byte; a larger one is clamped to it.
  Position position(std::uint32_t offset) const;
  // The line that holds `offset`, without its line end.
  std::string_view line_at(std::uint32_t offset) const;

 private:
  std::string name_;
  std::string text_;
};

class SourceSet {
 public:
  // Keeps `text` (below 4 GiB) under `name`: a path, "<command line>", "<stdin>".
  SourceId add(std::string name, std::string text);
  const Source& get(SourceId id) const;
  std::size_t size() const { return sources_.size(); }
  // The bytes of `span`; empty for an unknown place.
  std::string_view text(Span span) const;

 private:
  std::deque<Source> sources_;  // a deque: references stay valid while it grows
};

}  // namespace assay
