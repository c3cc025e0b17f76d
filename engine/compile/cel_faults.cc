// Where the source's bytes are the expression itself, a fault points into it. Elsewhere (a YAML
// block, a quoted scalar with escapes, text without a source) the whole place is shown, and the
// message says which characters are meant.
#include "engine/compile/cel_faults.h"

#include <utility>

namespace assay {

void ExpressionFaults::add(DiagnosticCode code, std::uint32_t begin, std::uint32_t end,
                           std::string message, std::string help) {
  if (is_full()) return;
  Span span = expression_.span;
  if (span.is_known() && expression_.is_verbatim) {
    const std::uint32_t start = span.begin;
    span.begin = std::min(start + begin, expression_.span.end);
    span.end = std::min(start + std::max(begin, end), expression_.span.end);
  } else if (const std::string& text = expression_.text; begin < end && end <= text.size()) {
    if (end - begin < text.size() && end - begin <= 60)
      message += ", at `" + text.substr(begin, end - begin) + "`";
  }
  diagnostics_.push_back(make_error(code, span, std::move(message), std::move(help)));
}

}  // namespace assay
