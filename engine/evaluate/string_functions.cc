// String functions. Positions and lengths count code points; the texts are UTF-8, so a position is
// found by walking from the front. Each function is charged before it runs, by the bytes it may
// look at: a unit of cost is an instruction of a loop, some nanoseconds, in which a walk over code
// points passes two bytes and a search that never gets beyond its first byte eight.
#include <vector>

#include "engine/compile/code_points.h"
#include "engine/compile/pattern_cel.h"
#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

using Arguments = std::span<const Value>;

bool are_strings(Arguments arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Value& v) { return v.is(ValueKind::string); });
}

Value map_ascii(std::string_view text, char first, char last, int shift,
                EvaluationContext& context) {
  char* mapped = context.allocate<char>(text.size());
  if (mapped == nullptr) return {};
  std::transform(text.begin(), text.end(), mapped, [&](char c) {
    return c >= first && c <= last ? static_cast<char>(c + shift) : c;
  });
  return Value::string({mapped, text.size()});
}

// Unicode's White_Space.
bool is_space(std::uint32_t point) {
  return (point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85 || point == 0xa0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
         point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

Value trim(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const CodePoint point = code_point_at(text, begin);
    if (!is_space(point.value)) break;
    begin += point.size;
  }
  std::size_t end = begin;
  for (std::size_t at = begin; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.size;
    if (!is_space(point.value)) end = at;
  }
  return Value::string(text.substr(begin, end - begin));
}

Value reverse(std::string_view text, EvaluationContext& context) {
  char* reversed = context.allocate<char>(text.size());
  if (reversed == nullptr) return {};
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    std::copy_n(text.data() + at, point.size, reversed + text.size() - at - point.size);
    at += point.size;
  }
  return Value::string({reversed, text.size()});
}

// Where the pieces of `text` between separators begin; an empty separator cuts between code points.
Value split(Arguments arguments, EvaluationContext& context) {
  const std::string_view text = arguments[0].as_text();
  const std::string_view separator = arguments[1].as_text();
  const std::int64_t limit = arguments.size() == 3 ? arguments[2].as_integer() : -1;
  if (limit == 0) return Value::list({});
  std::vector<Value> pieces;
  std::size_t begin = 0;
  while (!context.is_exhausted() &&
         (limit < 0 || pieces.size() + 1 < static_cast<std::uint64_t>(limit))) {
    std::size_t end = text.find(separator, begin);
    if (separator.empty()) {
      if (begin >= text.size()) break;
      end = begin + code_point_at(text, begin).size;
      if (end == text.size()) break;
    }
    if (end == std::string_view::npos) break;
    pieces.push_back(Value::string(text.substr(begin, end - begin)));
    begin = end + separator.size();
    context.charge(16);
  }
  if (!separator.empty() || begin < text.size())
    pieces.push_back(Value::string(text.substr(begin)));
  auto* items = context.allocate<Value>(pieces.size());
  if (items == nullptr) return {};
  std::copy(pieces.begin(), pieces.end(), items);
  return Value::list({items, pieces.size()});
}

Value join(Arguments arguments, EvaluationContext& context) {
  if (!arguments[0].is(ValueKind::list) || !are_strings(arguments.subspan(1)))
    return context.no_overload("join", arguments);
  const std::string_view separator =
      arguments.size() == 2 ? arguments[1].as_text() : std::string_view();
  const auto items = arguments[0].as_list();
  context.charge(items.size());
  if (context.is_exhausted()) return {};
  if (!are_strings(items)) return Value::error("`join` needs a list of strings");
  if (items.empty()) return Value::string("");
  std::size_t size = separator.size() * (items.size() - 1);
  for (const Value& item : items) size += item.as_text().size();
  char* text = context.allocate<char>(size);
  if (text == nullptr) return {};
  char* out = text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out = std::copy(separator.begin(), separator.end(), out);
    out = std::copy(items[i].as_text().begin(), items[i].as_text().end(), out);
  }
  return Value::string({text, size});
}

