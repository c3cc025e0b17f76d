// The JSON Schemas of everything that this program reads and writes, compiled in from the folders
// `schema/` of dataset/ and rules/ (embed_schemas.cmake).
#pragma once

#include <span>
#include <string_view>

namespace assay {

struct PublishedSchema {
  std::string_view name;  // "error-record.v3.schema.json"
  std::string_view text;
};

std::span<const PublishedSchema> published_schemas();

}  // namespace assay
