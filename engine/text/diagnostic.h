// A fault in somebody's text: what was found, what was expected, where, and what helps. A stage
// collects all the faults it finds and goes on; it never prints. `render_diagnostic`
// (text/diagnostic_rendering.h) shows one with its line and a caret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/span.h"

namespace assay {

enum class Severity : std::uint8_t { note, warning, error };
std::string_view to_string(Severity severity);  // "note", "warning", "error"

// The stable name of a kind of fault, printed in brackets after the severity and used to find its
// documentation.
struct DiagnosticCode {
  std::string_view name;
  bool operator==(const DiagnosticCode&) const = default;
};

// Every code there is, in one place. Each has a test that provokes it
// (tools/check_diagnostic_codes.py).
namespace code {
// files
inline constexpr DiagnosticCode unreadable_file{"unreadable-file"};
inline constexpr DiagnosticCode file_too_large{"file-too-large"};
inline constexpr DiagnosticCode empty_input{"empty-input"};
inline constexpr DiagnosticCode binary_input{"binary-input"};
inline constexpr DiagnosticCode invalid_utf8{"invalid-utf8"};
inline constexpr DiagnosticCode unwritable_output{"unwritable-output"};
inline constexpr DiagnosticCode truncated_input{"truncated-input"};
inline constexpr DiagnosticCode broken_compression{"broken-compression"};
inline constexpr DiagnosticCode unsupported_compression{"unsupported-compression"};
// YAML and JSON
inline constexpr DiagnosticCode yaml_syntax{"yaml-syntax"};
inline constexpr DiagnosticCode json_syntax{"json-syntax"};
inline constexpr DiagnosticCode duplicate_key{"duplicate-key"};
inline constexpr DiagnosticCode yaml_alias{"yaml-alias"};
inline constexpr DiagnosticCode ambiguous_boolean{"ambiguous-boolean"};
inline constexpr DiagnosticCode nesting_too_deep{"nesting-too-deep"};
// documents against their schema
inline constexpr DiagnosticCode unknown_key{"unknown-key"};
inline constexpr DiagnosticCode missing_key{"missing-key"};
inline constexpr DiagnosticCode wrong_type{"wrong-type"};
inline constexpr DiagnosticCode invalid_value{"invalid-value"};
// expressions
inline constexpr DiagnosticCode expression_syntax{"expression-syntax"};
inline constexpr DiagnosticCode undeclared_name{"undeclared-name"};
inline constexpr DiagnosticCode type_mismatch{"type-mismatch"};
inline constexpr DiagnosticCode expression_too_large{"expression-too-large"};
inline constexpr DiagnosticCode evaluation_failed{"evaluation-failed"};
inline constexpr DiagnosticCode evaluation_budget{"evaluation-budget"};
// knowledge
inline constexpr DiagnosticCode id_differs_from_path{"id-differs-from-path"};
inline constexpr DiagnosticCode duplicate_id{"duplicate-id"};
inline constexpr DiagnosticCode unknown_step{"unknown-step"};
inline constexpr DiagnosticCode unknown_record{"unknown-record"};
inline constexpr DiagnosticCode cyclic_derivation{"cyclic-derivation"};
inline constexpr DiagnosticCode bad_pattern{"bad-pattern"};
inline constexpr DiagnosticCode message_does_not_match{"message-does-not-match"};
inline constexpr DiagnosticCode example_fails{"example-fails"};
inline constexpr DiagnosticCode no_example{"no-example"};
inline constexpr DiagnosticCode weak_pattern{"weak-pattern"};
inline constexpr DiagnosticCode shadowed_pattern{"shadowed-pattern"};
inline constexpr DiagnosticCode overlapping_patterns{"overlapping-patterns"};
inline constexpr DiagnosticCode unreachable_rule{"unreachable-rule"};
inline constexpr DiagnosticCode fix_does_not_repair{"fix-does-not-repair"};
inline constexpr DiagnosticCode record_differs{"record-differs"};
inline constexpr DiagnosticCode fix_not_proven{"fix-not-proven"};
inline constexpr DiagnosticCode needless_proof{"needless-proof"};
// launches
inline constexpr DiagnosticCode unclosed_quote{"unclosed-quote"};
inline constexpr DiagnosticCode typographic_character{"typographic-character"};
inline constexpr DiagnosticCode not_a_launch{"not-a-launch"};
inline constexpr DiagnosticCode unknown_flag{"unknown-flag"};
inline constexpr DiagnosticCode missing_flag_value{"missing-flag-value"};
inline constexpr DiagnosticCode invalid_flag_value{"invalid-flag-value"};
inline constexpr DiagnosticCode deprecated_flag{"deprecated-flag"};
inline constexpr DiagnosticCode repeated_flag{"repeated-flag"};
inline constexpr DiagnosticCode unresolved_variable{"unresolved-variable"};
inline constexpr DiagnosticCode unrecognised_input{"unrecognised-input"};
inline constexpr DiagnosticCode unknown_fact{"unknown-fact"};
// the program
inline constexpr DiagnosticCode bad_usage{"bad-usage"};
inline constexpr DiagnosticCode cannot_run{"cannot-run"};
// bundles of compiled knowledge
inline constexpr DiagnosticCode damaged_bundle{"damaged-bundle"};
inline constexpr DiagnosticCode foreign_bundle{"foreign-bundle"};
// logs
inline constexpr DiagnosticCode too_many_errors{"too-many-errors"};
// kernel calls
inline constexpr DiagnosticCode contract_violated{"contract-violated"};
}  // namespace code

struct Diagnostic {
  struct Related {
    Span span;
    std::string message;  // "first given here"
  };

  Severity severity = Severity::error;
  DiagnosticCode code;
  Span span;            // may be unknown: a fault of the whole file or command
  std::string message;  // what was found and what was expected; no full stop at the end
  std::string help;     // one sentence on what to do; may be empty
  std::vector<Related> related;
};

using Diagnostics = std::vector<Diagnostic>;

// Short for an error with a place.
Diagnostic make_error(DiagnosticCode code, Span span, std::string message, std::string help = {});
bool has_errors(const Diagnostics& diagnostics);
void append(Diagnostics& all, Diagnostics more);

}  // namespace assay
