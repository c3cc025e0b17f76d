// What every reader refuses before it looks at a text's structure.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// The fault of the text at `span`, if it has one: file_too_large, empty_input (nothing but blanks
// and line ends), binary_input (a NUL byte), invalid_utf8 (at the first wrong byte).
std::optional<Diagnostic> find_text_fault(const SourceSet& sources, Span span,
                                          std::size_t max_bytes);

// All of a source, behind its byte order mark if it has one.
Span whole_source(const SourceSet& sources, SourceId source);

// "16 MiB", "200 bytes".
std::string describe_bytes(std::size_t bytes);

}  // namespace assay
