// A verb of the program. Each lives in command_<verb>.cc; main.cc lists them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/file_system.h"
#include "engine/text/source.h"
#include "tools/cli/console.h"
#include "tools/cli/option.h"

namespace assay::cli {

// What a verb works with.
struct Session {
  DiskFileSystem files;
  SourceSet sources;
  Console console;
  CommonOptions common;
  std::optional<std::vector<std::string>>
      command;  // the words after `--`, for a verb that takes a command
};

class Command {
 public:
  virtual ~Command() = default;
  // What it takes. The targets of the options belong to this command. Called once, before `run`.
  virtual Syntax syntax() = 0;
  // Returns the exit status.
  virtual int run(Session& session) = 0;
};

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Command> (*make)();
  bool is_hidden = false;
};

std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_docs_command();
std::unique_ptr<Command> make_lint_command();
std::unique_ptr<Command> make_test_command();
std::unique_ptr<Command> make_contract_command();
std::unique_ptr<Command> make_pack_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_eval_command();
std::unique_ptr<Command> make_reference_command();

std::vector<Verb> all_verbs();  // main.cc

// "no errors", "1 error", "2 errors"; `none`: how none is said.
std::string counted(std::size_t count, std::string_view noun, std::string_view none = "0");

// Shows a fault of usage and returns kNoAnswer.
int usage_fault(Session& session, std::string message, std::string help = {});

}  // namespace assay::cli
