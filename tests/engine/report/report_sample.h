// One small world for the report tests: a dataset, a pack with two rules, a launch that breaks one
// of them, and its report. Built by hand, because reports are tested apart from readers and checks.
#pragma once

#include <string>
#include <vector>

#include "engine/model/rule_pack.h"
#include "engine/report/report_input.h"

namespace assay {

struct ReportSample {
  SourceSet sources;
  Dataset dataset;
  RulePack pack;
  Launch launch;
  std::vector<CheckedLaunch> launches;

  ReportSample();
  ReportSample(const ReportSample&) = delete;
  ReportSample& operator=(const ReportSample&) = delete;

  ReportInput input() const { return {launches, &sources, &dataset}; }
  CheckReport& report() { return launches[0].report; }
  // The place of `text` in the launch's source.
  Span span_of(std::string_view text) const;
};

// Text that means something to every format: markup, quotes, templates, control characters, bytes
// that are no UTF-8, line ends.
inline const std::string kHostile =
    "<script>alert('x')</script> \"q\" & {{7*7}} ${x} %0A ::error:: `t` *b* [l](javascript:a) "
    "\x1b[31m\x07\x01 \xff\xfe \xe2\x80\xae ]]> \r\n::warning::-->";

ErrorRecord sample_record();
// A record all of whose texts are hostile, its id, slug and repo included.
ErrorRecord hostile_record();
Rule sample_rule();

}  // namespace assay
