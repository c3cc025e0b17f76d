// The cells of the support tables in a bundle: computing them takes longer than writing all pages
// of the site. Which tables there are, and their rows and columns, follows from the declarations;
// cells that do not fit these are computed anew.
#include <algorithm>
#include <map>

#include "engine/compile/bundle_fields.h"
#include "engine/evaluate/support_matrix.h"

namespace assay {

constexpr SupportCell::State last_of(SupportCell::State /*of*/) {
  return SupportCell::State::refused;
}

namespace {

struct StoredCell {
  SupportCell::State state = SupportCell::State::accepted;
  std::uint32_t rule = 0;  // of the pack, from 1; 0: none
  std::string message;
};
template <class Archive>
void fields(Archive& a, StoredCell& cell) {
  a(cell.state, cell.rule, cell.message);
}

using StoredGrid = std::vector<std::vector<StoredCell>>;

bool fits(const StoredGrid& grid, const SupportTable& table) {
  return grid.size() == table.rows.size() && std::ranges::all_of(grid, [&](const auto& row) {
           return row.size() == table.columns.size() &&
                  std::ranges::all_of(row, [&](const StoredCell& cell) {
                    return cell.rule <= table.pack->rules.size();
                  });
         });
}

std::vector<std::vector<SupportCell>> cells_of(const StoredGrid& grid, const RulePack& pack) {
  std::vector<std::vector<SupportCell>> cells(grid.size());
  for (std::size_t row = 0; row < grid.size(); ++row)
    for (const StoredCell& cell : grid[row])
      cells[row].push_back(
          {cell.state, cell.rule == 0 ? nullptr : &pack.rules[cell.rule - 1], cell.message});
  return cells;
}

}  // namespace

std::string stored_support(std::span<const SupportTable> tables, const BundleWriting& writing) {
  std::vector<StoredGrid> grids;
  for (const SupportTable& table : tables) {
    std::map<const Rule*, std::uint32_t> numbers{{nullptr, 0}};
    for (std::uint32_t at = 0; at < table.pack->rules.size(); ++at)
      numbers[&table.pack->rules[at]] = at + 1;
    for (const SupportGrid& grid : table.grids) {
      StoredGrid& stored = grids.emplace_back(grid.cells.size());
      for (std::size_t row = 0; row < stored.size(); ++row)
        for (const SupportCell& cell : grid.cells[row])
          stored[row].push_back({cell.state, numbers.at(cell.rule), cell.message});
    }
  }
  return written(grids, writing);
}

bool read_stored_support(const Knowledge& knowledge, std::vector<SupportTable>& tables) {
  if (knowledge.bundle == nullptr) return false;
  const std::string_view section = knowledge.bundle->section(SectionKind::support);
  if (section.empty()) return false;
  BundleReader reader(section, *knowledge.reading);
  std::vector<StoredGrid> grids;
  reader(grids);
  if (!reader.finish()) {
    knowledge.bundle->note_damage("its support tables are none");
    return false;
  }
  std::size_t at = 0;
  for (const SupportTable& table : tables)
    for (std::size_t grid = 0; grid < table.grids.size(); ++grid, ++at)
      if (at >= grids.size() || !fits(grids[at], table)) return false;
  if (at != grids.size()) return false;
  at = 0;
  for (SupportTable& table : tables)
    for (SupportGrid& grid : table.grids) grid.cells = cells_of(grids[at++], *table.pack);
  return true;
}

}  // namespace assay
