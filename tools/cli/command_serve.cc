// `assay serve`: becomes the program that serves, which stands beside this one. The HTTP library
// brings a TLS library along, and loading that takes longer than most verbs do.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/serve_options.h"

namespace assay::cli {
namespace {

constexpr const char* kProgram = "assay-serve";

// The options that have a value, whoever gave it, as words.
void append_words(const std::vector<Option>& options, std::vector<std::string>& words) {
  for (const Option& option : options)
    if (auto* const* value = std::get_if<std::optional<std::string>*>(&option.target);
        value != nullptr && **value)
      words.push_back("--" + std::string(option.name) + "=" + ***value);
}

class ServeCommand final : public Command {
 public:
  Syntax syntax() override { return options_.syntax(); }

  int run(Session& session) override {
    std::error_code fault;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", fault);
    std::vector<std::string> words{(self.parent_path() / kProgram).string()};
    append_words(options_.syntax().options, words);
    append_words(common_option_table(session.common), words);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    session.console.show(
        {make_error(code::cannot_run, {}, "cannot run `" + words[0] + "`: " + std::strerror(errno),
                    "it belongs beside this program, and is installed with it")},
        session.sources);
    return kNoAnswer;
  }

 private:
  ServeOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace assay::cli
