// A page as HTML: one linked style sheet, one deferred script that nothing depends on, no request
// to anywhere else. What the style sheet and the script can hold on to:
//   body.page-KIND       SitePage::kind: home, error, errors, rule, rules, contract, argument, ...
//   header               nav.trail (where this page is), nav.site (the main indexes), and
//                        div#search[hidden], an empty place for the search
//   article[data-id][data-pattern]   of a known error, for "paste your line"
//   p.eyebrow span.severity.{error,warning,note};  h1.message;  mark.capture (what varies)
//   ul.actions           Markdown, JSON, edit, permalink
//   h2[id], h3[id]       their text with dashes, so that links into a page last
//   pre[data-language].before, .after with del and ins;  p.note;  dl.facts
//   div.scroll > table.ROLE td.{yes,no,changed,depends}
//   body[data-root]      the way to the site's root, "../../"
#include <fmt/format.h>

#include <set>

#include "engine/report/html.h"
#include "engine/report/site_document.h"

namespace assay {
namespace {

// What a page may do: its own script and style sheet, and nothing else; what is pasted into it
// cannot leave it.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'";

class PageHtml {
 public:
  PageHtml(const SitePage& page, const SiteFrame& frame) : page_(page), frame_(frame) {
    for (const char c : page.path)
      if (c == '/') root_ += "../";
    name_ = page.path.substr(page.path.rfind('/') + 1);
  }

  std::string write() {
    html_.open("html", {{"lang", "en"}}).new_line();
    write_head();
    html_.open("body", {{"class", std::string("page-") + page_.kind}, {"data-root", root_}});
    html_.new_line();
    write_header();
    html_.open("main", {{"id", "main"}}).new_line();
    if (page_.id.empty())
      html_.open("article");
    else
      html_.open("article", {{"data-id", page_.id}, {"data-pattern", page_.pattern}});
    html_.new_line();
    write_title();
    write_actions();
    for (const Block& block : page_.blocks) write_block(block);
    html_.close().new_line().close().new_line();
    write_footer();
    html_.close().new_line().close();
    return html_.take_document();
  }

 private:
  // The page's address in the world, where it is known.
  std::string address() const {
    if (frame_.base_url.empty()) return {};
    return frame_.base_url + (page_.path == "index" ? "" : page_.path + ".html");
  }

  void write_meta(const char* key, const char* name, std::string value) {
    if (!value.empty()) html_.lone("meta", {{key, name}, {"content", std::move(value)}}).new_line();
  }

  void write_head() {
    html_.open("head").new_line();
    html_.lone("meta", {{"charset", "utf-8"}}).new_line();
    write_meta("http-equiv", "Content-Security-Policy", kPolicy);
    write_meta("name", "viewport", "width=device-width, initial-scale=1");
    write_meta("name", "color-scheme", "light dark");
    html_.element("title", page_.title + " · Assay").new_line();
    write_meta("name", "description", page_.description);
    write_meta("property", "og:title", page_.title);
    write_meta("property", "og:description", page_.description);
    write_meta("property", "og:type", page_.path == "index" ? "website" : "article");
    write_meta("property", "og:site_name", "Assay");
    write_meta("property", "og:url", address());
    if (!page_.moved_to.empty()) {
      html_.lone("meta", {{"http-equiv", "refresh"},
                          {"content", "0; url=" + root_ + page_.moved_to + ".html"}});
      html_.new_line();
      write_meta("name", "robots", "noindex");
    }
    if (!address().empty())
      html_.lone("link", {{"rel", "canonical"}, {"href", address()}}).new_line();
    html_.lone("link", {{"rel", "icon"}, {"href", "data:,"}}).new_line();
    html_.lone("link", {{"rel", "stylesheet"}, {"href", root_ + "style.css"}}).new_line();
    html_.lone("link", {{"rel", "alternate"}, {"type", "text/markdown"}, {"href", name_ + ".md"}});
    html_.new_line();
    if (!page_.data.empty()) {
      html_.lone(
          "link",
          {{"rel", "alternate"}, {"type", "application/json"}, {"href", root_ + page_.data}});
      html_.new_line();
    }
    html_.open("script", {{"defer", ""}, {"src", root_ + "site.js"}}).close().new_line();
    html_.close().new_line();
  }

