// A small pack and a printable form of launches, for the tests of the launch readers.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/read/launch_reader.h"
#include "engine/text/source.h"

namespace assay::test {

// A pack `sglang` with arguments of every type, short, deprecated and --no- flags.
const RulePack& small_pack();
// A second one, `vllm`.
const RulePack& other_pack();

FactId fact_id(const RulePack& pack, std::string_view name);

// Every launch with its arguments, environment and faults, one a line, each with its place as
// line:column and the bytes of its span; then the warnings; or the errors.
std::string show_launches(const SourceSet& sources, const Result<std::vector<Launch>>& launches,
                          const Diagnostics& warnings);
std::string show_diagnostic(const SourceSet& sources, const Diagnostic& diagnostic);
// "tp_size=8 attention_backend='flashinfer'": the last value of each fact, sorted by name; a value
// that is not known is shown as ?text.
std::string show_values(const RulePack& pack, const Launch& launch);

// Reads `text` with both packs.
struct ReadText {
  explicit ReadText(std::string text, InputKind kind = InputKind::automatic,
                    const FileSystem* files = nullptr);
  SourceSet sources;
  SourceId source;
  Diagnostics warnings;
  Result<std::vector<Launch>> launches;

  const Launch& only() const { return launches->at(0); }
  std::string values() const;
  std::string faults() const;  // "code: message" a line, of the first launch
  std::string errors() const;  // of the reading
};

}  // namespace assay::test
