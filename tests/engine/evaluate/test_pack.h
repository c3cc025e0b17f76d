// A pack written as text in a test: files in sections "=== pack.yaml", "=== facts.yaml",
// "=== area/slug.yaml", all below the folder rules/demo. pack.yaml, arguments.yaml and facts.yaml
// have defaults (see the .cc), so that a test shows only the rules it is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/check_report.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/text/source.h"

namespace assay::test {

struct TestPack {
  SourceSet sources;
  CompiledPackPtr pack;  // null: see faults
  Diagnostics faults;

  const RulePack& source() const { return source_pack(*pack); }
  // "code: message" a line.
  std::string fault_text() const;
};

// Reads and compiles; faults of either are in `faults` and, with `must_compile`, fail the test.
TestPack make_pack(std::string_view sections, bool must_compile = true);
// A rule file of the area `area`: "=== area/slug.yaml" with the keys every rule must have, and then
// `rest`. A check without a message says "broken".
std::string rule_file(std::string_view slug, std::string_view severity, std::string_view step,
                      std::string_view rest);

// A launch that types the arguments of a YAML flow map: "{a: 1, b: x}".
Launch typed(TestPack& pack, std::string_view arguments);
// Facts of a YAML flow map.
std::vector<GivenFact> given(TestPack& pack, std::string_view facts);
// The report as text, one line a finding and one a fact.
std::string report_text(const CheckReport& report);
// check_launch, by index and by loop, which must agree.
CheckReport check(TestPack& pack, std::string_view arguments, std::string_view facts = "{}");

}  // namespace assay::test
