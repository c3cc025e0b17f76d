// The varying parts of a message, marked.
#pragma once

#include <string_view>

#include "engine/report/site_document.h"

namespace assay {

// An errorMessage with its `{}` and `{name}` marked.
Phrase marked_message(std::string_view error_message);
// A message as an engine printed it, with what stands in the place of each `{...}` marked; plain
// where it has not the message's literal text in the message's order.
Phrase marked_example(std::string_view example, std::string_view error_message);

}  // namespace assay