  void write_header() {
    html_.open("header").new_line();
    html_.open("a", {{"href", "#main"}, {"class", "skip"}}).text("Skip to content").close();
    html_.new_line().open("nav", {{"class", "trail"}, {"aria-label", "Breadcrumb"}});
    html_.open("a", {{"href", root_ + "index.html"}, {"class", "brand"}}).text("Assay").close();
    for (const Inline& step : page_.trail) {
      html_.open("span", {{"aria-hidden", "true"}}).text(" / ").close();
      write_inline(step);
    }
    html_.close().new_line().open("nav", {{"class", "site"}, {"aria-label", "Site"}});
    for (const auto& [path, text] : {std::pair("errors/index", "Errors"),
                                     {"arguments/index", "Arguments"},
                                     {"rules/index", "Rules"},
                                     {"support/index", "Support"},
                                     {"explain/index", "Paste a log"}}) {
      write_inline(page_link(path, text));
      html_.text(" ");
    }
    html_.close().new_line();
    html_.open("div", {{"id", "search"}, {"hidden", ""}}).close().new_line();
    html_.close().new_line();
  }

  void write_title() {
    if (!page_.eyebrow.empty()) {
      html_.open("p", {{"class", "eyebrow"}});
      for (std::size_t i = 0; i < page_.eyebrow.size(); ++i) {
        if (i > 0) html_.text(" · ");
        if (page_.eyebrow[i] == page_.severity) {
          html_.open("span", {{"class", "severity " + severity_class()}});
          html_.text(page_.eyebrow[i]).close();
        } else {
          html_.open("span").text(page_.eyebrow[i]).close();
        }
      }
      html_.close().new_line();
    }
    if (page_.title_is_code) {
      html_.open("h1", {{"class", "message"}});
    } else {
      html_.open("h1");
    }
    if (page_.title_parts.empty())
      html_.text(page_.title);
    else
      write_phrase(page_.title_parts);
    html_.close().new_line();
  }

  std::string severity_class() const {
    if (page_.severity == "warning") return "warning";
    return page_.severity == "note" || page_.severity == "info" ? "note" : "error";
  }

  void write_action(const char* role, std::string_view target, std::string_view text) {
    html_.open("li", {{"class", role}}).link(target, text).close();
  }

  void write_actions() {
    if (!page_.moved_to.empty()) return;
    html_.open("ul", {{"class", "actions"}});
    write_action("markdown", name_ + ".md", "View as Markdown");
    if (!page_.data.empty()) write_action("json", root_ + page_.data, "JSON");
    if (!page_.source.empty() && !frame_.edit_url.empty())
      write_action("edit", frame_.edit_url + page_.source, "Edit");
    write_action("permalink", address().empty() ? name_ + ".html" : address(), "Permalink");
    html_.close().new_line();
  }

  std::string target_of(const Inline& part) const {
    switch (part.kind) {
      case Inline::Kind::page:
      case Inline::Kind::code_page:
        return root_ + part.target + ".html";
      case Inline::Kind::file:
        return root_ + part.target;
      default:
        return part.target;
    }
  }

  void write_link(const Inline& part) {
    const std::string target = target_of(part);
    const bool is_code = part.kind == Inline::Kind::code_page;
    if (!is_safe_link(target)) {
      html_.text(part.text);
      return;
    }
    if (part.hint.empty())
      html_.open("a", {{"href", target}});
    else
      html_.open("a", {{"href", target}, {"title", part.hint}});
    if (is_code)
      html_.element("code", part.text);
    else
      html_.text(part.text);
    html_.close();
  }

  void write_inline(const Inline& part) {
    switch (part.kind) {
      case Inline::Kind::text:
        html_.text(part.text);
        break;
      case Inline::Kind::code:
        html_.element("code", part.text);
        break;
      case Inline::Kind::strong:
        html_.element("strong", part.text);
        break;
      case Inline::Kind::soft:
        html_.element("small", part.text);
        break;
      case Inline::Kind::capture:
        html_.open("mark", {{"class", "capture"}}).text(part.text).close();
        break;
      case Inline::Kind::inserted:
        html_.element("ins", part.text);
        break;
      case Inline::Kind::removed:
        html_.element("del", part.text);
        break;
      case Inline::Kind::page:
      case Inline::Kind::code_page:
      case Inline::Kind::file:
      case Inline::Kind::link:
        write_link(part);
        break;
    }
  }

