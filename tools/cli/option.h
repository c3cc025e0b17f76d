// What a verb can be told: the one table that parsing, settings (environment, assay.yaml), help,
// man page, completions and the reference are made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay::cli {

struct Option {
  // A switch, a value, or a value that may be given several times. The pointee belongs to the
  // command; a value that nobody gave stays empty.
  using Target = std::variant<bool*, std::optional<std::string>*, std::vector<std::string>*>;

  std::string_view name;  // without dashes; "-x" for its short form is `letter`
  Target target;
  std::string_view placeholder;                // "FILE"; empty for a switch
  std::string_view help;                       // one line, no full stop
  std::vector<std::string_view> choices = {};  // empty: any text
  bool is_path = false;    // completed as one; in assay.yaml relative to that file's folder
  bool is_setting = true;  // may stand in the environment and in assay.yaml
  char letter = 0;
};

struct Operands {
  std::string_view placeholder;  // "FILE"
  std::string_view help;
  std::vector<std::string>* target = nullptr;
  std::size_t at_most = static_cast<std::size_t>(-1);
};

struct Syntax {
  std::vector<Option> options;
  std::optional<Operands> operands;
  bool takes_command = false;    // the words after `--` are a command
  std::string_view description;  // paragraphs, for the man page
  std::vector<std::string_view> examples;
};

// Options that every verb takes.
struct CommonOptions {
  std::optional<std::string> color;
  std::optional<std::string> knowledge;
  bool help = false;
  bool version = false;
};
std::vector<Option> common_option_table(CommonOptions& common);

}  // namespace assay::cli
