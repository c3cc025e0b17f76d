// Reads JSON that stands inside a word of a command.
#pragma once

#include <string_view>

#include "engine/text/document.h"
#include "engine/text/mapped_text.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// The JSON text from `begin` on. Where the word stands in its source byte by byte, places are
// exact; else (escaped quotes) everything has the place of the whole value. Errors: those of
// read_json.
Result<Node> read_json_value(SourceSet& sources, const MappedText& word, std::size_t begin,
                             std::string_view flag);

}  // namespace assay
