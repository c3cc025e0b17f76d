// A record for a terminal: the sections of its page, in the same order; of an error in a log only
// what it means and what to do.
#include <fmt/format.h>

#include "engine/report/text_report.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kIndent = 2;

class RecordText {
 public:
  RecordText(const ErrorRecord& record, const TextOptions& options)
      : record_(record), style_(options.style), is_verbose_(options.is_verbose) {}

  // For a finding in a log: what it means and what to do.
  std::string write_answer() {
    section("What it means", record_.documentation);
    solutions();
    code("Example fix", record_.example_fix);
    return std::move(out_);
  }

  std::string write_whole() {
    const std::string kind =
        fmt::format("{} · {}{}", record_.repo, record_.severity,
                    record_.error_class ? " · " + *record_.error_class : std::string());
    out_ += style_.paint(printable(kind), Ink::dim) + "\n";
    out_ += style_.paint(printable(record_.error_message), Ink::bold) + "\n";
    if (record_.status == "retired")
      out_ += style_.paint("retired", Ink::yellow) +
              (record_.replaced_by ? ": see " + printable(*record_.replaced_by) : std::string()) +
              "\n";
    out_ += '\n';
    section("What it means", record_.documentation);
    source();
    solutions();
    code("Example fix", record_.example_fix);
    code("Check before", record_.validation_code);
    code("Type guard", record_.type_guard);
    section("When it happens", record_.trigger_scenarios.value_or(""));
    section("Common situations", record_.common_situations.value_or(""));
    list("Prevention", record_.prevention_tips);
    if (is_verbose_) code("Pattern", record_.message_pattern);
    out_ +=
        style_.paint(printable(fmt::format("{} {}", record_.id, record_.slug)), Ink::dim) + "\n";
    return std::move(out_);
  }

 private:
  void heading(std::string_view text) { out_ += style_.paint(text, Ink::bold) + "\n"; }

  void section(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    heading(title);
    out_ += wrapped("  ", kIndent, text, style_) + '\n';
  }

  void solutions() {
    if (record_.solutions.empty()) return;
    heading("Solutions");
    for (std::size_t i = 0; i < record_.solutions.size(); ++i) {
      const std::string number = fmt::format("{}. ", i + 1);
      out_ += wrapped("  " + style_.paint(number, Ink::green), kIndent + number.size(),
                      record_.solutions[i], style_);
    }
    out_ += '\n';
  }

  void list(std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    heading(title);
    for (const std::string& item : items) out_ += wrapped("  - ", kIndent + 2, item, style_);
    out_ += '\n';
  }

  void code(std::string_view title, const std::optional<std::string>& text) {
    if (!text || text->empty()) return;
    heading(title);
    out_ += indented(4, *text) + '\n';
  }

  void source() {
    if (!record_.file_path) return;
    std::string place = *record_.file_path;
    if (record_.line_number) place += fmt::format(":{}", *record_.line_number);
    if (record_.analyzed_sha) place += fmt::format(" at {}", record_.analyzed_sha->substr(0, 10));
    section("Source", place);
    if (is_verbose_) code("Excerpt", record_.source_code);
  }

  const ErrorRecord& record_;
  const TerminalStyle& style_;
  bool is_verbose_;
  std::string out_;
};

}  // namespace

std::string write_text_answer(const ErrorRecord& record, const TextOptions& options) {
  return RecordText(record, options).write_answer();
}

std::string write_text_record(const ErrorRecord& record, const TextOptions& options) {
  return RecordText(record, options).write_whole();
}

}  // namespace assay
