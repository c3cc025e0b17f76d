// Support tables: one page a matrix and model, one table a GPU. A cell is a word, so that colour
// says nothing more than the text does; it leads to the rule that decides it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

using State = SupportCell::State;

const char* class_of(State state) {
  switch (state) {
    case State::refused:
      return "no";
    case State::depends:
      return "depends";
    case State::replaced:
    case State::warned:
      return "changed";
    case State::accepted:
      break;
  }
  return "yes";
}

const char* word_of(State state) {
  switch (state) {
    case State::refused:
      return "no";
    case State::depends:
      return "depends";
    case State::replaced:
      return "replaced";
    case State::warned:
      return "warns";
    case State::accepted:
      break;
  }
  return "yes";
}

TableCell cell_of(const SupportCell& cell) {
  if (cell.rule == nullptr) return {{plain(word_of(cell.state))}, class_of(cell.state)};
  Inline link = page_link(rule_path(*cell.rule), word_of(cell.state));
  link.hint = cell.message.empty() ? cell.rule->summary : cell.message;
  return {{std::move(link)}, class_of(cell.state)};
}

Inline value_of(const std::string& value) {
  return value.empty() ? soft("not given") : code_text(value);
}

// The argument as a link to its page, where it has one.
Inline argument_link(const SiteIndex& index, const RulePack& pack, const std::string& name) {
  const auto fact = pack.schema.by_name.find(name);
  const bool is_known =
      std::ranges::any_of(index.packs, [&](const PackIndex& one) { return one.pack == &pack; });
  if (!is_known || fact == pack.schema.by_name.end()) return code_text(name);
  return code_link(index.index_of(pack).arguments[fact->second].path, name);
}

// The rules that refuse something, those that refuse most first.
void add_deciding_rules(SitePage& page, const SupportTable& table) {
  std::vector<std::pair<std::size_t, const Rule*>> counts;
  for (const SupportGrid& grid : table.grids)
    for (const auto& row : grid.cells)
      for (const SupportCell& cell : row) {
        if (cell.state != State::refused || cell.rule == nullptr) continue;
        const auto found =
            std::ranges::find(counts, cell.rule, &decltype(counts)::value_type::second);
        if (found == counts.end())
          counts.emplace_back(1, cell.rule);
        else
          ++found->first;
      }
  if (counts.empty()) return;
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  page.heading("Rules that refuse something here");
  std::vector<Phrase> items;
  for (const auto& [count, rule] : counts) {
    items.push_back(rule_item(*rule));
    items.back().push_back(soft(fmt::format(", {}", counted_items(count, "cell", "cells"))));
  }
  page.bullets(std::move(items));
}

}  // namespace

std::string matrix_path(const SupportTable& table) {
  return fmt::format("support/{}/{}/{}", safe_file_name(table.pack->name),
                     safe_file_name(table.matrix), safe_file_name(table.model));
}

SitePage support_table_page(const SupportTable& table, const SiteIndex& index) {
  SitePage page;
  page.kind = "support";
  page.path = matrix_path(table);
  page.title = fmt::format("{}: {}", table.title, table.model);
  page.description = fmt::format("{} for {} on each kind of GPU, as the rules decide it.",
                                 table.title, table.model);
  page.eyebrow = {table.pack->title, "support matrix",
                  table.pack->versions.empty() ? "" : table.pack->versions.back()};
  if (page.eyebrow.back().empty()) page.eyebrow.pop_back();
  page.trail = {page_link("support/index", "Support")};
  page.prose(table.documentation);
  Phrase how{plain("Each cell is what the rules say about a launch of "), code_text(table.model)};
  if (!table.launch.empty()) append(how, {plain(" with "), code_text(table.launch)});
  append(how, {plain(", rows being "), argument_link(index, *table.pack, table.row_argument),
               plain(" and columns "), argument_link(index, *table.pack, table.column_argument),
               plain(". It leads to the rule that decides it.")});
  page.paragraph(std::move(how));
  page.bullets(
      {{strong("yes"), plain(": no rule objects")},
       {strong("warns"), plain(": accepted, with a warning")},
       {strong("replaced"), plain(": the engine takes another value than the one asked for")},
       {strong("depends"), plain(": on something that is not said here")},
       {strong("no"), plain(": refused")}});
  for (const SupportGrid& grid : table.grids) {
    page.heading(grid.gpu);
    std::vector<TableRow> rows{{{{code_text(table.row_argument)}}}};
    for (const std::string& value : table.columns) rows[0].push_back({{value_of(value)}});
    for (std::size_t row = 0; row < grid.cells.size(); ++row) {
      rows.push_back({{{value_of(table.rows[row])}}});
      for (const SupportCell& cell : grid.cells[row]) rows.back().push_back(cell_of(cell));
    }
    page.table(std::move(rows), "matrix");
  }
  add_deciding_rules(page, table);
  return page;
}

SitePage support_page(std::span<const SupportTable> tables) {
  SitePage page;
  page.kind = "support";
  page.path = "support/index";
  page.title = "Support matrices";
  page.description = "What goes together on which model and GPU, computed by running the rules.";
  page.paragraph(
      {plain("Every cell is computed by running the rules that are checked before a "
             "launch, so that what is enforced and what is published are one thing.")});
  std::string_view matrix;
  std::vector<Phrase> items;
  const auto end_matrix = [&] {
    if (!items.empty()) page.bullets(std::move(items));
    items.clear();
  };
  for (const SupportTable& table : tables) {
    if (table.matrix != matrix) {
      end_matrix();
      page.heading(table.title);
      page.prose(table.documentation);
      matrix = table.matrix;
    }
    std::vector<std::string_view> gpus;
    for (const SupportGrid& grid : table.grids) gpus.push_back(grid.gpu);
    items.push_back({page_link(matrix_path(table), table.model),
                     soft(fmt::format(" — {}", fmt::join(gpus, ", ")))});
  }
  end_matrix();
  if (tables.empty()) page.paragraph({plain("This knowledge declares none.")});
  return page;
}

}  // namespace assay
