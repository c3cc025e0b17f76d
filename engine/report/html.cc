// Five characters are escaped, in content and in attributes alike; control characters and bytes
// that are no UTF-8 never get here (valid_xml_text).
#include "engine/report/html.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

// Most text is plain and goes out as it stands.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= ' ' && c < '\x7f' && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'') ||
           c == '\n';
  });
}

void append_escaped(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
    return;
  }
  for (const char c : valid_xml_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

bool is_safe_link(std::string_view target) {
  if (target.starts_with("https://") || target.starts_with("http://")) return true;
  if (target.empty() || target.starts_with("//") || target.starts_with("\\")) return false;
  const bool has_odd_bytes = std::any_of(
      target.begin(), target.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20; });
  return !has_odd_bytes && target.substr(0, target.find('/')).find(':') == std::string_view::npos;
}

void HtmlWriter::write_tag(const char* tag, std::initializer_list<HtmlAttribute> attributes) {
  out_ += '<';
  out_ += tag;
  for (const HtmlAttribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"";
    append_escaped(out_, attribute.value);
    out_ += '"';
  }
  out_ += '>';
}

HtmlWriter& HtmlWriter::open(const char* tag, std::initializer_list<HtmlAttribute> attributes) {
  write_tag(tag, attributes);
  open_tags_.push_back(tag);
  return *this;
}

HtmlWriter& HtmlWriter::close() {
  ASSAY_CHECK(!open_tags_.empty(), "a tag is open");
  out_ += "</";
  out_ += open_tags_.back();
  out_ += '>';
  open_tags_.pop_back();
  return *this;
}

HtmlWriter& HtmlWriter::lone(const char* tag, std::initializer_list<HtmlAttribute> attributes) {
  write_tag(tag, attributes);
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  append_escaped(out_, text);
  return *this;
}

HtmlWriter& HtmlWriter::link(std::string_view target, std::string_view content) {
  if (!is_safe_link(target)) return text(content);
  return open("a", {{"href", std::string(target)}}).text(content).close();
}

HtmlWriter& HtmlWriter::new_line() {
  out_ += '\n';
  return *this;
}

std::string HtmlWriter::take_document() {
  ASSAY_CHECK(open_tags_.empty(), "every tag is closed");
  return "<!doctype html>\n" + std::move(out_) + "\n";
}

}  // namespace assay
