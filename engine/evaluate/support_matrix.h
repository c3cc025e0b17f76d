// Which values of two arguments go together on which model and GPU: every combination is checked by
// the rules that a launch is checked by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/bundle_writer.h"
#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/knowledge.h"
#include "engine/read/matrix_table.h"

namespace assay {

struct SupportCell {
  enum class State : std::uint8_t {
    accepted,
    warned,    // accepted, with a warning
    replaced,  // accepted, but the engine takes another value than the one asked for
    depends,   // on what nobody said
    refused,
  };
  State state = State::accepted;
  const Rule* rule = nullptr;  // that decides it; null: none objects
  std::string message;         // what the engine says, or takes instead; may be empty
};

struct SupportGrid {
  std::string gpu;                              // "H200 × 8"
  std::vector<std::vector<SupportCell>> cells;  // by row, then column
};

// What a matrix says of one model. Looks into the pack.
struct SupportTable {
  const RulePack* pack = nullptr;
  std::string matrix;  // its name
  std::string title;
  std::string documentation;
  std::string model;
  std::string launch;  // what all launches have in common: "tp_size: 8"; may be empty
  std::string row_argument;
  std::string column_argument;
  std::vector<std::string> rows;  // the choices; empty where the argument is not given
  std::vector<std::string> columns;
  std::vector<SupportGrid> grids;
};

// In the order of the declarations and of their models. A combination is blamed for what a launch
// without either value does not break. Of knowledge from a bundle the cells are those that were
// computed when it was made. Errors: unknown_fact (an argument, GPU or model that nobody
// knows), invalid_value (an argument without choices, a pack that is none).
Result<std::vector<SupportTable>> compute_support(const Knowledge& knowledge,
                                                  const KnowledgeTables& tables,
                                                  std::span<const MatrixDeclaration> matrices,
                                                  SourceSet& sources);

// The cells of all tables as a section of a bundle.
std::string stored_support(std::span<const SupportTable> tables, const BundleWriting& writing);
// Fills the cells of `tables`, whose grids are empty, from the knowledge's bundle. False: there are
// none for just these tables. What cannot be read is noted as damage of the bundle.
bool read_stored_support(const Knowledge& knowledge, std::vector<SupportTable>& tables);

}  // namespace assay
