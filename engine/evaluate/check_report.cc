#include "engine/evaluate/check_report.h"

namespace assay {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::not_applicable:
      return "not applicable";
    case Verdict::satisfied:
      return "satisfied";
    case Verdict::violated:
      return "violated";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

}  // namespace assay
