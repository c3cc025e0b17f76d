// Reports for a person at a terminal.
#pragma once

#include <string>

#include "engine/evaluate/explanation.h"
#include "engine/model/error_record.h"
#include "engine/model/rule.h"
#include "engine/report/report_input.h"
#include "engine/report/terminal_text.h"

namespace assay {

struct TextOptions {
  TerminalStyle style;
  bool is_verbose = false;  // undecided rules one by one, adjustments, when to ignore a finding
};

// Nothing of the input reaches the terminal with its control characters.
std::string write_text_report(const ReportInput& input, const TextOptions& options);
std::string write_text_explanation(const Explanation& explanation, const TextOptions& options);
// Of a record what an answer to a log needs: what it means and what to do.
std::string write_text_answer(const ErrorRecord& record, const TextOptions& options);
std::string write_text_rule(const Rule& rule, const TextOptions& options);
std::string write_text_record(const ErrorRecord& record, const TextOptions& options);

}  // namespace assay
