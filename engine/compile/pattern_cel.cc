// RE2 over UTF-8, unanchored. The program's size is bounded, so that a hostile pattern is refused
// rather than expanded; RE2 never backtracks, so matching is linear in the text.
#include "engine/compile/pattern_cel.h"

#include <re2/re2.h>

namespace assay {

struct CelPattern::Compiled {
  explicit Compiled(std::string_view pattern)
      : expression(re2::StringPiece(pattern.data(), pattern.size()), options()) {}

  static RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    return options;
  }

  RE2 expression;
};

CelPattern::CelPattern(std::string_view pattern) : compiled_(std::make_unique<Compiled>(pattern)) {
  if (!compiled_->expression.ok()) error_ = compiled_->expression.error();
}
CelPattern::CelPattern(CelPattern&&) noexcept = default;
CelPattern& CelPattern::operator=(CelPattern&&) noexcept = default;
CelPattern::~CelPattern() = default;

bool CelPattern::matches(std::string_view text) const {
  if (!error_.empty()) return false;
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}

std::string_view CelPattern::pattern() const { return compiled_->expression.pattern(); }

}  // namespace assay