// Two passes: count the places, then fill exactly as much memory. An empty `from` stands before
// each code point and at the end.
Value replace(Arguments arguments, EvaluationContext& context) {
  const std::string_view text = arguments[0].as_text();
  const std::string_view from = arguments[1].as_text();
  const std::string_view to = arguments[2].as_text();
  const std::int64_t limit = arguments.size() == 4 ? arguments[3].as_integer() : -1;
  const auto visit = [&](auto take_text, auto take_match) {
    std::size_t at = 0;
    for (std::int64_t n = 0; limit < 0 || n < limit; ++n) {
      const std::size_t found = from.empty() ? at : text.find(from, at);
      if (found == std::string_view::npos) break;
      take_text(text.substr(at, found - at));
      take_match();
      at = found + from.size();
      if (!from.empty()) continue;
      const std::size_t size = code_point_at(text, at).size;
      take_text(text.substr(at, size));
      at += size;
      if (size == 0) return;
    }
    take_text(text.substr(std::min(at, text.size())));
  };
  std::size_t size = 0;
  std::size_t matches = 0;
  visit([&](std::string_view part) { size += part.size(); }, [&] { ++matches; });
  context.charge(4 * matches);
  if (context.is_exhausted()) return {};
  if (matches > 0 && to.size() > (std::size_t{1} << 32) / matches) size = SIZE_MAX / 2;
  char* replaced = context.allocate<char>(size + matches * to.size());
  if (replaced == nullptr) return {};
  char* out = replaced;
  visit([&](std::string_view part) { out = std::copy(part.begin(), part.end(), out); },
        [&] { out = std::copy(to.begin(), to.end(), out); });
  return Value::string({replaced, static_cast<std::size_t>(out - replaced)});
}

Value substring(Arguments arguments, EvaluationContext& context) {
  const std::string_view text = arguments[0].as_text();
  const auto length = static_cast<std::int64_t>(count_code_points(text));
  const std::int64_t begin = arguments[1].as_integer();
  const std::int64_t end = arguments.size() == 3 ? arguments[2].as_integer() : length;
  if (begin < 0 || end > length || begin > end)
    return context.error("substring: from " + std::to_string(begin) + " to " + std::to_string(end) +
                         " is outside a string of length " + std::to_string(length));
  const std::size_t first = offset_of_code_point(text, static_cast<std::size_t>(begin));
  const std::size_t last = offset_of_code_point(text, static_cast<std::size_t>(end));
  return Value::string(text.substr(first, last - first));
}

Value char_at(Arguments arguments, EvaluationContext& context) {
  const std::string_view text = arguments[0].as_text();
  const auto length = static_cast<std::int64_t>(count_code_points(text));
  const std::int64_t index = arguments[1].as_integer();
  if (index < 0 || index > length)
    return context.error("charAt: " + std::to_string(index) + " is outside a string of length " +
                         std::to_string(length));
  const std::size_t at = offset_of_code_point(text, static_cast<std::size_t>(index));
  return Value::string(text.substr(at, code_point_at(text, at).size));
}

Value index_of(FunctionId id, Arguments arguments, EvaluationContext& context) {
  const bool is_last = id == FunctionId::last_index_of;
  const std::string_view text = arguments[0].as_text();
  const std::string_view part = arguments[1].as_text();
  const auto length = static_cast<std::int64_t>(count_code_points(text));
  const std::int64_t from = arguments.size() == 3 ? arguments[2].as_integer()
                            : is_last             ? length
                                                  : 0;
  const bool is_whole = arguments.size() == 2;
  if (!is_whole && (from < 0 || from > length))
    return context.error(std::string(to_string(id)) + ": " + std::to_string(from) +
                         " is outside a string of length " + std::to_string(length));
  const std::size_t at = offset_of_code_point(text, static_cast<std::size_t>(from));
  const std::size_t found = is_last ? text.rfind(part, at) : text.find(part, at);
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(count_code_points(text.substr(0, found))));
}

