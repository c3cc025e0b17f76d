// Programs that start another program: which of their own words to pass over.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

enum class WrapperKind : std::uint8_t {
  program,    // the rest is a program and its words
  python,     // the rest is a Python program: `-m module` or a script
  container,  // like `program`, after an image's name
  shell,      // `-c` takes shell text
  remote,     // the rest is shell text, in one word or several
};

struct Wrapper {
  WrapperKind kind = WrapperKind::program;
  std::string_view name;                // the program, by file name
  std::string_view subcommand;          // "run"; "compose run"; empty: none
  std::string_view options_with_value;  // in words: "-n --np"; every other option stands alone
  int positionals = 0;             // words between the options and the rest (a duration, an image)
  bool takes_assignments = false;  // NAME=value words before the rest
  std::string_view environment_options;  // options whose value is NAME=value
};

// The wrapper that `program` (a path, maybe with a version) and the words after it name, or null.
// `second` and `third` are the following words, empty where there are none.
const Wrapper* find_wrapper(std::string_view program, std::string_view second,
                            std::string_view third);
// Does the list of words `options` hold `option`?
bool is_listed(std::string_view options, std::string_view option);
// Programs that only speak about what follows them (echo, grep, pkill): no launch.
bool is_mention(std::string_view program);
// "/usr/bin/python3.11" -> "python".
std::string_view program_name(std::string_view path);

}  // namespace assay
