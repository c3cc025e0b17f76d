// A page as HTML: one linked style sheet, no script, no request to anywhere else.
#include <fmt/format.h>

#include "engine/report/html.h"
#include "engine/report/site_document.h"

namespace assay {
namespace {

class PageHtml {
 public:
  explicit PageHtml(const SitePage& page) : page_(page) {
    for (const char c : page.path)
      if (c == '/') root_ += "../";
  }

  std::string write() {
    html_.open("html", {{"lang", "en"}}).new_line();
    write_head();
    html_.open("body").new_line();
    write_trail();
    html_.open("main").new_line().open("article").new_line();
    write_title();
    for (const Block& block : page_.blocks) write_block(block);
    html_.close().new_line().close().new_line();
    write_footer();
    html_.close().new_line().close();
    return html_.take_document();
  }

 private:
  void write_head() {
    html_.open("head").new_line();
    html_.lone("meta", {{"charset", "utf-8"}}).new_line();
    html_.lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}})
        .new_line();
    html_.lone("meta", {{"name", "color-scheme"}, {"content", "light dark"}}).new_line();
    html_.element("title", page_.title + " · Assay").new_line();
    if (!page_.description.empty())
      html_.lone("meta", {{"name", "description"}, {"content", page_.description}}).new_line();
    html_.lone("link", {{"rel", "stylesheet"}, {"href", root_ + "style.css"}}).new_line();
    const std::string name = page_.path.substr(page_.path.rfind('/') + 1);
    html_.lone("link", {{"rel", "alternate"}, {"type", "text/markdown"}, {"href", name + ".md"}})
        .new_line();
    html_.close().new_line();
  }

  void write_trail() {
    html_.open("header").open("nav", {{"aria-label", "Breadcrumb"}});
    html_.open("a", {{"href", root_ + "index.html"}, {"class", "brand"}}).text("Assay").close();
    for (const Inline& step : page_.trail) {
      html_.open("span", {{"aria-hidden", "true"}}).text(" / ").close();
      write_inline(step);
    }
    html_.close().close().new_line();
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
      html_.open("h1", {{"class", "message"}}).text(page_.title).close().new_line();
    } else {
      html_.element("h1", page_.title).new_line();
    }
  }

  std::string severity_class() const {
    if (page_.severity == "warning") return "warning";
    return page_.severity == "note" || page_.severity == "info" ? "note" : "error";
  }

  std::string target_of(const Inline& part) const {
    if (part.kind == Inline::Kind::link) return part.target;
    const bool has_extension = part.target.ends_with(".json") || part.target.ends_with(".md");
    return root_ + part.target + (has_extension ? "" : ".html");
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
      case Inline::Kind::page:
      case Inline::Kind::link:
        html_.link(target_of(part), part.text);
        break;
    }
  }

  void write_phrase(const Phrase& phrase) {
    for (const Inline& part : phrase) write_inline(part);
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

  void write_block(const Block& block) {
    switch (block.kind) {
      case Block::Kind::heading:
        html_.open("h2");
        write_phrase(block.phrase);
        html_.close().new_line();
        break;
      case Block::Kind::paragraph:
        html_.open("p");
        write_phrase(block.phrase);
        html_.close().new_line();
        break;
      case Block::Kind::note:
        html_.open("p", {{"class", "note"}});
        write_phrase(block.phrase);
        html_.close().new_line();
        break;
      case Block::Kind::code:
        // Long lines scroll: who uses a keyboard must be able to get there.
        html_.open("pre", {{"tabindex", "0"}}).element("code", block.code).close().new_line();
        break;
      case Block::Kind::bullets:
        write_list("ul", block);
        break;
      case Block::Kind::numbers:
        write_list("ol", block);
        break;
    }
  }

  void write_footer() {
    if (page_.footer.empty()) return;
    html_.open("footer").open("p");
    write_phrase(page_.footer);
    html_.close().close().new_line();
  }

  const SitePage& page_;
  std::string root_;
  HtmlWriter html_;
};

}  // namespace

std::string render_html(const SitePage& page) { return PageHtml(page).write(); }

}  // namespace assay
