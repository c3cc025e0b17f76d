// Messages that nobody has described yet, counted by their shape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay {

inline constexpr std::string_view kVariablePart = "<*>";

// `message` with what varies from case to case replaced by "<*>": numbers with their units, sizes,
// addresses, paths, quoted text, long identifiers; lists of them become one. Cut at 1 KiB.
std::string message_template(std::string_view message);
// The template as a record has it: as `errorMessage` ("got {} heads") and as `messagePattern`
// ("got (.+?) heads").
std::string template_as_error_message(std::string_view message_template);
std::string template_as_pattern(std::string_view message_template);

struct MinedTemplate {
  std::string error_class;  // may be empty
  std::string text;
  std::size_t count = 0;
  std::string example;  // the first message
  std::string source;   // where it was
  std::size_t line = 0;
  std::string file;  // of the innermost frame of its traceback; may be empty
};

// Bounded: at most kMaxTemplates are kept. When a new one finds no room, those seen least are
// dropped, so what comes often stays.
class MessageTemplateMiner {
 public:
  static constexpr std::size_t kMaxTemplates = 10'000;

  void add(std::string_view error_class, std::string_view message, std::string_view source,
           std::size_t line, std::string_view file);
  // Most frequent first; equal counts in the order of their first line.
  std::vector<MinedTemplate> ranked() const;
  std::size_t dropped() const { return dropped_; }  // messages whose template was dropped

 private:
  void drop_rare();

  std::unordered_map<std::string, MinedTemplate> templates_;
  std::size_t dropped_ = 0;
};

}  // namespace assay
