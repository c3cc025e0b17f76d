// A matcher of what can be used of a dataset: one broken pattern must not silence all the others.
#pragma once

#include "engine/evaluate/message_matcher.h"

namespace assay {

// Takes the records whose pattern does not compile out of `dataset`, with a warning for each.
// Errors: bad_pattern, where no record is left.
Result<MessageMatcher> compile_usable_matcher(Dataset& dataset, Diagnostics& warnings);

}  // namespace assay
