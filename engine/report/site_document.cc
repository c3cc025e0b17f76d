// The little of Markdown that the knowledge's texts use, read into blocks. Anything else in them is
// plain text, so that a `<` or a `*` of an error message means itself.
#include "engine/report/site_document.h"

#include <algorithm>

namespace assay {
namespace {

std::string_view take_line(std::string_view& text) {
  const auto newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

bool is_bullet(std::string_view line) { return line.starts_with("- ") || line.starts_with("* "); }

class ProseReader {
 public:
  explicit ProseReader(SitePage& page) : page_(page) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (line.starts_with("```")) {
        end_blocks();
        read_fence(line.substr(3), text);
      } else if (is_blank(line)) {
        end_blocks();
      } else if (is_bullet(line)) {
        end_paragraph();
        items_.push_back(std::string(line.substr(2)));
      } else if (!items_.empty() && line.starts_with("  ")) {
        items_.back() += line.substr(1);
      } else {
        end_items();
        if (!paragraph_.empty()) paragraph_ += ' ';
        paragraph_ += line;
      }
    }
    end_blocks();
  }

 private:
  void read_fence(std::string_view label, std::string_view& text) {
    std::string code;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (line.starts_with("```")) break;
      code += line;
      code += '\n';
    }
    page_.code(std::move(code), std::string(label));
  }

  void end_paragraph() {
    if (!paragraph_.empty()) page_.paragraph(read_phrase(paragraph_));
    paragraph_.clear();
  }

  void end_items() {
    std::vector<Phrase> phrases;
    for (const std::string& item : items_) phrases.push_back(read_phrase(item));
    if (!phrases.empty()) page_.bullets(std::move(phrases));
    items_.clear();
  }

  void end_blocks() {
    end_paragraph();
    end_items();
  }

  SitePage& page_;
  std::string paragraph_;
  std::vector<std::string> items_;
};

}  // namespace

void SitePage::prose(std::string_view text) { ProseReader(*this).read(text); }

Phrase read_phrase(std::string_view text) {
  Phrase phrase;
  while (!text.empty()) {
    const auto open = text.find('`');
    const auto close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos || close == open + 1) {
      phrase.push_back(plain(std::string(text)));
      break;
    }
    if (open > 0) phrase.push_back(plain(std::string(text.substr(0, open))));
    phrase.push_back(code_text(std::string(text.substr(open + 1, close - open - 1))));
    text.remove_prefix(close + 1);
  }
  return phrase;
}

void append(Phrase& phrase, Phrase more) {
  for (Inline& part : more) phrase.push_back(std::move(part));
}

Phrase footer_of(const SitePage& page, const SiteFrame& frame) {
  Phrase footer = page.footer;
  if (frame.issues_url.empty() || !page.moved_to.empty()) return footer;
  append(footer, {plain(footer.empty() ? "Report an issue: " : " Report an issue: "),
                  web_link(frame.issues_url, "GitHub"), plain(".")});
  return footer;
}

std::string safe_file_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 100;
  std::string safe;
  for (char c : name.substr(0, kMaxBytes)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                         (c == '.' && !safe.empty());
    safe += is_safe ? c : '-';
  }
  return safe.empty() ? "unnamed" : safe;
}

std::string safe_path(std::string_view path) {
  constexpr int kMaxDepth = 16;
  std::string safe;
  for (int depth = 1; !path.empty();) {
    const std::string_view part = depth < kMaxDepth ? path.substr(0, path.find('/')) : path;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty()) continue;
    if (!safe.empty()) safe += '/';
    safe += safe_file_name(part);
    ++depth;
  }
  return safe.empty() ? safe_file_name({}) : safe;
}

}  // namespace assay
