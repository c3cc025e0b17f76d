// A choice is near when it is a misspelling away (`deep_ep`), when one begins with the other (`fp8`
// for `fp8_e4m3`), or when the letters written occur in it in their order (`bf16` for `bfloat16`).
// An integer is what a slip of one key stands behind (`8x`), or a point with zeros; not what a unit
// does: `64k` is meant for a thousand times as much.
#include "engine/evaluate/meant_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "engine/base/ascii.h"
#include "engine/text/closest_name.h"

namespace assay {
namespace {

bool holds_in_order(std::string_view text, std::string_view letters) {
  for (const char letter : letters) {
    const auto at = text.find(letter);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + 1);
  }
  return true;
}

std::vector<MeantValue> near_choices(const FactDeclaration& fact, std::string_view written) {
  std::vector<std::string_view> names;
  for (const Node& choice : fact.choices) names.push_back(choice.text);
  const std::string_view closest = closest_name(written, names);
  std::vector<MeantValue> meant;
  const auto add_where = [&](auto&& is_near) {
    for (const Node& choice : fact.choices)
      if (meant.size() < 3 && choice.is_string() && is_near(std::string_view(choice.text)))
        meant.push_back({false, choice});
  };
  if (!closest.empty()) {
    add_where([&](std::string_view choice) { return choice == closest; });
    return meant;
  }
  if (written.size() < 2) return meant;
  add_where([&](std::string_view choice) {
    return choice.starts_with(written) || (choice.size() > 2 && written.starts_with(choice));
  });
  if (meant.empty() && written.size() >= 3)
    add_where([&](std::string_view choice) {
      return choice.starts_with(written.front()) && holds_in_order(choice, written);
    });
  return meant;
}

// The integer that `8.0` and `8x` begin with.
std::vector<MeantValue> leading_integer(std::string_view written) {
  std::int64_t number = 0;
  const char* const end = written.data() + written.size();
  const auto [rest, fault] = std::from_chars(written.data(), end, number);
  if (fault != std::errc()) return {};
  std::string_view tail(rest, static_cast<std::size_t>(end - rest));
  if (tail.starts_with('.')) {
    tail.remove_prefix(1);
    if (tail.find_first_not_of('0') != std::string_view::npos) return {};
  } else if (tail.size() > 1 || tail.find_first_of("kKmMgGtTbB%") != std::string_view::npos) {
    return {};
  }
  Node value;
  value.kind = NodeKind::integer;
  value.integer = number;
  value.text = std::to_string(number);
  return {{false, std::move(value)}};
}

}  // namespace

bool is_number(const FactDeclaration& fact) {
  return fact.type.kind == TypeKind::integer || fact.type.kind == TypeKind::real;
}

bool denies(std::string_view word) {
  constexpr std::array<std::string_view, 4> kDenials = {"false", "no", "off", "0"};
  return std::find(kDenials.begin(), kDenials.end(), lowered(word)) != kDenials.end();
}

std::vector<MeantValue> meant_values(const FactDeclaration& fact, const LaunchArgument& written) {
  if (fact.type.kind == TypeKind::boolean) {
    if (denies(written.value.text)) return {{true, {}}};
    if (written.value.kind == NodeKind::boolean) return {{false, written.value}};
    return {};
  }
  if (!fact.choices.empty()) return near_choices(fact, written.value.text);
  if (fact.type.kind == TypeKind::integer) return leading_integer(written.value.text);
  return {};
}

}  // namespace assay
