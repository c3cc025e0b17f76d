// A page of the site before it is HTML or Markdown: both are written from this, so they say the
// same, and no page builder ever sees markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Inline {
  enum class Kind : std::uint8_t { text, code, strong, soft, page, link };
  Kind kind = Kind::text;
  std::string text;
  // page: another page's path ("errors/sglang/x"), or a file of the site with its extension;
  // link: an address outside
  std::string target;
};
using Phrase = std::vector<Inline>;

inline Inline plain(std::string text) { return {Inline::Kind::text, std::move(text), {}}; }
inline Inline code_text(std::string text) { return {Inline::Kind::code, std::move(text), {}}; }
inline Inline strong(std::string text) { return {Inline::Kind::strong, std::move(text), {}}; }
// An aside, shown smaller.
inline Inline soft(std::string text) { return {Inline::Kind::soft, std::move(text), {}}; }
inline Inline page_link(std::string path, std::string text) {
  return {Inline::Kind::page, std::move(text), std::move(path)};
}
inline Inline web_link(std::string address, std::string text) {
  return {Inline::Kind::link, std::move(text), std::move(address)};
}

struct Block {
  enum class Kind : std::uint8_t { heading, paragraph, code, bullets, numbers, note };
  Kind kind = Kind::paragraph;
  Phrase phrase;              // heading, paragraph, note
  std::string code;           // code
  std::string label;          // code: what it is written in ("python", "cel"), may be empty
  std::vector<Phrase> items;  // bullets, numbers
  std::size_t first_number = 1;
};

struct SitePage {
  std::string path;   // without extension: "errors/sglang/x"
  std::string title;  // also the first heading
  bool title_is_code = false;
  std::string description;           // one sentence, for search engines
  std::vector<std::string> eyebrow;  // above the title: "sgl-project/sglang", "error", "ValueError"
  std::string severity;              // colours the eyebrow; may be empty
  std::vector<Inline> trail;         // the pages above this one
  std::vector<Block> blocks;
  Phrase footer;

  void heading(std::string text) {
    blocks.push_back({Block::Kind::heading, {plain(std::move(text))}, {}, {}, {}});
  }
  void paragraph(Phrase phrase) {
    blocks.push_back({Block::Kind::paragraph, std::move(phrase), {}, {}, {}});
  }
  void note(Phrase phrase) { blocks.push_back({Block::Kind::note, std::move(phrase), {}, {}, {}}); }
  void code(std::string text, std::string label = {}) {
    blocks.push_back({Block::Kind::code, {}, std::move(text), std::move(label), {}});
  }
  void bullets(std::vector<Phrase> items) {
    blocks.push_back({Block::Kind::bullets, {}, {}, {}, std::move(items)});
  }
  void numbers(std::vector<Phrase> items, std::size_t first = 1) {
    blocks.push_back({Block::Kind::numbers, {}, {}, {}, std::move(items), first});
  }
  // Prose of a record or rule: paragraphs at blank lines, "- " lists, ``` fences, `code`.
  void prose(std::string_view text);
};

// `code` in backticks, everything else as it stands.
Phrase read_phrase(std::string_view text);

// A name for one component of a path: lower case letters, digits, '.', '_' and '-' stay, anything
// else becomes '-'; never empty, never starting with a dot, at most 100 bytes.
std::string safe_file_name(std::string_view name);

std::string render_html(const SitePage& page);
std::string render_markdown(const SitePage& page);
// The style sheet, style.css of the site's root.
std::string_view site_style();

}  // namespace assay
