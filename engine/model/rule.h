// One rule as its file says it (rules/<pack>/<area>/<slug>.yaml): a check (`require`) or a
// derivation (`effect`), with its documentation, its place in the engine, its fixes and its
// examples. No behaviour: compile/ turns it into predicates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/fact_schema.h"
#include "engine/text/diagnostic.h"
#include "engine/text/document.h"

namespace assay {

// What a fix or an effect does to one fact.
struct Assignment {
  enum class Kind : std::uint8_t { set, compute, unset };
  Kind kind = Kind::set;
  std::string
      target;  // a declared fact's dotted name, or one followed by a path into its JSON value
  Span target_span;
  Node literal;               // set
  ExpressionText expression;  // compute
};

struct Fix {
  std::vector<Assignment> assignments;
  std::string why;
  Span span;
};

struct LetBinding {
  std::string name;
  ExpressionText expression;  // may use the bindings before it
};

struct RuleCase {
  std::string label;  // `{label}` in the message
  ExpressionText when;
};

// Where the engine makes this check.
struct RuleSource {
  std::string file;        // path in the engine's repository
  std::string sha;         // commit, 8 to 40 hexadecimal digits
  std::uint32_t line = 0;  // 0: not recorded
  std::string
      raises;  // exception class; "argparse" for a refusal while parsing; empty: it only logs
};

struct FactValue {
  std::string name;  // dotted name, or one followed by a path into its JSON value
  Span name_span;
  Node value;
};

struct RuleExample {
  enum class Kind : std::uint8_t {
    violates,   // check: the verdict is violated
    passes,     // check: satisfied or not applicable
    undecided,  // check: waits for a fact
    changes,    // derivation: applies, and gives `to`
    keeps,      // derivation: does not apply
  };
  Kind kind = Kind::passes;
  std::vector<FactValue> facts;  // arguments not named have their defaults, other facts are unknown
  std::vector<FactValue> to;     // changes: what the effect gives
  bool from_start =
      false;  // `from: start`: the facts are what is typed, and the whole pipeline runs
  Span span;
};

struct Rule {
  std::string id;  // "sglang/attention/tokenspeed-mla-without-fp8-kv"
  Span id_span;
  std::string path;  // the file it was read from
  Severity severity = Severity::error;
  std::string summary;
  std::string step;  // a step of pack.yaml, or "unplaced"
  Span step_span;
  std::int64_t place = 0;  // orders rules within a step; equal places by id
  std::vector<LetBinding> lets;
  std::optional<ExpressionText> when;  // none: always
  std::optional<ExpressionText>
      require;  // check; a check with cases and no `require` is violated by any true case
  std::vector<RuleCase> cases;
  std::vector<Assignment> effect;  // derivation; empty for a check
  std::string message;             // template: {expr}, {expr!r}, {{ and }}; may be empty
  Span message_span;
  bool message_is_verbatim = false;
  std::string error;  // id of the record it joins, may be empty
  Span error_span;
  std::vector<Fix> fixes;
  std::string versions;  // "" or "any": all; else comparisons joined by commas, ">=0.5.8,<0.6"
  Span versions_span;
  RuleSource source;
  std::string ignore_when;
  std::string documentation;  // more than the summary, optional Markdown
  std::vector<RuleExample> examples;

  bool is_derivation() const { return !effect.empty(); }
};

}  // namespace assay
