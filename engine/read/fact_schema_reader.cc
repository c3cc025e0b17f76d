// One declaration at a time. What is wrong with one is reported and the fact declared all the same
// where it has a name, so that a rule that uses it is not reported as well.
#include "engine/read/fact_schema_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/model/type_parsing.h"
#include "engine/read/argument_versions_reader.h"
#include "engine/read/document_reader.h"
#include "engine/read/expression_text.h"
#include "engine/read/fact_names.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 8> kNamespaces = {
    "env", "gpu", "model", "draft_model", "version", "host", "checkpoint", "derived"};

Node boolean_node(bool value, Span span) {
  Node node;
  node.kind = NodeKind::boolean;
  node.boolean = value;
  node.text = value ? "true" : "false";
  node.span = span;
  return node;
}

class DeclarationReader {
 public:
  DeclarationReader(FactSchema& schema, Diagnostics& faults) : schema_(schema), faults_(faults) {}

  void read_argument(const Entry& entry, std::span<const std::string> releases);
  void read_fact(const SourceSet& sources, const Entry& entry);

 private:
  void read_type(const MappingReader& reader, FactDeclaration& fact);
  void read_values(const MappingReader& reader, FactDeclaration& fact);
  void read_flags(const MappingReader& reader, FactDeclaration& fact);
  void read_stores(const MappingReader& reader, FactDeclaration& fact);
  bool check_stored(const std::string& flag, const Node& value, const FactDeclaration& fact);
  void read_word_values(const Entry& entry, const FactDeclaration& fact, Flag& flag);
  void read_unit_suffixes(const MappingReader& reader, FactDeclaration& fact);
  void check_flag(const Node& flag);
  void check_fact_name(const Entry& entry);
  void declare(FactDeclaration fact);
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  FactSchema& schema_;
  Diagnostics& faults_;
};

bool is_argument_type(const Type& type) {
  const auto is_scalar = [](const Type& t) {
    return t.kind == TypeKind::boolean || t.kind == TypeKind::integer || t.kind == TypeKind::real ||
           t.kind == TypeKind::string;
  };
  if (type.kind == TypeKind::list)
    return is_scalar(type.parameters[0]) && type.parameters[0].kind != TypeKind::boolean;
  return is_scalar(type);
}

void DeclarationReader::read_type(const MappingReader& reader, FactDeclaration& fact) {
  const bool is_nullable = reader.has("nullable") && reader.boolean("nullable").value_or(false);
  const auto text = reader.text("type");
  if (!text) return;
  auto type = parse_type(*text);
  const Span span = reader.find("type")->span;
  fact.is_json = *text == "json";
  if (!type || type->is_nullable) {
    refuse(span, fmt::format("`{}` is not the type of a fact", *text),
           type ? "write `nullable: true`"
                : "types are bool, int, double, string, list<string>, "
                  "map<string, dyn> and the like");
    return;
  }
  if (fact.is_argument && !fact.is_json && !is_argument_type(*type)) {
    refuse(
        span, fmt::format("an argument cannot be of type {}", *text),
        "arguments are bool, int, double, string, list<int>, list<double>, list<string> or json");
    return;
  }
  fact.type = std::move(*type);
  fact.type.is_nullable = is_nullable;
  fact.takes_list = fact.is_argument && fact.type.kind == TypeKind::list;
}

void DeclarationReader::read_values(const MappingReader& reader, FactDeclaration& fact) {
  if (const Node* value = reader.find("default")) {
    fact.default_value = *value;
    if (value->kind == NodeKind::null && !fact.type.is_nullable)
      refuse(value->span, fmt::format("`{}` cannot be null", fact.name), "add `nullable: true`");
    else if (!fits_type(*value, fact.type))
      refuse(value->span, fmt::format("the default of `{}` must be of type {}, found {}", fact.name,
                                      to_string(fact.type), to_string(value->kind)));
  }
  const Node* choices = reader.sequence("choices");
  if (choices == nullptr) return;
  const Type& item_type = fact.type.kind == TypeKind::list ? fact.type.parameters[0] : fact.type;
  const auto misfit = std::find_if(
      choices->items.begin(), choices->items.end(),
      [&](const Node& choice) { return fact.is_json || !fits_type(choice, item_type); });
  if (misfit != choices->items.end())
    refuse(misfit->span,
           fact.is_json ? fmt::format("`{}` is JSON, it has no choices", fact.name)
                        : fmt::format("a choice of `{}` must be of type {}, found {}", fact.name,
                                      to_string(item_type), to_string(misfit->kind)));
  if (choices->items.empty()) refuse(choices->span, "a list of choices has at least one");
  fact.choices = choices->items;
}

