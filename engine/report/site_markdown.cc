// A page as CommonMark. Every character that could start markup is escaped with a backslash, which
// CommonMark allows for all ASCII punctuation; code is fenced by more backticks than it holds.
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/html.h"
#include "engine/report/site_document.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

std::string escaped(std::string_view text) {
  static constexpr std::string_view kSpecial = "\\`*_{}[]<>#|~!&$^";
  std::string out;
  bool starts_line = true;
  for (const char c : valid_xml_text(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    const bool is_digit = c >= '0' && c <= '9';
    // "1. x", "- x", "+ x", "= x" at the start of a line would be lists or underlines.
    const bool starts_block = starts_line && (c == '-' || c == '+' || c == '=');
    const bool ends_number = (c == '.' || c == ')') && !out.empty() &&
                             out.find_first_not_of("0123456789") == std::string::npos;
    if (kSpecial.find(c) != std::string_view::npos || starts_block || ends_number) out += '\\';
    out += c;
    if (c != ' ' && !is_digit) starts_line = false;
  }
  return out;
}

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string code_span(std::string_view text) {
  std::string shown = valid_xml_text(text);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  std::replace(shown.begin(), shown.end(), '\r', ' ');
  const std::string ticks(longest_backtick_run(shown) + 1, '`');
  const bool needs_blanks =
      shown.empty() || shown.front() == '`' || shown.back() == '`' || shown.front() == ' ';
  return needs_blanks ? fmt::format("{} {} {}", ticks, shown, ticks)
                      : fmt::format("{}{}{}", ticks, shown, ticks);
}

std::string fenced(std::string_view code, std::string_view label) {
  const std::string text = valid_xml_text(code);
  const std::string fence(std::max<std::size_t>(3, longest_backtick_run(text) + 1), '`');
  std::string info;
  for (const char c : label)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) info += c;
  return fmt::format("{}{}\n{}{}{}\n", fence, info, text, text.ends_with('\n') ? "" : "\n", fence);
}

class PageMarkdown {
 public:
  PageMarkdown(const SitePage& page, const SiteFrame& frame) : page_(page), frame_(frame) {
    for (const char c : page.path)
      if (c == '/') root_ += "../";
  }

  std::string write() {
    if (!page_.eyebrow.empty()) {
      std::vector<std::string> parts;
      for (const std::string& part : page_.eyebrow) parts.push_back(escaped(part));
      out_ += fmt::format("{}\n\n", fmt::join(parts, " · "));
    }
    out_ += fmt::format("# {}\n", escaped(page_.title));
    for (const Block& block : page_.blocks) write_block(block);
    const Phrase footer = footer_of(page_, frame_);
    if (!footer.empty()) out_ += "\n---\n\n" + phrase(footer) + "\n";
    return std::move(out_);
  }

 private:
  std::string link(const Inline& part) const {
    std::string target = part.target;
    if (part.kind != Inline::Kind::link) target = root_ + target;
    if (part.kind == Inline::Kind::page || part.kind == Inline::Kind::code_page) target += ".md";
    std::string address;
    for (const char c : valid_xml_text(target)) {
      const bool is_special = static_cast<unsigned char>(c) <= 0x20 ||
                              std::string_view("()<>\\\"").find(c) != std::string_view::npos;
      address +=
          is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    const std::string text =
        part.kind == Inline::Kind::code_page ? code_span(part.text) : escaped(part.text);
    return is_safe_link(address) ? fmt::format("[{}]({})", text, address) : text;
  }

  std::string phrase(const Phrase& parts) const {
    std::string out;
    for (const Inline& part : parts) {
      switch (part.kind) {
        case Inline::Kind::text:
        case Inline::Kind::soft:
        case Inline::Kind::capture:
        case Inline::Kind::inserted:
        case Inline::Kind::removed:
          out += escaped(part.text);
          break;
        case Inline::Kind::code:
          out += code_span(part.text);
          break;
        case Inline::Kind::strong:
          out += fmt::format("**{}**", escaped(part.text));
          break;
        case Inline::Kind::page:
        case Inline::Kind::code_page:
        case Inline::Kind::file:
        case Inline::Kind::link:
          out += link(part);
          break;
      }
    }
    return out;
  }

  // A bar in a cell would be a border, in code too.
  std::string cell(const Phrase& parts) const {
    std::string out;
    for (const Inline& part : parts) {
      const std::string text = phrase({part});
      const bool is_code = part.kind == Inline::Kind::code || part.kind == Inline::Kind::code_page;
      for (const char c : text) {
        if (is_code && c == '|') out += '\\';
        out += c;
      }
    }
    return out;
  }

  void write_table(const Block& block) {
    for (std::size_t row = 0; row < block.rows.size(); ++row) {
      for (const TableCell& one : block.rows[row]) out_ += "| " + cell(one.phrase) + " ";
      out_ += "|\n";
      if (row > 0) continue;
      for (std::size_t column = 0; column < block.rows[0].size(); ++column) out_ += "| --- ";
      out_ += "|\n";
    }
  }

  void write_code(const Block& block) {
    std::string text;
    for (const Inline& part : block.phrase) text += part.text;
    out_ += fenced(text, block.label);
  }

  void write_block(const Block& block) {
    out_ += '\n';
    switch (block.kind) {
      case Block::Kind::heading:
        out_ += "## " + phrase(block.phrase) + "\n";
        break;
      case Block::Kind::subheading:
        out_ += "### " + phrase(block.phrase) + "\n";
        break;
      case Block::Kind::paragraph:
        out_ += phrase(block.phrase) + "\n";
        break;
      case Block::Kind::note:
        out_ += "> " + phrase(block.phrase) + "\n";
        break;
      case Block::Kind::code:
        write_code(block);
        break;
      case Block::Kind::bullets:
        for (const Phrase& item : block.items) out_ += "- " + phrase(item) + "\n";
        break;
      case Block::Kind::numbers:
        for (std::size_t i = 0; i < block.items.size(); ++i)
          out_ += fmt::format("{}. {}\n", block.first_number + i, phrase(block.items[i]));
        break;
      case Block::Kind::facts:
        for (std::size_t i = 0; i + 1 < block.items.size(); i += 2)
          out_ += "- **" + phrase(block.items[i]) + "**: " + phrase(block.items[i + 1]) + "\n";
        break;
      case Block::Kind::table:
        write_table(block);
        break;
    }
  }

  const SitePage& page_;
  const SiteFrame& frame_;
  std::string root_;
  std::string out_;
};

}  // namespace

std::string render_markdown(const SitePage& page, const SiteFrame& frame) {
  return PageMarkdown(page, frame).write();
}

}  // namespace assay
