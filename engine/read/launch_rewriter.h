// Writes a changed launch in the form it came in: a shell command keeps its wrappers, quoting,
// comments and line continuations; a word list and a map keep everything that is not edited.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/model/launch.h"
#include "engine/read/pack_release.h"
#include "engine/text/source.h"

namespace assay {

struct LaunchEdit {
  FactId fact = 0;
  bool is_unset = false;  // remove every occurrence; else: the argument shall have `value`
  Node value;
};

// The launch's text (its `span`) with the edits applied and everything else as it was; nothing for
// one that cannot be edited where it stands (a dump, shell text put together from variables, a
// launch that no text shows).
// Reading the result again gives a launch whose arguments are the edited ones (tests prove it).
std::optional<std::string> rewrite_in_place(const SourceSet& sources, const RulePack& pack,
                                            const Launch& launch,
                                            std::span<const LaunchEdit> edits);
// A rewritten launch as whole lines, where its text is only a part of them (items of a manifest's
// list, a CMD, an ExecStart=): from the key or instruction on that gives it, less its indent. Empty
// where it stands for itself.
std::string whole_lines(const SourceSet& sources, const Launch& launch, std::string_view rewritten);
// The same, but a fresh command in place of nothing.
std::string rewrite_launch(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                           std::span<const LaunchEdit> edits);
// A flag or key that names no argument: it is renamed where `name` says to what, else taken out.
struct PartEdit {
  Span name_span;  // what to rename
  Span extent;     // what to take out, with its values
  std::string name;
};
// The launch's text with the edits applied; of a dump as it was.
std::string rewrite_parts(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                          std::span<const PartEdit> edits);
// One edit as a user would type it: "--kv-cache-dtype fp8_e4m3", "remove --attention-backend";
// `typed` is how the launch spells the flag, where that may stay.
std::string describe_edit(const PackRelease& release, const LaunchEdit& edit,
                          std::string_view typed = {});
// The argument's flag as the launch spells it (`--tp` for `--tp-size`); empty where it has none, or
// one that is better spelt anew.
std::string typed_flag(const SourceSet& sources, const LaunchArgument& argument);

}  // namespace assay