void DeclarationReader::check_flag(const Node& flag) {
  const bool is_flag = flag.is_string() && flag.text.size() > 1 && flag.text.front() == '-' &&
                       flag.text != "--" && flag.text.find_first_of(" =\t") == std::string::npos;
  if (!flag.is_string())
    faults_.push_back(wrong_type("a flag", "a string", flag));
  else if (!is_flag)
    refuse(flag.span, fmt::format("`{}` is not a flag", flag.text), "flags look like --tp-size");
}

void DeclarationReader::read_flags(const MappingReader& reader, FactDeclaration& fact) {
  for (const std::string_view key : {"flags", "deprecated_flags"}) {
    const Node* flags = reader.sequence(key);
    if (flags == nullptr) continue;
    for (const Node& flag : flags->items) {
      check_flag(flag);
      const auto is_same = [&](const Flag& other) { return other.spelling == flag.text; };
      if (std::any_of(fact.flags.begin(), fact.flags.end(), is_same))
        faults_.push_back(make_error(code::duplicate_id, flag.span,
                                     fmt::format("flag `{}` is listed twice", flag.text)));
      else
        fact.flags.push_back({flag.text, key == "deprecated_flags", std::nullopt});
    }
  }
  if (fact.type.kind == TypeKind::boolean)
    for (Flag& flag : fact.flags) flag.stores = boolean_node(true, fact.span);
  read_stores(reader, fact);
}

void DeclarationReader::read_stores(const MappingReader& reader, FactDeclaration& fact) {
  const Node* stores = reader.mapping("stores");
  if (stores == nullptr) return;
  for (const Entry& entry : stores->entries) {
    const auto flag = std::find_if(fact.flags.begin(), fact.flags.end(),
                                   [&](const Flag& f) { return f.spelling == entry.key; });
    if (flag == fact.flags.end())
      refuse(entry.key_span, fmt::format("`{}` is none of the flags of `{}`", entry.key, fact.name),
             "list it under `flags` or `deprecated_flags` as well");
    else if (entry.value.kind == NodeKind::mapping && !fact.is_json)
      read_word_values(entry, fact, *flag);
    else if (check_stored(entry.key, entry.value, fact))
      flag->stores = entry.value;
  }
}

bool DeclarationReader::check_stored(const std::string& flag, const Node& value,
                                     const FactDeclaration& fact) {
  if (fits_type(value, fact.type)) return true;
  refuse(value.span, fmt::format("what `{}` stores must be of type {}, found {}", flag,
                                 to_string(fact.type), to_string(value.kind)));
  return false;
}

void DeclarationReader::read_word_values(const Entry& entry, const FactDeclaration& fact,
                                         Flag& flag) {
  if (entry.value.entries.empty())
    refuse(entry.value.span, fmt::format("`{}` takes at least one word", entry.key));
  flag.stores.reset();
  for (const Entry& word : entry.value.entries)
    if (check_stored(entry.key, word.value, fact)) flag.word_values.push_back(word);
}

void DeclarationReader::declare(FactDeclaration fact) {
  const auto id = static_cast<FactId>(schema_.facts.size());
  const auto report = [&](std::string message, FactId first) {
    faults_.push_back(make_error(code::duplicate_id, fact.span, std::move(message)));
    faults_.back().related.push_back({schema_.facts[first].span, "first declared here"});
  };
  const auto [known, is_new] = schema_.by_name.try_emplace(fact.name, id);
  if (!is_new) {
    report(fmt::format("fact `{}` is declared twice", fact.name), known->second);
    return;
  }
  for (const Flag& flag : fact.flags) {
    const auto [other, is_new_flag] = schema_.by_flag.try_emplace(flag.spelling, id);
    if (!is_new_flag)
      report(fmt::format("flag `{}` of `{}` belongs to `{}` already", flag.spelling, fact.name,
                         schema_.facts[other->second].name),
             other->second);
  }
  schema_.facts.push_back(std::move(fact));
}

void DeclarationReader::read_argument(const Entry& entry, std::span<const std::string> releases) {
  const MappingReader reader(entry.value, fmt::format("argument `{}`", entry.key), kArgumentKeys,
                             faults_);
  FactDeclaration fact;
  fact.name = entry.key;
  fact.span = entry.key_span;
  fact.is_argument = true;
  if (!is_identifier(entry.key))
    refuse(entry.key_span, fmt::format("`{}` is not the name of an argument", entry.key),
           "names are letters, digits and underscores");
  read_type(reader, fact);
  read_values(reader, fact);
  read_flags(reader, fact);
  fact.has_open_choices = reader.boolean("open_choices").value_or(false);
  read_unit_suffixes(reader, fact);
  read_argument_versions(reader, releases, fact, faults_);
  fact.environment = reader.filled_text("environment").value_or("");
  fact.documentation = reader.text("documentation").value_or("");
  declare(std::move(fact));
}

