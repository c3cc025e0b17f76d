// The page of one kernel contract: its arguments as a list, then every clause in the engine's
// order, numbered through. A group (`for_each`) is a list of its own, since its clauses are asked
// for one tensor before the next.
#include <fmt/format.h>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

std::string shape_text(const ContractTensor& tensor) {
  if (tensor.elements)
    return fmt::format("{} element{}", *tensor.elements, *tensor.elements == 1 ? "" : "s");
  std::vector<std::string> extents;
  for (const Extent& extent : tensor.shape)
    extents.push_back((extent.is_at_least ? "at least " : "") + extent.expression.text);
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string layout_text(const ContractTensor& tensor) {
  std::string text;
  if (tensor.is_contiguous) {
    text = "contiguous";
  } else {
    std::vector<std::string> strides;
    for (const ExpressionText& stride : tensor.strides)
      strides.push_back(stride.text.empty() ? "any" : stride.text);
    text = fmt::format("strides [{}]", fmt::join(strides, ", "));
  }
  if (tensor.alignment_bytes > 1)
    text += fmt::format(", aligned to {} bytes", tensor.alignment_bytes);
  if (!tensor.device.empty()) text += ", on " + tensor.device;
  if (tensor.is_optional) text += ", may be left out";
  if (tensor.is_output) text += ", written by the kernel";
  return text;
}

Phrase argument_item(const ContractTensor& tensor) {
  std::vector<std::string> dtypes;
  for (const DType dtype : tensor.dtypes) dtypes.emplace_back(to_string(dtype));
  Phrase item{strong(tensor.name), plain(" "),
              code_text(fmt::format("{} {}", fmt::join(dtypes, " or "), shape_text(tensor))),
              plain(", " + layout_text(tensor) + ". ")};
  for (Inline& part : read_phrase(tensor.documentation)) item.push_back(std::move(part));
  return item;
}

std::string demand_text(const ContractClause& clause) {
  if (clause.properties.empty())
    return clause.is_data_dependent
               ? fmt::format("each value of {}: {}", clause.tensors[0], clause.require->text)
               : clause.require->text;
  std::vector<std::string> parts;
  for (const TensorProperty property : clause.properties) parts.emplace_back(to_string(property));
  if (clause.group != 0) return fmt::format("{}", fmt::join(parts, ", "));
  return fmt::format("{} of {}", fmt::join(parts, ", "), fmt::join(clause.tensors, ", "));
}

std::string_view profile_text(ContractProfile profile) {
  switch (profile) {
    case ContractProfile::safety:
      return "safety";
    case ContractProfile::engine:
      return "engine";
    case ContractProfile::both:
      break;
  }
  return "engine and safety";
}

Phrase clause_item(const ContractClause& clause, const Dataset& dataset) {
  Phrase item{code_text(demand_text(clause)), plain(" "),
              soft(fmt::format("({})", profile_text(clause.profile))), plain(" ")};
  const ErrorRecord* record = clause.error.empty() ? nullptr : dataset.find(clause.error);
  item.push_back(record != nullptr ? page_link(record_path(*record), clause.message)
                                   : plain(clause.message));
  if (clause.is_data_dependent)
    item.push_back(soft(clause.enforced_by == "status" ? " counted by the kernel itself"
                                                       : " looked at by a checked call only"));
  return item;
}

void add_clauses(const TensorContract& contract, const Dataset& dataset, SitePage& page) {
  const std::vector<ContractClause>& clauses = contract.clauses;
  for (std::size_t begin = 0; begin < clauses.size();) {
    const std::uint32_t group = clauses[begin].group;
    if (group != 0) {
      Phrase each{plain("For each of "),
                  code_text(fmt::format("{}", fmt::join(clauses[begin].tensors, ", "))),
                  plain(" all of these, before the next of them:")};
      page.paragraph(std::move(each));
    } else if (begin > 0) {
      page.paragraph({plain("Then:")});
    }
    std::vector<Phrase> items;
    std::size_t end = begin;
    for (; end < clauses.size() && clauses[end].group == group; ++end)
      items.push_back(clause_item(clauses[end], dataset));
    page.numbers(std::move(items), begin + 1);
    begin = end;
  }
}

}  // namespace

std::string contract_path(const TensorContract& contract) {
  return "rules/kernels/" + safe_file_name(contract.kernel);
}

SitePage contract_page(const TensorContract& contract, const SiteIndex& index) {
  SitePage page;
  page.kind = "contract";
  page.path = contract_path(contract);
  page.title = contract.title;
  page.description = contract.summary;
  page.eyebrow = {contract.repository, "kernel contract", contract.source.raises};
  page.trail = {page_link("rules/index", "Rules and kernel contracts")};
  page.source = "rules/kernels/" + contract.kernel + ".yaml";
  page.paragraph({code_text(contract.kernel)});
  page.prose(contract.summary);
  page.prose(contract.documentation);

  page.heading("Arguments");
  std::vector<Phrase> arguments;
  for (const ContractTensor& tensor : contract.tensors) arguments.push_back(argument_item(tensor));
  for (const ContractScalar& scalar : contract.scalars)
    arguments.push_back({strong(scalar.name), plain(" "), code_text(to_string(scalar.type)),
                         plain(". " + scalar.documentation)});
  page.bullets(std::move(arguments));

  page.heading("Dimensions");
  std::vector<Phrase> dimensions;
  for (const ContractDimension& dimension : contract.dimensions)
    dimensions.push_back({code_text(dimension.name), plain(": " + dimension.documentation)});
  page.bullets(std::move(dimensions));

  page.heading("What is checked, in the engine's order");
  add_clauses(contract, index.dataset, page);

  const RuleSource& source = contract.source;
  page.heading("Source");
  page.paragraph({web_link(fmt::format("https://github.com/{}/blob/{}/{}", contract.repository,
                                       source.sha, source.file),
                           source.file),
                  plain(fmt::format(" at {}", source.sha.substr(0, 12)))});
  return page;
}

}  // namespace assay
