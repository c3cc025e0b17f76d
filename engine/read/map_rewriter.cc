// Edits entries of a YAML or JSON map; everything else stays, comments and order included. Keys are
// written as their neighbours are: with dashes or underscores, quoted or not.
#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/argument_words.h"
#include "engine/read/flag_lookup.h"
#include "engine/read/launch_rewriter_forms.h"
#include "engine/read/text_edits.h"

namespace assay {
namespace {

class MapRewriter {
 public:
  MapRewriter(const SourceSet& sources, const RulePack& pack, const Launch& launch)
      : sources_(sources),
        release_(pack, launch.release),
        launch_(launch),
        text_(sources.get(launch.span.source).text()),
        is_flow_(sources.text(launch.span).starts_with('{')) {}

  std::string rewrite(std::span<const LaunchEdit> edits) {
    for (const LaunchEdit& edit : edits) apply(edit);
    return finish();
  }
  std::string rewrite(std::span<const PartEdit> edits) {
    for (const PartEdit& edit : edits) {
      if (edit.name.empty())
        remove(edit.extent.begin, edit.extent.end);
      else
        edits_.replace(edit.name_span.begin, edit.name_span.end, edit.name);
    }
    return finish();
  }

 private:
  // A block map that lost all its entries is still a map.
  std::string finish() const {
    std::string text = edits_.apply(sources_, launch_.span);
    const bool is_empty =
        std::all_of(text.begin(), text.end(), [](char c) { return is_line_space(c) || c == '\n'; });
    return is_empty ? "{}" : text;
  }
  std::string value_text(const Node& value) const {
    return is_flow_ ? write_json(value) : write_yaml(value);
  }
  std::string key_text(const FactDeclaration& fact) const;
  std::size_t line_begin(std::size_t at) const {
    const auto newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
  }
  void apply(const LaunchEdit& edit);
  void set_in_place(const LaunchArgument& argument, const FactDeclaration& fact, const Node& value);
  bool may_stay(const LaunchArgument& argument, const FactDeclaration& fact) const;
  void append(const FactDeclaration& fact, const Node& value);
  void remove(std::size_t begin, std::uint32_t item_end);
  void remove(const LaunchArgument& argument) {
    remove(argument.flag_span.begin, end_of(argument));
  }
  static std::uint32_t end_of(const LaunchArgument& argument) {
    return std::max(argument.flag_span.end,
                    argument.value_span.is_known() ? argument.value_span.end : 0u);
  }

