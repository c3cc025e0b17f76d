// Faults of an expression as diagnostics, at their places in the source the expression stands in.
#pragma once

#include <string>

#include "engine/compile/cel_lexer.h"
#include "engine/compile/cel_syntax.h"
#include "engine/model/fact_schema.h"
#include "engine/text/diagnostic.h"

namespace assay {

class ExpressionFaults {
 public:
  explicit ExpressionFaults(const ExpressionText& expression) : expression_(expression) {}

  void add(DiagnosticCode code, std::uint32_t begin, std::uint32_t end, std::string message,
           std::string help = {});
  void add(DiagnosticCode code, const SyntaxFault& fault) {
    add(code, fault.begin, fault.end, fault.message, fault.help);
  }
  void add_at(const SyntaxNode& node, DiagnosticCode code, std::string message,
              std::string help = {}) {
    add(code, node.place_begin, node.place_end, std::move(message), std::move(help));
  }
  bool any() const { return !diagnostics_.empty(); }
  // Enough for one expression: further ones are dropped, so that a hostile text costs no more.
  bool is_full() const { return diagnostics_.size() >= 50; }
  Diagnostics take() { return std::move(diagnostics_); }

 private:
  const ExpressionText& expression_;
  Diagnostics diagnostics_;
};

}  // namespace assay
