// The text of a YAML or JSON scalar with the place of each of its bytes in the file: through
// quotes, escapes, folded lines and block indentation.
#pragma once

#include "engine/model/launch.h"
#include "engine/text/document.h"
#include "engine/text/mapped_text.h"
#include "engine/text/source.h"

namespace assay {

struct ScalarText {
  MappedText content;  // content.text() == node.text
  // False: the way from text to source was not understood; every byte has the whole scalar's place.
  bool has_places = true;
  Enclosure style = Enclosure::yaml_plain;
};

ScalarText read_scalar_text(const SourceSet& sources, const Node& scalar);

}  // namespace assay
