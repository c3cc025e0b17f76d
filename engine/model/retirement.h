// What dataset/retired.yaml says of records that are gone and of slugs that were renamed: their
// addresses keep a page, and their ids are never used again.
#pragma once

#include <string>
#include <vector>

#include "engine/text/span.h"

namespace assay {

struct RetiredRecord {
  std::string id;
  std::string repo;
  std::string slug;     // the address it had
  std::string message;  // what it was about
  std::string reason;   // why it is gone
  std::string to;       // id of the record to read in its place; may be empty
  Span span;            // of the entry
  Span to_span;
};

struct MovedSlug {
  std::string repo;
  std::string slug;  // the former one
  std::string id;    // of the record that had it
  Span span;
  Span id_span;
};

struct Retirement {
  std::vector<RetiredRecord> records;  // in the order of the file
  std::vector<MovedSlug> slugs;
};

}  // namespace assay
