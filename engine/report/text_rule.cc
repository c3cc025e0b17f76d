// A rule for a terminal: what it says, when it holds, what to do, and the record it joins.
// The sections are those of its page but for the examples.
#include <fmt/format.h>

#include "engine/report/rule_text.h"
#include "engine/report/text_report.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

class RuleText {
 public:
  RuleText(const Rule& rule, const TextOptions& options) : rule_(rule), style_(options.style) {}

  std::string write() {
    const std::string kind =
        fmt::format("rule · {} · step {}", to_string(rule_.severity), rule_.step);
    out_ += style_.paint(printable(kind), Ink::dim) + "\n";
    out_ += style_.paint(printable(rule_.summary), Ink::bold) + "\n\n";
    section("Message", rule_.message);
    section("Why", rule_.documentation);
    code("Condition", rule_condition(rule_));
    source();
    fixes();
    section("When to ignore it", rule_.ignore_when);
    section("Releases", rule_.versions == "any" ? "" : rule_.versions);
    out_ += style_.paint(printable(rule_.id), Ink::dim) + "\n\n";
    return std::move(out_);
  }

 private:
  void heading(std::string_view text) { out_ += style_.paint(text, Ink::bold) + "\n"; }

  void section(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    heading(title);
    out_ += wrapped("  ", 2, text, style_) + '\n';
  }

  void code(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    heading(title);
    out_ += indented(4, text) + '\n';
  }

  void source() {
    if (rule_.source.file.empty()) return;
    std::string place = rule_.source.file;
    if (rule_.source.line != 0) place += fmt::format(":{}", rule_.source.line);
    if (!rule_.source.raises.empty()) place += fmt::format(" ({})", rule_.source.raises);
    section("Source", place);
  }

  void fixes() {
    if (rule_.fixes.empty()) return;
    heading("Fixes");
    for (std::size_t i = 0; i < rule_.fixes.size(); ++i) {
      std::string text;
      for (const Assignment& assignment : rule_.fixes[i].assignments)
        text += (text.empty() ? "" : ", ") + assignment_text(assignment);
      if (!rule_.fixes[i].why.empty()) text += ": " + rule_.fixes[i].why;
      const std::string number = fmt::format("{}. ", i + 1);
      out_ += wrapped("  " + style_.paint(number, Ink::green), 2 + number.size(), text, style_);
    }
    out_ += '\n';
  }

  const Rule& rule_;
  const TerminalStyle& style_;
  std::string out_;
};

}  // namespace

std::string write_text_rule(const Rule& rule, const TextOptions& options) {
  return RuleText(rule, options).write();
}

}  // namespace assay
