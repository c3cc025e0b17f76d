// A page of the site before it is HTML or Markdown: both are written from this, so they say the
// same, and no page builder ever sees markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

struct Inline {
  enum class Kind : std::uint8_t {
    text,
    code,
    strong,
    soft,      // an aside, shown smaller
    capture,   // the part of a message that varies
    inserted,  // of an example: what the fix adds
    removed,   // ... and takes away
    page,
    code_page,  // a page whose link is code
    file,       // a file of the site that is no page
    link,
  };
  Kind kind = Kind::text;
  std::string text;
  // page: its path ("errors/sglang/x"); file: the same with its extension; link: an address outside
  std::string target;
  std::string hint;  // of a link: shown when it is pointed at; may be empty
};
using Phrase = std::vector<Inline>;

inline Inline plain(std::string text) { return {Inline::Kind::text, std::move(text), {}, {}}; }
inline Inline code_text(std::string text) { return {Inline::Kind::code, std::move(text), {}, {}}; }
inline Inline strong(std::string text) { return {Inline::Kind::strong, std::move(text), {}, {}}; }
inline Inline soft(std::string text) { return {Inline::Kind::soft, std::move(text), {}, {}}; }
inline Inline capture(std::string text) { return {Inline::Kind::capture, std::move(text), {}, {}}; }
inline Inline page_link(std::string path, std::string text) {
  return {Inline::Kind::page, std::move(text), std::move(path), {}};
}
inline Inline code_link(std::string path, std::string text) {
  return {Inline::Kind::code_page, std::move(text), std::move(path), {}};
}
inline Inline file_link(std::string path, std::string text) {
  return {Inline::Kind::file, std::move(text), std::move(path), {}};
}
inline Inline web_link(std::string address, std::string text) {
  return {Inline::Kind::link, std::move(text), std::move(address), {}};
}

struct TableCell {
  Phrase phrase;
  const char* state = "";  // a word of the program: "yes", "no", "depends"; may be empty
};
using TableRow = std::vector<TableCell>;

struct Block {
  enum class Kind : std::uint8_t {
    heading,
    subheading,
    paragraph,
    code,
    bullets,
    numbers,
    note,
    facts,  // pairs of a name and what it is
    table,
  };
  Kind kind = Kind::paragraph;
  Phrase phrase;              // heading, subheading, paragraph, note; code: its text with marks
  std::string label;          // code: what it is written in ("python", "cel"), may be empty
  const char* role = "";      // a word of the program for the style sheet: "before", "after"
  std::vector<Phrase> items;  // bullets, numbers; facts: name, value, name, value
  std::size_t first_number = 1;
  std::vector<TableRow> rows;  // table: the first row is its head, as the first cell of each is
};

struct SitePage {
  const char* kind = "";  // a word of the program for the style sheet: "error", "argument"
  std::string path;       // without extension: "errors/sglang/x"
  std::string title;      // also the first heading
  Phrase title_parts;     // the first heading with its marks, where it has any
  bool title_is_code = false;
  std::string description;           // one sentence, for search engines
  std::vector<std::string> eyebrow;  // above the title: "sgl-project/sglang", "error", "ValueError"
  std::string severity;              // colours the eyebrow; may be empty
  std::vector<Inline> trail;         // the pages above this one
  std::string data;                  // the same for programs: a file of the site; may be empty
  std::string source;                // the file behind it in the knowledge; may be empty
  // For the scripts of the page: of a known error its id and pattern.
  std::string id;
  std::string pattern;
  std::string moved_to;  // the page that has taken this one's place; may be empty
  std::vector<Block> blocks;
  Phrase footer;

  Block& add(Block::Kind block_kind, Phrase phrase = {}) {
    Block& block = blocks.emplace_back();
    block.kind = block_kind;
    block.phrase = std::move(phrase);
    return block;
  }
  void heading(std::string text) { add(Block::Kind::heading, {plain(std::move(text))}); }
  void subheading(Phrase phrase) { add(Block::Kind::subheading, std::move(phrase)); }
  void paragraph(Phrase phrase) { add(Block::Kind::paragraph, std::move(phrase)); }
  void note(Phrase phrase) { add(Block::Kind::note, std::move(phrase)); }
  void code(std::string text, std::string label = {}) {
    marked_code({plain(std::move(text))}, std::move(label));
  }
  void marked_code(Phrase text, std::string label = {}, const char* role = "") {
    Block& block = add(Block::Kind::code, std::move(text));
    block.label = std::move(label);
    block.role = role;
  }
  void bullets(std::vector<Phrase> items) { add(Block::Kind::bullets).items = std::move(items); }
  void numbers(std::vector<Phrase> items, std::size_t first = 1) {
    Block& block = add(Block::Kind::numbers);
    block.items = std::move(items);
    block.first_number = first;
  }
  void facts(std::vector<Phrase> names_and_values) {
    add(Block::Kind::facts).items = std::move(names_and_values);
  }
  void table(std::vector<TableRow> rows, const char* role = "") {
    Block& block = add(Block::Kind::table);
    block.rows = std::move(rows);
    block.role = role;
  }
  // Prose of a record or rule: paragraphs at blank lines, "- " lists, ``` fences, `code`.
  void prose(std::string_view text);
};

// `code` in backticks, everything else as it stands.
Phrase read_phrase(std::string_view text);
void append(Phrase& phrase, Phrase more);

// A name for one component of a path: lower case letters, digits, '.', '_' and '-' stay, anything
// else becomes '-'; never empty, never starting with a dot, at most 100 bytes.
std::string safe_file_name(std::string_view name);
// The same for each component between slashes; empty ones are left out, and what is more than 16
// deep is one name.
std::string safe_path(std::string_view path);

// What is the same on all pages.
struct SiteFrame {
  std::string base_url;    // "https://example.org/assay/", with its slash; may be empty
  std::string edit_url;    // what a file of the knowledge is edited below; may be empty
  std::string issues_url;  // where readers report faults; may be empty
};

std::string render_html(const SitePage& page, const SiteFrame& frame = {});
std::string render_markdown(const SitePage& page, const SiteFrame& frame = {});
// The page's own footer, with where to report faults.
Phrase footer_of(const SitePage& page, const SiteFrame& frame);

}  // namespace assay
