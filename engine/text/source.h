// The texts that were read, kept so that a Span can be shown with its line. A SourceSet owns them;
// everything that carries a Span (nodes, rules, diagnostics) needs the set it came from only when
// it is shown. Threads: adding is not thread-safe; reading a set that no longer grows is.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/lazy_list.h"
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
  Source(std::string name, std::string text) : name_(std::move(name)), owned_(std::move(text)) {}
  // A text that lies elsewhere, and outlives the source.
  static Source borrowed(std::string name, std::string_view text) {
    Source source(std::move(name), {});
    source.borrowed_ = text;
    return source;
  }

  const std::string& name() const { return name_; }
  std::string_view text() const { return borrowed_.empty() ? owned_ : borrowed_; }

  // `offset` may be text().size(), the place after the last byte; a larger one is clamped to it.
  Position position(std::uint32_t offset) const;
  // The line that holds `offset`, without its line end.
  std::string_view line_at(std::uint32_t offset) const;

 private:
  std::string name_;
  std::string owned_;
  std::string_view borrowed_;
};

class SourceSet {
 public:
  // Keeps `text` (below 4 GiB) under `name`: a path, "<command line>", "<stdin>".
  SourceId add(std::string name, std::string text);
  // Adds all sources of an archive, which are read when they are asked for; the id of the first.
  SourceId add(std::unique_ptr<const ItemReader<Source>> archive);
  const Source& get(SourceId id) const;
  std::size_t size() const { return size_; }
  // The bytes of `span`; empty for an unknown place.
  std::string_view text(Span span) const;

 private:
  struct Archive {
    SourceId first;
    LazyList<Source> sources;
  };

  std::deque<Source> sources_;  // a deque: references stay valid while it grows
  std::vector<Archive> archives_;
  std::size_t size_ = 0;
};

}  // namespace assay
