// The facts a pack declares: the engine's arguments (arguments.yaml) and everything else
// (facts.yaml). A fact is named by its dotted name: `tp_size`, `gpu.sm`, `env.SGLANG_X`,
// `derived.decode_backend`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/lazy_list.h"
#include "engine/base/name_index.h"
#include "engine/model/type.h"
#include "engine/text/document.h"

namespace assay {

using FactId = std::uint32_t;  // index into FactSchema::facts

// CEL text, and where it stands. Faults inside it are placed at `span.begin` + offset when
// `is_verbatim`: the bytes of the span are the text itself (a plain or block-free scalar), else at
// the whole span.
struct ExpressionText {
  std::string text;
  Span span;
  bool is_verbatim = false;
};

// One way to write an argument on the command line.
struct Flag {
  std::string spelling;        // "--tp-size", "-tp"
  bool is_deprecated = false;  // accepted, with a warning naming the argument's first flag
  std::optional<Node>
      stores;  // what it stores when it takes no value (store_true, --no-x); none: it takes a value
  // What it stores for each word that it takes, where these are not the argument's own values
  // (--old-backend amd stores true). Empty: it takes the argument's values.
  std::vector<Entry> word_values = {};
  // Ranges of the engine's releases, as Rule::versions: that have it, and where it is deprecated if
  // it is so anywhere. Empty: all.
  std::string versions = {};
  std::string deprecated_versions = {};
};

// A default that holds in some releases only.
struct DatedDefault {
  std::string versions;  // as Rule::versions
  Node value;
};

struct FactDeclaration {
  std::string name;
  Type type;  // nullable as declared; JSON-valued arguments: map<string, dyn> or dyn
  bool is_argument = false;
  bool is_json = false;               // the flag's text is parsed as JSON when read
  bool takes_list = false;            // nargs "+": values until the next flag
  std::optional<Node> default_value;  // arguments: always (null counts); env: what unset means;
                                      // others: none = unknown
  std::vector<Node> choices;          // empty: any value of the type
  bool has_open_choices = false;      // plugins add choices: RulePack::plugin_environment
  // What a suffix of a number's text multiplies it by ({"k", 1000}, {"Ki", 1024}); decimals are
  // taken where the product is whole and the factor a power of ten.
  std::vector<std::pair<std::string, std::int64_t>> unit_suffixes;
  std::vector<Flag> flags;    // the first one is the canonical spelling; not for non-arguments
  std::string environment;    // the variable that sets it when no flag does; may be empty
  std::string documentation;  // one line
  std::optional<std::int64_t> minimum;  // of an int that is no argument: the least it can be
  std::string unit;                     // "MiB", "tokens"; may be empty
  std::optional<ExpressionText>
      expression;  // not for arguments: computed when read, unless somebody gave the fact
  Span span;       // of its name
  // Of arguments. read/pack_release.h says what one release has of all this.
  std::string versions = {};                      // releases that have it, as Rule::versions
  std::vector<std::string> choice_versions = {};  // of each choice; empty: every release has all
  std::vector<DatedDefault> dated_defaults = {};  // in place of `default_value`; the first wins
};

struct FactSchema {
  LazyList<FactDeclaration> facts;
  NameIndex<FactId> by_name;
  NameIndex<FactId> by_flag;  // every spelling, with its dashes

  const FactDeclaration* find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &facts[found->second];
  }
};

}  // namespace assay
