// The checks run from cheap to dear: a 100 MB file is refused before a byte of it is looked at. A
// NUL byte is taken as proof of binary data (gzip, ELF, UTF-16, safetensors all have one early on).
#include "engine/text/plain_text.h"

#include <string>

#include "engine/text/utf8.h"

namespace assay {

std::string describe_bytes(std::size_t bytes) {
  constexpr std::size_t kMebibyte = 1u << 20;
  if (bytes >= kMebibyte && bytes % kMebibyte == 0)
    return std::to_string(bytes / kMebibyte) + " MiB";
  return std::to_string(bytes) + " bytes";
}

Span whole_source(const SourceSet& sources, SourceId source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const std::string_view text = sources.get(source).text();
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  return {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text.size())};
}

std::optional<Diagnostic> find_text_fault(const SourceSet& sources, Span span,
                                          std::size_t max_bytes) {
  const std::string_view text = sources.text(span);
  const auto at = [&](std::size_t offset, std::size_t length) {
    const auto begin = span.begin + static_cast<std::uint32_t>(offset);
    return Span{span.source, begin, begin + static_cast<std::uint32_t>(length)};
  };
  if (text.size() > max_bytes)
    return make_error(code::file_too_large, at(0, 0),
                      "the text has " + std::to_string(text.size()) + " bytes; at most " +
                          describe_bytes(max_bytes) + " are read");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return make_error(code::empty_input, at(0, 0), "there is nothing in it");
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return make_error(code::binary_input, at(nul, 1),
                      "this is binary data (byte " + std::to_string(nul) + " is NUL), not text");
  if (const auto wrong = first_invalid_utf8(text); wrong < text.size())
    return make_error(code::invalid_utf8, at(wrong, 1),
                      "byte " + std::to_string(wrong) + " does not belong to a UTF-8 character",
                      "save the file as UTF-8");
  return std::nullopt;
}

}  // namespace assay
