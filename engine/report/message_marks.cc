// Literal parts are looked for from left to right, each at its first place behind the one before;
// only the last must stand as far right as it can, so that what it ends is all of it.
#include "engine/report/message_marks.h"

#include <string>

#include "engine/compile/message_shape.h"

namespace assay {

Phrase marked_message(std::string_view message) {
  Phrase phrase;
  while (!message.empty()) {
    const auto open = message.find('{');
    const auto close = open == std::string_view::npos ? open : message.find('}', open);
    if (close == std::string_view::npos) {
      phrase.push_back(plain(std::string(message)));
      break;
    }
    if (open > 0) phrase.push_back(plain(std::string(message.substr(0, open))));
    phrase.push_back(capture(std::string(message.substr(open, close + 1 - open))));
    message.remove_prefix(close + 1);
  }
  return phrase;
}

Phrase marked_example(std::string_view example, std::string_view error_message) {
  const MessageShape shape = shape_of_record_message(error_message);
  Phrase phrase;
  std::string_view rest = example;
  bool is_open = true;  // an example may have text in front of the message
  bool is_first = true;
  for (std::size_t part = 0; part < shape.size(); ++part) {
    if (shape[part].is_open) {
      is_open = true;
      continue;
    }
    const bool is_last = part + 1 == shape.size();
    const auto at =
        is_last && !is_first ? rest.rfind(shape[part].text) : rest.find(shape[part].text);
    if (at == std::string_view::npos || (!is_open && at != 0)) return {plain(std::string(example))};
    if (at > 0) {
      std::string before(rest.substr(0, at));
      phrase.push_back(is_first && part == 0 ? plain(std::move(before))
                                             : capture(std::move(before)));
    }
    phrase.push_back(plain(shape[part].text));
    rest.remove_prefix(at + shape[part].text.size());
    is_open = false;
    is_first = false;
  }
  if (!rest.empty())
    phrase.push_back(is_open && !is_first ? capture(std::string(rest)) : plain(std::string(rest)));
  return phrase;
}

}  // namespace assay
