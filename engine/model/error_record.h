// One known error (dataset/<project>/<slug>.json), schema version 2 or 3. A field that may be null
// is an optional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/document.h"

namespace assay {

struct RecordExample {
  std::string message;
  std::string source;  // where it was seen; may be empty
};

struct RecordLink {
  std::string id;
  std::string reason;
};

// Of `example_fix`, where the facts of the rule's own examples do not prove it
// (evaluate/example_fix_prover.h): other facts, or why there is no proof.
struct ExampleProof {
  std::vector<Entry> facts;  // by dotted name, in place of those of the rule's example
  std::string obstacle;      // "shadowed", …: the kind of what stands in the way; empty: `facts`
  std::string reason;        // of the obstacle
  Span span;
};

struct ErrorRecord {
  std::string id;  // 16 hexadecimal digits
  std::string repo;
  std::string slug;
  std::optional<std::string> error_code;
  std::string error_message;    // with {} or {name} for variable parts
  std::string message_pattern;  // RE2, searched in the message text
  std::string error_type;
  std::optional<std::string> error_class;
  std::optional<std::int64_t> http_status;
  std::string severity;
  std::optional<std::string> file_path;
  std::optional<std::int64_t> line_number;
  std::optional<std::string> source_code;
  std::optional<std::int64_t> source_code_start;
  std::optional<std::int64_t> source_code_end;
  std::optional<std::string> github_url;
  std::string documentation;
  std::optional<std::string> trigger_scenarios;
  std::optional<std::string> common_situations;
  std::vector<std::string> solutions;
  std::optional<std::string> example_fix;
  std::optional<std::string> handling_strategy;
  std::optional<std::string> validation_code;
  std::optional<std::string> type_guard;
  std::optional<std::string> try_catch_pattern;
  std::vector<std::string> prevention_tips;
  std::vector<std::string> tags;
  std::optional<std::string> background_tag;
  std::optional<std::string> analyzed_sha;
  std::string analyzed_at;  // RFC 3339
  std::int64_t schema_version = 2;

  // version 3
  std::vector<RecordExample> examples;   // messages that must match
  std::vector<std::string> near_misses;  // messages that must not
  std::optional<std::string>
      context;                    // what a line must be, for a pattern without a usable literal
  bool is_wrapper = false;        // the message only carries another
  std::string status = "active";  // "active", "retired"
  std::optional<std::string> replaced_by;
  std::vector<RecordLink> see_also;
  std::optional<ExampleProof> example_proof;

  std::string path;  // the file it was read from
  Span span;
  Span id_span;
  Span pattern_span;
  Span message_span;
  Span example_fix_span;
};

}  // namespace assay