  void write_phrase(const Phrase& phrase) {
    for (const Inline& part : phrase) write_inline(part);
  }

  void write_heading(const char* tag, const Phrase& phrase) {
    std::string text;
    for (const Inline& part : phrase) text += part.text;
    std::string id = safe_file_name(text);
    for (int count = 2; !ids_.insert(id).second; ++count)
      id = fmt::format("{}-{}", safe_file_name(text), count);
    html_.open(tag, {{"id", id}});
    write_phrase(phrase);
    html_.close().new_line();
  }

  void write_list(const char* tag, const Block& block) {
    const std::string first = std::to_string(block.first_number);
    if (block.first_number == 1)
      html_.open(tag).new_line();
    else
      html_.open(tag, {{"start", first}}).new_line();
    for (const Phrase& item : block.items) {
      html_.open("li");
      write_phrase(item);
      html_.close().new_line();
    }
    html_.close().new_line();
  }

  void write_facts(const Block& block) {
    html_.open("dl", {{"class", "facts"}}).new_line();
    for (std::size_t i = 0; i < block.items.size(); ++i) {
      html_.open(i % 2 == 0 ? "dt" : "dd");
      write_phrase(block.items[i]);
      html_.close();
      if (i % 2 == 1) html_.new_line();
    }
    html_.close().new_line();
  }

  void write_cell(const TableCell& cell, bool is_column_head, bool is_row_head) {
    if (is_column_head) {
      html_.open("th", {{"scope", "col"}});
    } else if (is_row_head) {
      html_.open("th", {{"scope", "row"}});
    } else if (*cell.state != '\0') {
      html_.open("td", {{"class", cell.state}});
    } else {
      html_.open("td");
    }
    write_phrase(cell.phrase);
    html_.close();
  }

  void write_table(const Block& block) {
    html_.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
    html_.open("table", {{"class", block.role}}).new_line();
    for (std::size_t row = 0; row < block.rows.size(); ++row) {
      if (row < 2) html_.open(row == 0 ? "thead" : "tbody").new_line();
      html_.open("tr");
      for (std::size_t column = 0; column < block.rows[row].size(); ++column)
        write_cell(block.rows[row][column], row == 0, column == 0);
      html_.close().new_line();
      if (row == 0 || row + 1 == block.rows.size()) html_.close().new_line();
    }
    html_.close().close().new_line();
  }

  void write_code(const Block& block) {
    // Long lines scroll: who uses a keyboard must be able to get there.
    html_.open("pre", {{"tabindex", "0"}, {"class", block.role}, {"data-language", block.label}});
    html_.open("code");
    write_phrase(block.phrase);
    html_.close().close().new_line();
  }

  void write_element(const char* tag, const Phrase& phrase) {
    html_.open(tag);
    write_phrase(phrase);
    html_.close().new_line();
  }

  void write_block(const Block& block) {
    switch (block.kind) {
      case Block::Kind::heading:
        write_heading("h2", block.phrase);
        break;
      case Block::Kind::subheading:
        write_heading("h3", block.phrase);
        break;
      case Block::Kind::paragraph:
        write_element("p", block.phrase);
        break;
      case Block::Kind::note:
        html_.open("p", {{"class", "note"}});
        write_phrase(block.phrase);
        html_.close().new_line();
        break;
      case Block::Kind::code:
        write_code(block);
        break;
      case Block::Kind::bullets:
        write_list("ul", block);
        break;
      case Block::Kind::numbers:
        write_list("ol", block);
        break;
      case Block::Kind::facts:
        write_facts(block);
        break;
      case Block::Kind::table:
        write_table(block);
        break;
    }
  }

  void write_footer() {
    const Phrase footer = footer_of(page_, frame_);
    if (footer.empty()) return;
    html_.open("footer").open("p");
    write_phrase(footer);
    html_.close().close().new_line();
  }

  const SitePage& page_;
  const SiteFrame& frame_;
  std::string root_;
  std::string name_;
  std::set<std::string> ids_{"main", "search"};
  HtmlWriter html_;
};

}  // namespace

std::string render_html(const SitePage& page, const SiteFrame& frame) {
  return PageHtml(page, frame).write();
}

}  // namespace assay
