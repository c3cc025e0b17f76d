// Reports for programs: dataset/schema/check-report.schema.json and explain-report.schema.json say
// what is in them. A new field may come at any time; anything else raises kReportFormatVersion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/evaluate/explanation.h"
#include "engine/report/json_writer.h"
#include "engine/report/report_input.h"

namespace assay {

inline constexpr std::int64_t kReportFormatVersion = 1;

std::string write_json_report(const ReportInput& input);
std::string write_json_rule(const Rule& rule);
std::string write_json_explanations(std::span<const Explanation> explanations,
                                    JsonWriter::Layout layout = JsonWriter::Layout::indented);
// One line, for an error that has just been seen in a log that is followed; `message` is what is
// told of it.
std::string write_json_seen_error(std::string_view source, const ExplainedError& error,
                                  std::string_view message);

}  // namespace assay
