// What a log says, for a terminal: the cause with everything known about it, what the launch
// breaks, and the rest in a line each.
#include <fmt/format.h>

#include <cmath>

#include "engine/report/finding_view.h"
#include "engine/report/text_report.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kListedRanks = 12;
constexpr std::size_t kBriefCharacters = 160;
constexpr std::size_t kBriefErrors = 20;

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain:
      return "certain";
    case Confidence::likely:
      return "likely";
    case Confidence::possible:
      break;
  }
  return "possible";
}

std::string class_of(const ExplainedError& error) {
  if (!error.error_class.empty()) return error.error_class;
  return error.record != nullptr ? error.record->error_class.value_or("") : std::string();
}

std::string severity_of(const ExplainedError& error) {
  return error.record != nullptr ? error.record->severity : "error";
}

std::string joined_ranks(const std::vector<std::string>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < kListedRanks; ++i)
    text += (i == 0 ? "" : ", ") + ranks[i];
  if (ranks.size() > kListedRanks) text += fmt::format(", ... ({} in all)", ranks.size());
  return text;
}

class ExplanationText {
 public:
  ExplanationText(const Explanation& explanation, const TextOptions& options)
      : explanation_(explanation), options_(options), style_(options.style) {}

  std::string write() {
    const bool is_missing = explanation_.found == CauseFound::not_in_text;
    const bool is_launch = explanation_.found == CauseFound::launch;
    if (is_missing) write_missing();
    if (is_launch) write_launches();
    std::size_t told = 0;
    if (!is_missing && !is_launch && !explanation_.errors.empty()) {
      write_error(explanation_.errors.front());
      told = 1;
    }
    if (!is_launch) write_launches();
    write_others(told);
    write_count();
    return std::move(out_);
  }

 private:
  void line(std::string_view text, Ink ink) { out_ += style_.paint(printable(text), ink) + "\n"; }
  void sentence(std::string_view text) { out_ += wrapped("  ", 2, text, style_); }

  std::string place(const ExplainedError& error) const {
    std::string text = fmt::format("{}:{}:{}", explanation_.source, error.line, error.column);
    if (error.count > 1) text += fmt::format(", {} times", error.count);
    if (error.ranks.size() > 1)
      text += ", by " + joined_ranks(error.ranks);
    else if (!error.process.empty())
      text += ", by " + (error.ranks.empty() ? error.process : error.ranks.front());
    return text;
  }

  void write_heading(const ExplainedError& error) {
    const std::string severity = severity_of(error);
    const std::string error_class = class_of(error);
    out_ += fmt::format(
        "{} {}{}\n",
        style_.paint(printable(severity) + ":", severity == "warning" ? Ink::yellow : Ink::red),
        style_.paint(printable(error_class.empty() ? "" : error_class + ": "), Ink::dim),
        style_.paint(printable(error.matched), Ink::bold));
    line("  " + place(error), Ink::dim);
    if (!error.function.empty())
      line(fmt::format("  in {} ({})", error.function, error.file), Ink::dim);
    if (error.is_known_by_place && !error.code.empty()) line("  at " + error.code, Ink::dim);
    // A part without a name is in the message above and needs no line of its own.
    for (const ExplainedCapture& capture : error.captures)
      if (capture.name.find_first_not_of("0123456789") != std::string::npos)
        out_ += wrapped("    ", 6, fmt::format("{} = {}", capture.name, capture.value), style_);
  }

  void write_error(const ExplainedError& error) {
    write_heading(error);
    const bool is_cause = error.role == ErrorRole::cause || error.role == ErrorRole::symptom;
    if (!error.why.empty())
      sentence(is_cause ? fmt::format("{} cause: {}", name_of(error.confidence), error.why)
                        : error.why);
    if (error.is_asynchronous)
      sentence(
          "An asynchronous fault: the place named here is where it was noticed, not where it "
          "happened. Repeat with CUDA_LAUNCH_BLOCKING=1 and without CUDA graphs, or under "
          "compute-sanitizer, to find the kernel.");
    out_ += '\n';
    if (error.record == nullptr || !error.similar.empty()) write_similar(error);
    if (error.record == nullptr) return;
    out_ += write_text_answer(*error.record, options_);
    line(fmt::format("more: assay explain {}", error.record->id), Ink::dim);
    out_ += '\n';
  }

  void write_similar(const ExplainedError& error) {
    if (error.similar.empty()) return;
    line("Nearest known errors, not exact", Ink::bold);
    for (const SimilarRecord& similar : error.similar) {
      const ErrorRecord& record = *similar.record;
      out_ += wrapped("  ", 4,
                      fmt::format("{:.0f} % like {} ({})", std::floor(similar.likeness * 100),
                                  record.slug, record.id),
                      style_);
      out_ += "    " + difference(similar) + "\n";
    }
    out_ += '\n';
  }

