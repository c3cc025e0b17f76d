#include "engine/text/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

Diagnostic make_error(DiagnosticCode code, Span span, std::string message, std::string help) {
  return {Severity::error, code, span, std::move(message), std::move(help), {}};
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void append(Diagnostics& all, Diagnostics more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace assay