  const SourceSet& sources_;
  const PackRelease release_;
  const Launch& launch_;
  std::string_view text_;
  bool is_flow_;
  TextEdits edits_;
};

std::string MapRewriter::key_text(const FactDeclaration& fact) const {
  std::string key = fact.name;
  bool is_quoted = is_flow_;
  if (!launch_.arguments.empty()) {
    const LaunchArgument& neighbour = launch_.arguments.front();
    const auto has_dashes = [](const LaunchArgument& argument) {
      return argument.spelling.find('-', 2) != std::string::npos;
    };
    if (std::any_of(launch_.arguments.begin(), launch_.arguments.end(), has_dashes))
      std::replace(key.begin(), key.end(), '_', '-');
    if (neighbour.spelling.starts_with("--")) key = "--" + key;
    const std::string_view written = sources_.text(neighbour.flag_span);
    is_quoted = written.starts_with('"') || written.starts_with('\'');
  }
  return is_quoted ? write_json_string(key) : key;
}

void MapRewriter::apply(const LaunchEdit& edit) {
  const FactDeclaration& fact = release_.fact(edit.fact);
  const bool is_removed =
      edit.is_unset || (edit.value.kind == NodeKind::null && !fact.type.is_nullable);
  const LaunchArgument* kept = nullptr;
  for (const LaunchArgument& argument : launch_.arguments) {
    if (argument.fact != edit.fact) continue;
    if (kept != nullptr) remove(*kept);
    kept = &argument;
  }
  if (is_removed) {
    if (kept != nullptr) remove(*kept);
  } else if (kept != nullptr) {
    set_in_place(*kept, fact, edit.value);
  } else {
    append(fact, edit.value);
  }
}

// A key that is the argument's name or a prefix of one of its flags, none of which is deprecated or
// means the opposite.
bool MapRewriter::may_stay(const LaunchArgument& argument, const FactDeclaration& fact) const {
  std::string name = argument.spelling;
  std::replace(name.begin(), name.end(), '-', '_');
  name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
  if (name == fact.name) return true;
  std::replace(name.begin(), name.end(), '_', '-');
  const FlagMatch match = match_flag(release_, "--" + name);
  if (match.kind != FlagMatch::Kind::argument || match.flag->is_deprecated) return false;
  const auto& stored = match.flag->stores;
  return !stored || (stored->kind == NodeKind::boolean && stored->boolean);
}

void MapRewriter::set_in_place(const LaunchArgument& argument, const FactDeclaration& fact,
                               const Node& value) {
  const Span key = argument.flag_span, old_value = argument.value_span;
  if (!may_stay(argument, fact)) edits_.replace(key.begin, key.end, key_text(fact));
  if (old_value.is_known() && old_value.begin < old_value.end && old_value.begin >= key.end) {
    edits_.replace(old_value.begin, old_value.end, value_text(value));
    return;
  }
  // `key:` with nothing behind it
  const auto colon = text_.find(':', key.end);
  if (colon == std::string_view::npos) return;
  edits_.insert(static_cast<std::uint32_t>(colon + 1), " " + value_text(value));
}

void MapRewriter::append(const FactDeclaration& fact, const Node& value) {
  const std::string entry = key_text(fact) + ": " + value_text(value);
  if (!launch_.append_at.is_known()) {  // an empty map
    const auto brace = text_.find('{', launch_.span.begin);
    return edits_.append_flow_item(static_cast<std::uint32_t>(brace + 1), ", ", entry);
  }
  std::string separator = is_flow_ ? ", " : "\n";
  if (!launch_.arguments.empty()) {
    const std::size_t key = launch_.arguments.back().flag_span.begin;
    const std::string_view head = text_.substr(line_begin(key), key - line_begin(key));
    const bool is_alone = std::all_of(head.begin(), head.end(), is_line_space);
    if (is_alone) separator = (is_flow_ ? ",\n" : "\n") + std::string(head);
  }
  if (is_flow_)
    edits_.append_flow_item(launch_.append_at.begin, std::move(separator), entry);
  else
    edits_.insert(end_with_comment(text_, launch_.append_at.begin), separator + entry);
}

void MapRewriter::remove(std::size_t begin, std::uint32_t item_end) {
  if (is_flow_) return edits_.remove_flow_item(static_cast<std::uint32_t>(begin), item_end);
  // The whole of its lines, with a comment at their end.
  std::size_t end = item_end;
  end = std::min<std::size_t>(text_.find('\n', end), launch_.span.end);
  const bool is_first = begin <= launch_.span.begin;
  if (is_first) {
    if (end < launch_.span.end) ++end;
    while (end < launch_.span.end && is_line_space(text_[end])) ++end;
  } else {
    begin = line_begin(begin);
    if (begin > launch_.span.begin) --begin;
  }
  edits_.remove(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
}

}  // namespace

std::optional<std::string> rewrite_map(const SourceSet& sources, const RulePack& pack,
                                       const Launch& launch, std::span<const LaunchEdit> edits) {
  return MapRewriter(sources, pack, launch).rewrite(edits);
}

std::string rewrite_map_parts(const SourceSet& sources, const RulePack& pack, const Launch& launch,
                              std::span<const PartEdit> edits) {
  return MapRewriter(sources, pack, launch).rewrite(edits);
}

}  // namespace assay