  // [-only in the record-] {+only in the log+}
  std::string difference(const SimilarRecord& similar) const {
    std::string text;
    for (const WordDifference& part : similar.difference) {
      const std::string words = printable(shortened(part.text, kBriefCharacters));
      if (!text.empty()) text += ' ';
      if (part.side == WordDifference::Side::both) text += words;
      if (part.side == WordDifference::Side::record_only)
        text += style_.paint("[-" + words + "-]", Ink::red);
      if (part.side == WordDifference::Side::log_only)
        text += style_.paint("{+" + words + "+}", Ink::green);
    }
    return text;
  }

  void write_missing() {
    line("root cause not in this excerpt", Ink::bold);
    if (!explanation_.fetch.empty()) {
      sentence("To find it:");
      for (std::size_t i = 0; i < explanation_.fetch.size(); ++i)
        out_ += wrapped(fmt::format("  {}. ", i + 1), 5, explanation_.fetch[i], style_);
    }
    out_ += '\n';
  }

  void write_launches() {
    for (const auto& launch : explanation_.launches) {
      line(fmt::format("the launch at {}:{} breaks {}", explanation_.source, launch->line,
                       launch->report.findings.size() == 1 ? "a rule" : "rules"),
           Ink::bold);
      for (const GivenFact& fact : launch->launch.facts)
        if (fact.name == "version.engine" && !fact.source.empty())
          sentence(fmt::format("  Checked against {} {}: {}.", launch->report.pack,
                               launch->report.engine_version, fact.source));
      for (const Finding& finding : launch->report.findings) {
        out_ +=
            wrapped("  " + style_.paint("error: ", Ink::red), 4, finding_message(finding), style_);
        sentence("  " + finding_summary(finding));
        line("    " + finding_rule_id(finding), Ink::dim);
      }
      if (!launch->command.empty()) {
        const Repair& repair = launch->report.repairs.front();
        std::string changes;
        for (const RepairChange& change : repair.changes)
          changes += (changes.empty() ? "" : ", ") + change.flag;
        sentence("Repaired (" + changes + "):");
        out_ += indented(4, launch->command);
      } else if (!launch->report.no_repair_reason.empty()) {
        sentence("No repair: " + launch->report.no_repair_reason);
      }
      out_ += '\n';
    }
  }

  void write_others(std::size_t told) {
    const auto& errors = explanation_.errors;
    if (told >= errors.size()) return;
    if (options_.is_verbose) {
      for (std::size_t i = told; i < errors.size(); ++i) write_error(errors[i]);
      return;
    }
    line(told == 0 ? "In the text" : "Also in the text", Ink::bold);
    for (std::size_t i = told; i < errors.size() && i < told + kBriefErrors; ++i)
      write_brief(errors[i]);
    if (errors.size() > told + kBriefErrors)
      sentence(fmt::format("... and {} more (--verbose)", errors.size() - told - kBriefErrors));
    out_ += '\n';
  }

  void write_brief(const ExplainedError& error) {
    const std::string error_class = class_of(error);
    const std::string message = shortened(
        (error_class.empty() ? "" : error_class + ": ") + error.matched, kBriefCharacters);
    out_ += wrapped("  ", 4, fmt::format("{}: {}", severity_of(error), message), style_);
    std::string about = "    " + place(error);
    if (error.record != nullptr) about += ": assay explain " + error.record->id;
    line(about, Ink::dim);
    if (!error.why.empty()) out_ += wrapped("    ", 4, error.why, style_);
  }

  void write_count() {
    std::size_t known = 0;
    for (const ExplainedError& error : explanation_.errors)
      known += static_cast<std::size_t>(error.record != nullptr);
    const std::size_t unknown = explanation_.errors.size() - known;
    const std::string lines =
        fmt::format("{} {}", explanation_.lines, explanation_.lines == 1 ? "line" : "lines");
    if (known == 0) {
      std::string text = fmt::format("{}: no known error in {}", explanation_.source, lines);
      if (unknown > 0) text += fmt::format(", {} unknown", unknown);
      out_ += printable(text) + "\n";
      return;
    }
    std::string text = fmt::format("{} known {}", known, known == 1 ? "error" : "errors");
    if (unknown > 0) text += fmt::format(" and {} unknown", unknown);
    line(fmt::format("{} in {} of {}", text, lines, explanation_.source), Ink::dim);
  }

  const Explanation& explanation_;
  const TextOptions& options_;
  const TerminalStyle& style_;
  std::string out_;
};

}  // namespace

std::string write_text_explanation(const Explanation& explanation, const TextOptions& options) {
  return ExplanationText(explanation, options).write();
}

}  // namespace assay