void DeclarationReader::read_unit_suffixes(const MappingReader& reader, FactDeclaration& fact) {
  const Node* suffixes = reader.mapping("unit_suffixes");
  if (!suffixes) return;
  if (fact.type.kind != TypeKind::integer)
    refuse(suffixes->span, "`unit_suffixes` belong to an argument of type int");
  for (const Entry& entry : suffixes->entries) {
    const bool is_word = std::all_of(entry.key.begin(), entry.key.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (entry.value.kind != NodeKind::integer || entry.value.integer < 1 || !is_word ||
        entry.key.empty())
      refuse(entry.key_span, "a unit suffix is letters, and its factor a positive integer");
    else
      fact.unit_suffixes.emplace_back(entry.key, entry.value.integer);
  }
}

void DeclarationReader::check_fact_name(const Entry& entry) {
  const std::string_view name = entry.key;
  const std::string_view space = name.substr(0, name.find('.'));
  if (!is_dotted_name(name) || space == name)
    refuse(entry.key_span, fmt::format("`{}` is not the name of a fact", name),
           "names are dotted, such as gpu.sm; arguments stand in arguments.yaml");
  else if (std::find(kNamespaces.begin(), kNamespaces.end(), space) == kNamespaces.end())
    refuse(entry.key_span, fmt::format("`{}` is not a namespace of facts", space),
           fmt::format("namespaces are {}", fmt::join(kNamespaces, ", ")));
}

void DeclarationReader::read_fact(const SourceSet& sources, const Entry& entry) {
  const MappingReader reader(entry.value, fmt::format("fact `{}`", entry.key), kFactKeys, faults_);
  FactDeclaration fact;
  fact.name = entry.key;
  fact.span = entry.key_span;
  check_fact_name(entry);
  read_type(reader, fact);
  read_values(reader, fact);
  fact.minimum = reader.integer("minimum");
  if (fact.minimum && fact.type.kind != TypeKind::integer)
    refuse(reader.find("minimum")->span, "a `minimum` belongs to a fact of type int");
  fact.unit = reader.text("unit").value_or("");
  fact.documentation = reader.text("documentation").value_or("");
  if (const Node* expression = reader.find("expression"))
    fact.expression = read_expression(sources, *expression, "`expression`", faults_);
  if (fact.expression && fact.default_value)
    refuse(fact.default_value->span, "a fact has a default or an expression, not both");
  const bool is_environment = fact.name.starts_with("env.");
  if (is_environment && !fact.default_value && !fact.expression) {
    // Unset and without a default: null.
    fact.type.is_nullable = true;
    fact.default_value.emplace();
    fact.default_value->span = fact.span;
  }
  declare(std::move(fact));
}

// The one mapping that such a file holds, by name of declaration.
const Node* declarations_of(const Node& document, std::string_view what, std::string_view key,
                            std::span<const DocumentKey> keys, Diagnostics& faults) {
  return MappingReader(document, what, keys, faults).mapping(key);
}

}  // namespace

bool fits_type(const Node& value, const Type& type) {
  if (value.kind == NodeKind::null)
    return type.is_nullable || type.kind == TypeKind::dynamic || type.kind == TypeKind::null;
  switch (type.kind) {
    case TypeKind::boolean:
      return value.kind == NodeKind::boolean;
    case TypeKind::integer:
      return value.kind == NodeKind::integer;
    case TypeKind::unsigned_integer:
      return value.kind == NodeKind::integer && value.integer >= 0;
    case TypeKind::real:
      return value.kind == NodeKind::real || value.kind == NodeKind::integer;
    case TypeKind::string:
    case TypeKind::bytes:
      return value.kind == NodeKind::string;
    case TypeKind::list:
      return value.kind == NodeKind::sequence &&
             std::all_of(value.items.begin(), value.items.end(),
                         [&](const Node& item) { return fits_type(item, type.parameters[0]); });
    case TypeKind::map:
      return value.kind == NodeKind::mapping &&
             std::all_of(value.entries.begin(), value.entries.end(), [&](const Entry& entry) {
               return fits_type(entry.value, type.parameters[1]);
             });
    case TypeKind::dynamic:
      return true;
    case TypeKind::null:
    case TypeKind::type:
      break;
  }
  return false;
}

void read_arguments(const Node& document, std::span<const std::string> releases, FactSchema& schema,
                    Diagnostics& faults) {
  const Node* arguments =
      declarations_of(document, "arguments.yaml", "arguments", kArgumentsFileKeys, faults);
  if (arguments == nullptr) return;
  DeclarationReader reader(schema, faults);
  for (const Entry& entry : arguments->entries) reader.read_argument(entry, releases);
}

void read_facts(const SourceSet& sources, const Node& document, FactSchema& schema,
                Diagnostics& faults) {
  const Node* facts = declarations_of(document, "facts.yaml", "facts", kFactsFileKeys, faults);
  if (facts == nullptr) return;
  DeclarationReader reader(schema, faults);
  for (const Entry& entry : facts->entries) reader.read_fact(sources, entry);
}

}  // namespace assay
