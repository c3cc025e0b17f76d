// Texts go out in memory of malloc, so that a caller in C, or one linked against another C++
// library, has nothing of ours to call but assay_text_free. Where even that memory is missing, the
// text is NULL and the status still says what happened.
#include "engine/bindings/c/edge.h"

#include <cstdlib>
#include <cstring>

#include "engine/text/diagnostic_rendering.h"

namespace assay::c {

char* copy_text(const std::string& text) noexcept {
  char* const memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory != nullptr) std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

assay_status no_answer(const std::string& why, char** message) {
  if (message != nullptr) *message = copy_text(why);
  return ASSAY_NO_ANSWER;
}

assay_status no_answer(const Diagnostics& faults, const SourceSet& sources, char** message) {
  std::string text;
  for (const Diagnostic& fault : faults) text += render_diagnostic(fault, sources, false);
  return no_answer(text, message);
}

assay_status answer(assay_status status, const std::string& text, char** report, char** message) {
  if (report == nullptr) return status;
  *report = copy_text(text);
  return *report != nullptr ? status : no_answer("out of memory", message);
}

}  // namespace assay::c
