// The parts of a rule that name facts: conditions, effects, fixes, examples; and its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/rule.h"
#include "engine/read/document_reader.h"
#include "engine/text/source.h"

namespace assay {

class RulePartsReader {
 public:
  // `schema` null: names are taken as they are.
  RulePartsReader(const SourceSet& sources, const FactSchema* schema, Diagnostics& faults)
      : sources_(sources), schema_(schema), faults_(faults) {}

  // A `let` name that conditions may use as well.
  void add_name(std::string_view name) { names_.emplace_back(name); }

  std::optional<ExpressionText> read_condition(const Node& node, std::string_view what);
  std::vector<Assignment> read_effect(const Node& node);
  Fix read_fix(const Node& node);
  RuleExample read_example(const Node& node, bool is_derivation);
  RuleSource read_source(const Node& node);

 private:
  std::vector<Assignment> read_assignments(const MappingReader& keys, std::string_view what);
  std::vector<FactValue> read_facts(const MappingReader& keys, std::string_view key);
  void check_target(std::string_view name, Span span);
  void check_fact(std::string_view name, Span span);
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  const SourceSet& sources_;
  const FactSchema* schema_;
  Diagnostics& faults_;
  std::vector<std::string> names_;
};

// 16 hexadecimal digits, letters in lower case.
bool is_record_id(std::string_view text);

}  // namespace assay
