// `assay contract`: is this a call that the kernel can take?
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/evaluate/contract_checker.h"
#include "engine/read/document_reader.h"
#include "engine/read/kernel_call_reader.h"
#include "engine/report/contract_report.h"
#include "engine/text/json_reader.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxCallBytes = 1u << 20;

class ContractCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {
        {.name = "profile",
         .target = &profile_,
         .placeholder = "PROFILE",
         .help = "What to hold the call against: what memory safety needs, what the engine's "
                 "wrapper refuses, or both (default)",
         .choices = {"safety", "engine", "both"},
         .is_setting = false},
        {.name = "back-end",
         .target = &back_end_,
         .placeholder = "NAME",
         .help = "Leave out clauses that hold for other back ends only",
         .is_setting = false},
        {.name = "format",
         .target = &format_,
         .placeholder = "FORMAT",
         .help = "How to write the report (default: text)",
         .choices = {"text", "json"}},
    };
    syntax.operands =
        Operands{"KERNEL [FILE]",
                 "A kernel of rules/kernels, and the call's metadata as JSON (default: standard "
                 "input)",
                 &operands_, 2};
    syntax.description =
        "Shows every clause of the kernel's contract that a call breaks, in the order in which the "
        "engine's wrapper checks them and in its words, then what only memory safety asks for. "
        "The call is {\"tensors\": {NAME: {\"dtype\": \"float32\", \"shape\": [4, 128], "
        "\"strides\": [128, 1], \"device\": \"cuda:0\", \"data\": \"0x7f00\", \"byte_offset\": 0} "
        "or null}, \"scalars\": {NAME: number}}; of a tensor, dtype and shape are needed. A tensor "
        "without a device is where the contract wants it, one without data overlaps nothing.";
    syntax.examples = {"assay contract sparse_mla_q8kv8_prefill_fwd call.json",
                       "assay contract sparse_mla_q8kv8_prefill_fwd --format json < call.json"};
    return syntax;
  }

  int run(Session& session) override {
    if (operands_.empty()) return usage_fault(session, "no kernel named");
    const auto knowledge = open_knowledge(session);
    if (!knowledge) return kNoAnswer;
    const CompiledContract* contract = knowledge->find_contract(operands_[0]);
    if (!is_whole(*knowledge, session)) return kNoAnswer;
    if (contract == nullptr) {
      std::vector<std::string_view> names;
      for (const CompiledContract& one : knowledge->contracts) names.push_back(one.source.kernel);
      return usage_fault(session, "no contract for a kernel `" + operands_[0] + "`",
                         did_you_mean(operands_[0], names));
    }
    const auto call = read_call(session, contract->source);
    if (!call) {
      session.console.show(call.error(), session.sources);
      return kNoAnswer;
    }
    return report(*contract, *call, session);
  }

 private:
  Result<DescribedCall> read_call(Session& session, const TensorContract& contract) const {
    const std::string path = operands_.size() > 1 ? operands_[1] : "-";
    SourceId source{};
    if (path == "-") {
      ASSAY_TRY(std::string text, read_standard_input(kMaxCallBytes));
      source = session.sources.add("<stdin>", std::move(text));
    } else {
      ASSAY_TRY(source, add_file(session.sources, session.files, path, kMaxCallBytes));
    }
    ASSAY_TRY(const Node document, read_json(session.sources, source));
    return read_kernel_call(document, contract);
  }

  int report(const CompiledContract& contract, const DescribedCall& described,
             Session& session) const {
    std::vector<TensorView> views(described.tensors.size());
    std::vector<const TensorView*> pointers(described.tensors.size(), nullptr);
    for (std::size_t i = 0; i < described.tensors.size(); ++i) {
      if (!described.tensors[i]) continue;
      views[i] = described.tensors[i]->view();
      pointers[i] = &views[i];
    }
    const std::string back_end = back_end_.value_or("");
    const ContractProfile profile = profile_ == "safety"   ? ContractProfile::safety
                                    : profile_ == "engine" ? ContractProfile::engine
                                                           : ContractProfile::both;
    const auto violations =
        check_contract(contract, {pointers, described.scalars, back_end}, profile);
    const ContractReportInput input{&contract.source, violations, profile, back_end,
                                    &session.sources};
    session.console.write(
        format_ == "json" ? write_json_contract_report(input)
                          : write_text_contract_report(input, session.console.text_options(false)));
    return violations.empty() ? kClean : kFindings;
  }

  std::optional<std::string> profile_;
  std::optional<std::string> back_end_;
  std::optional<std::string> format_;
  std::vector<std::string> operands_;
};

}  // namespace

std::unique_ptr<Command> make_contract_command() { return std::make_unique<ContractCommand>(); }

}  // namespace assay::cli
