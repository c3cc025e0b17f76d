// RE2 over UTF-8, unanchored. The program's size is bounded, so that a hostile pattern is refused
// rather than expanded; RE2 never backtracks, so matching is linear in the text.
#include "engine/compile/pattern_cel.h"

#include <re2/re2.h>

#include <mutex>
#include <optional>

namespace assay {

struct CelPattern::Compiled {
  explicit Compiled(std::string_view text) : pattern(text) {}

  const RE2& expression() {
    std::call_once(once, [this] {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_max_mem(1 << 20);
      program.emplace(pattern, options);
      if (!program->ok()) error = program->error();
    });
    return *program;
  }

  const std::string pattern;
  std::once_flag once;
  std::optional<RE2> program;
  std::string error;
};

CelPattern::CelPattern(std::string_view pattern) : compiled_(std::make_unique<Compiled>(pattern)) {}
CelPattern::CelPattern(CelPattern&&) noexcept = default;
CelPattern& CelPattern::operator=(CelPattern&&) noexcept = default;
CelPattern::~CelPattern() = default;

const std::string& CelPattern::error() const {
  compiled_->expression();
  return compiled_->error;
}

bool CelPattern::matches(std::string_view text) const {
  const RE2& expression = compiled_->expression();
  return expression.ok() &&
         RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), expression);
}

std::string_view CelPattern::pattern() const { return compiled_->pattern; }

}  // namespace assay
