// Go templates in a manifest (Helm): what they put there nobody knows here, everything around them
// can be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/launch.h"
#include "engine/text/diagnostic.h"

namespace assay {

// A text of the same size and places in which each `{{ ... }}` is a plain word that a shell takes
// for a variable nobody set; nothing where it only steers (if, end, a comment) or stands on a line
// of its own. Of `{{ if }} ... {{ else }} ... {{ end }}` over whole lines the first branch stays.
// A template on a line of its own behind items of a list is one more item. What a branch within a
// launch gives has no known value, and a branch left out makes arguments that are not seen.
class TemplateMask {
 public:
  // Linear; a `{{` that is never closed stays as it is.
  explicit TemplateMask(std::string_view text);

  const std::string& text() const { return text_; }
  bool touches(Span span) const;
  // The text with the templates that it had, where it was read from `span` of the masked text.
  std::string restored(std::string_view text, Span span) const;
  // Gives what was read from the masked text `from` the places and words of the original `to`.
  void restore(SourceId from, SourceId to, Launch& launch) const;
  void restore(SourceId from, SourceId to, Diagnostics& diagnostics) const;

 private:
  struct Place {
    std::uint32_t begin = 0;  // of the word that stands for it
    std::uint32_t end = 0;
    std::string original;
    bool is_item = false;  // made an item of a list
  };
  friend class TemplateMasker;

  std::vector<Place>::const_iterator find_place(std::vector<Place>::const_iterator near,
                                                std::size_t size) const;
  void restore(SourceId from, SourceId to, Span& span) const;
  void restore(SourceId from, SourceId to, Node& node) const;
  void restore(SourceId from, SourceId to, Diagnostic& diagnostic) const;

  // Does `span` stand in a block that opens within `whole`?
  bool is_conditional(Span span, Span whole) const;
  void doubt_branches(SourceId from, Launch& launch) const;

  static constexpr std::uint32_t kNoBlock = 0xffffffffu;
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::string text_;
  std::vector<Place> places_;  // in the order of the text
  std::vector<Range> blocks_;  // from where on which block is the innermost: place and its begin
  std::vector<Range> hidden_;  // branches that are left out
};

bool holds_templates(std::string_view text);
// Does a text with templates look like a manifest, line by line?
bool is_templated_manifest(std::string_view text);

}  // namespace assay
