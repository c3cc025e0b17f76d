// Writes HTML that is escaped by construction: tag and attribute names are literals of the program,
// everything else goes through the escape. There is no way to add markup as text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct HtmlAttribute {
  const char* name;
  std::string value;
};

class HtmlWriter {
 public:
  HtmlWriter& open(const char* tag, std::initializer_list<HtmlAttribute> attributes = {});
  HtmlWriter& close();  // the tag opened last
  // An element without content and end tag: meta, link.
  HtmlWriter& lone(const char* tag, std::initializer_list<HtmlAttribute> attributes);
  HtmlWriter& text(std::string_view text);
  HtmlWriter& element(const char* tag, std::string_view content) {
    return open(tag).text(content).close();
  }
  // A link; a target that is neither http(s) nor relative becomes plain text.
  HtmlWriter& link(std::string_view target, std::string_view content);
  HtmlWriter& new_line();

  // `<!doctype html>` and what was written.
  std::string take_document();

 private:
  void write_tag(const char* tag, std::initializer_list<HtmlAttribute> attributes);

  std::string out_;
  std::vector<const char*> open_tags_;
};

// http:, https: or without any scheme, and not starting with two slashes.
bool is_safe_link(std::string_view target);

}  // namespace assay
