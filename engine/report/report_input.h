// What every report of a check is written from. All formats take the same input, so that they say
// the same.
#pragma once

#include <span>

#include "engine/evaluate/check_report.h"
#include "engine/model/dataset.h"
#include "engine/model/launch.h"
#include "engine/text/source.h"

namespace assay {

struct CheckedLaunch {
  const Launch* launch = nullptr;
  CheckReport report;
};

// Everything is borrowed for the time of the call.
struct ReportInput {
  std::span<const CheckedLaunch> launches;
  const SourceSet* sources = nullptr;
  const Dataset* dataset = nullptr;  // null: findings come without their records' explanations
};

}  // namespace assay
