// Reports for the services around a repository: code scanning (SARIF 2.1.0), test results (JUnit's
// XML as CI servers read it) and workflow annotations.
#pragma once

#include <string>

#include "engine/report/report_input.h"

namespace assay {

std::string write_sarif_report(const ReportInput& input);
std::string write_junit_report(const ReportInput& input);
std::string write_github_report(const ReportInput& input);

}  // namespace assay