Value match(Arguments arguments, EvaluationContext& context) {
  if (!are_strings(arguments)) return context.no_overload("matches", arguments);
  // Compiling a pattern of some size takes a millisecond.
  context.charge(20000 + 100 * arguments[1].as_text().size() + 4 * arguments[0].as_text().size());
  if (context.is_exhausted()) return {};
  const CelPattern pattern(arguments[1].as_text());
  if (!pattern.error().empty()) return context.error("invalid pattern: " + pattern.error());
  return Value::boolean(pattern.matches(arguments[0].as_text()));
}

// What looking for `part` may cost: naive search compares at every place of the text.
std::uint64_t search_cost(std::string_view text, std::string_view part) {
  if (part.size() < 2) return text.size() / 8;
  return text.size() + text.size() / 32 * part.size();
}

std::uint64_t cost_of(FunctionId id, Arguments arguments) {
  using F = FunctionId;
  const std::string_view text = arguments[0].as_text();
  switch (id) {
    case F::starts_with:
    case F::ends_with:
      return arguments[1].as_text().size() / 16;
    case F::contains:
      return search_cost(text, arguments[1].as_text());
    case F::split:  // ... and what each piece costs
      return text.size() / 8 + search_cost(text, arguments[1].as_text());
    case F::replace:  // searches twice
      return 2 * search_cost(text, arguments[1].as_text()) +
             (arguments[1].as_text().empty() ? 4 * text.size() : 0);
    case F::char_at:
    case F::substring:  // count, then walk to one place or two
      return text.size() + text.size() / 2;
    case F::index_of:
    case F::last_index_of:  // count, walk to where the search begins, count up to what it found
      return text.size() + text.size() / 2 + search_cost(text, arguments[1].as_text());
    case F::trim:
    case F::reverse:
      return text.size();
    default:  // lowerAscii and upperAscii; `matches` charges by itself
      return text.size() / 8;
  }
}

}  // namespace

Value call_string_function(FunctionId id, Arguments arguments, EvaluationContext& context) {
  using F = FunctionId;
  if (id == F::join) return join(arguments, context);
  // Strings first, then positions.
  const std::size_t strings = id == F::replace ? 3
                              : id == F::trim || id == F::reverse || id == F::lower_ascii ||
                                      id == F::upper_ascii || id == F::char_at || id == F::substring
                                  ? 1
                                  : 2;
  const bool fits =
      are_strings(arguments.first(strings)) &&
      std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(strings), arguments.end(),
                  [](const Value& v) { return v.is(ValueKind::integer); });
  if (!fits) return context.no_overload(to_string(id), arguments);
  const std::string_view text = arguments[0].as_text();
  context.charge(cost_of(id, arguments));
  if (context.is_exhausted()) return {};
  switch (id) {
    case F::contains:
      return Value::boolean(text.find(arguments[1].as_text()) != std::string_view::npos);
    case F::starts_with:
      return Value::boolean(text.starts_with(arguments[1].as_text()));
    case F::ends_with:
      return Value::boolean(text.ends_with(arguments[1].as_text()));
    case F::matches:
      return match(arguments, context);
    case F::lower_ascii:
      return map_ascii(text, 'A', 'Z', 'a' - 'A', context);
    case F::upper_ascii:
      return map_ascii(text, 'a', 'z', 'A' - 'a', context);
    case F::trim:
      return trim(text);
    case F::reverse:
      return reverse(text, context);
    case F::split:
      return split(arguments, context);
    case F::replace:
      return replace(arguments, context);
    case F::substring:
      return substring(arguments, context);
    case F::char_at:
      return char_at(arguments, context);
    case F::index_of:
    case F::last_index_of:
      return index_of(id, arguments, context);
    default:
      return context.no_overload(to_string(id), arguments);
  }
}

}  // namespace assay
