// A range is kept as its text: few are ever looked at, and read/pack_release.h parses those. That
// it says something is checked against the covered releases, since a slip in a number would take a
// flag away without a word.
#include "engine/read/argument_versions_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/version.h"
#include "engine/model/type_parsing.h"
#include "engine/read/fact_schema_reader.h"

namespace assay {
namespace {

class VersionsReader {
 public:
  VersionsReader(const MappingReader& reader, std::span<const std::string> releases,
                 FactDeclaration& fact, Diagnostics& faults)
      : reader_(reader), releases_(releases), fact_(fact), faults_(faults) {}

  void read() {
    if (auto text = reader_.filled_text("versions")) {
      check_range(*text, reader_.find("versions")->span);
      fact_.versions = std::move(*text);
    }
    read_choices();
    read_flags("flag_versions", &Flag::versions);
    read_flags("deprecated_versions", &Flag::deprecated_versions);
    read_defaults();
  }

 private:
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  void check_range(const std::string& text, Span span, bool is_of_default = false) {
    const auto range = parse_version_range(text);
    if (!range) return refuse(span, range.error().message);
    if (releases_.empty()) return;
    const auto is_in = [&](const std::string& release) {
      const auto version = parse_version(release);
      return version && range->contains(*version);
    };
    if (std::none_of(releases_.begin(), releases_.end(), is_in))
      refuse(span, fmt::format("no release that the pack covers is in `{}`", text));
    else if (std::all_of(releases_.begin(), releases_.end(), is_in))
      refuse(span, fmt::format("every release that the pack covers is in `{}`", text),
             "leave it out");
    else if (is_of_default && is_in(releases_.back()))
      refuse(span, fmt::format("the newest release is in `{}`", text),
             "its default is what `default` says");
  }

  // The range of one choice or flag, as text; empty where it is none.
  std::string range_of(const Entry& entry) {
    if (!entry.value.is_string()) {
      faults_.push_back(wrong_type("a range of releases", "a string", entry.value));
      return {};
    }
    check_range(entry.value.text, entry.value.span);
    return entry.value.text;
  }

  void read_choices() {
    const Node* ranges = reader_.mapping("choice_versions");
    if (ranges == nullptr) return;
    fact_.choice_versions.resize(fact_.choices.size());
    for (const Entry& entry : ranges->entries) {
      const auto choice = std::find_if(fact_.choices.begin(), fact_.choices.end(),
                                       [&](const Node& one) { return one.text == entry.key; });
      if (choice == fact_.choices.end())
        refuse(entry.key_span, fmt::format("`{}` is no choice of `{}`", entry.key, fact_.name),
               "list it under `choices` as well");
      else
        fact_.choice_versions[static_cast<std::size_t>(choice - fact_.choices.begin())] =
            range_of(entry);
    }
  }

  void read_flags(std::string_view key, std::string Flag::*range) {
    const Node* ranges = reader_.mapping(key);
    if (ranges == nullptr) return;
    for (const Entry& entry : ranges->entries) {
      const auto flag = std::find_if(fact_.flags.begin(), fact_.flags.end(),
                                     [&](const Flag& one) { return one.spelling == entry.key; });
      const bool is_listed =
          flag != fact_.flags.end() && (range != &Flag::deprecated_versions || flag->is_deprecated);
      if (!is_listed)
        refuse(entry.key_span,
               fmt::format("`{}` is no{} flag of `{}`", entry.key,
                           range == &Flag::deprecated_versions ? " deprecated" : "", fact_.name),
               "list it there as well");
      else
        (*flag).*range = range_of(entry);
    }
  }

  void read_defaults() {
    const Node* defaults = reader_.mapping("default_versions");
    if (defaults == nullptr) return;
    for (const Entry& entry : defaults->entries) {
      check_range(entry.key, entry.key_span, true);
      if (!fits_type(entry.value, fact_.type))
        refuse(entry.value.span,
               fmt::format("the default of `{}` must be of type {}, found {}", fact_.name,
                           to_string(fact_.type), to_string(entry.value.kind)));
      fact_.dated_defaults.push_back({entry.key, entry.value});
    }
  }

  const MappingReader& reader_;
  const std::span<const std::string> releases_;
  FactDeclaration& fact_;
  Diagnostics& faults_;
};

}  // namespace

void read_argument_versions(const MappingReader& reader, std::span<const std::string> releases,
                            FactDeclaration& fact, Diagnostics& faults) {
  VersionsReader(reader, releases, fact, faults).read();
}

}  // namespace assay
