// `assay eval`: the rule language by itself.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/eval_case.h"
#include "engine/report/json_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxLineBytes = 16u << 20;

class EvalCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {{.name = "bindings",
                       .target = &bindings_,
                       .placeholder = "JSON",
                       .help = "Values of names: {\"x\": {\"value\": {\"int\": \"1\"}}}",
                       .is_setting = false}};
    syntax.operands = Operands{
        "EXPRESSION", "Without it, cases are read from standard input, one JSON object a line",
        &expression_, 1};
    syntax.description =
        "Answers one line of JSON a case: {\"value\": ...}, {\"error\": text} or {\"unknown\": "
        "[names]}. A case is "
        "{\"expr\": text, \"bindings\": {...}, \"unchecked\": true}, the last two of which may be "
        "missing. With an "
        "EXPRESSION that fails the exit status is 1.";
    syntax.examples = {
        "assay eval '[1, 2, 3].all(x, x < 4)'",
        "assay eval 'tp_size * 2' --bindings '{\"tp_size\": {\"value\": {\"int\": \"4\"}}}'",
    };
    return syntax;
  }

  int run(Session& session) override {
    if (expression_.empty() && bindings_)
      return usage_fault(session, "`--bindings` without an expression",
                         "a case on standard input carries its own bindings");
    return expression_.empty() ? answer_lines(session) : answer_one(session);
  }

 private:
  int answer_one(Session& session) const {
    JsonWriter expression(JsonWriter::Layout::compact);
    expression.text(expression_.front());
    std::string line = "{\"expr\":" + expression.take();
    if (bindings_) line += ",\"bindings\":" + *bindings_;
    const std::string answer = answer_eval_case(line + "}");
    session.console.write(answer + "\n");
    return answer.starts_with("{\"error\"") ? kFindings : kClean;
  }

  static int answer_lines(Session& session) {
    const auto fault = for_each_input_line(
        kMaxLineBytes,
        [&](std::string_view line) {
          if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
          session.console.write(answer_eval_case(line) + "\n");
        },
        [&] { session.console.flush(); });
    if (fault) {
      session.console.show({*fault}, session.sources);
      return kNoAnswer;
    }
    return kClean;
  }

  std::optional<std::string> bindings_;
  std::vector<std::string> expression_;
};

}  // namespace

std::unique_ptr<Command> make_eval_command() { return std::make_unique<EvalCommand>(); }

}  // namespace assay::cli
