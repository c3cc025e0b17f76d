// Equality and order of values, as the language defines them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "engine/model/value.h"

namespace assay {

// `a == b`: numbers compare by value whatever their types; other values of different kinds differ;
// NaN equals nothing. Lists compare element by element, maps key by key. `budget` falls by the
// number of values and bytes looked at; at 0 the comparison gives up and says false.
bool values_equal(const Value& a, const Value& b, std::uint64_t& budget);
bool values_equal(const Value& a,
                  const Value& b);  // without a budget: for values we made ourselves

// The order of two values of `<`: numbers of any types, two strings, bytes or bools. None: they
// have no order. `unordered`: one is NaN.
std::optional<std::partial_ordering> compare_values(const Value& a, const Value& b);

bool is_number(const Value& value);
bool is_map_key(const Value& value);  // bool, int, uint, string
// The entry of `map` under `key`, or null. A number finds a key of another number type.
const Value* find_entry(const Value& map, const Value& key, std::uint64_t& budget);

}  // namespace assay
