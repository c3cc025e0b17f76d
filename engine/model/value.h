// A value of the expression language: null, bool, int, uint, double, string, bytes, list, map,
// type, and the two results that are not values, error and unknown. 16 bytes, trivially copyable:
// it looks at memory that an Arena owns (the pack's constants, one check's working memory), and is
// good as long as that Arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>

#include "engine/base/check.h"

namespace assay {

enum class ValueKind : std::uint8_t {
  null,
  boolean,
  integer,           // int: signed 64 bits
  unsigned_integer,  // uint: unsigned 64 bits
  real,              // double
  string,            // UTF-8
  bytes,
  list,
  map,
  type,     // what type(x) gives; holds the type's name
  error,    // an evaluation failed; holds the message
  unknown,  // nobody said: holds which facts are missing
};
std::string_view to_string(ValueKind kind);  // CEL's names: "null_type", "bool", "int", ...

class Value;
struct MapEntry;

// Memory for values, freed all at once. `limit_bytes` bounds what one evaluation may take: past it,
// `has_room` is false and the evaluator stops with code::evaluation_budget.
class Arena {
 public:
  // `kept_bytes`: how much stays allocated over `reset`.
  explicit Arena(std::size_t limit_bytes = SIZE_MAX, std::size_t kept_bytes = 0)
      : limit_bytes_(limit_bytes),
        kept_(kept_bytes == 0 ? nullptr : new std::byte[kept_bytes]),
        memory_(kept_.get(), kept_bytes, std::pmr::get_default_resource()) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool has_room(std::size_t bytes) const { return bytes <= limit_bytes_ - used_bytes_; }
  std::size_t used_bytes() const { return used_bytes_; }
  void reset() {
    memory_.release();
    used_bytes_ = 0;
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* memory = allocate_array<char>(text.size());
    std::memcpy(memory, text.data(), text.size());
    return {memory, text.size()};
  }
  // Uninitialised room for `count` trivially destructible T.
  template <class T>
  T* allocate_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    used_bytes_ += count * sizeof(T);
    return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
  }

 private:
  std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
  std::unique_ptr<std::byte[]> kept_;
  std::pmr::monotonic_buffer_resource memory_;
};

class Value {
 public:
  constexpr Value() : kind_(ValueKind::null), size_(0), integer_(0) {}
  static Value null() { return {}; }
  static Value boolean(bool b) {
    Value v(ValueKind::boolean);
    v.integer_ = b;
    return v;
  }
  static Value integer(std::int64_t i) {
    Value v(ValueKind::integer);
    v.integer_ = i;
    return v;
  }
  static Value unsigned_integer(std::uint64_t u) {
    Value v(ValueKind::unsigned_integer);
    v.unsigned_ = u;
    return v;
  }
  static Value real(double d) {
    Value v(ValueKind::real);
    v.real_ = d;
    return v;
  }
  // The following keep a pointer: the memory must outlive the value. Sizes are below 4 GiB.
  static Value string(std::string_view s) { return of_text(ValueKind::string, s); }
  static Value bytes(std::string_view b) { return of_text(ValueKind::bytes, b); }
  static Value type(std::string_view name) { return of_text(ValueKind::type, name); }
  static Value error(std::string_view message) { return of_text(ValueKind::error, message); }
  static Value list(std::span<const Value> items);
  static Value map(std::span<const MapEntry> entries);  // keys unique, in any order
  static Value unknown(
      std::span<const std::uint32_t> slots);  // sorted, unique: the slots that are missing

  ValueKind kind() const { return kind_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  bool is_true() const { return kind_ == ValueKind::boolean && integer_ != 0; }
  bool is_false() const { return kind_ == ValueKind::boolean && integer_ == 0; }

  bool as_boolean() const {
    expect(ValueKind::boolean);
    return integer_ != 0;
  }
  std::int64_t as_integer() const {
    expect(ValueKind::integer);
    return integer_;
  }
  std::uint64_t as_unsigned() const {
    expect(ValueKind::unsigned_integer);
    return unsigned_;
  }
  double as_real() const {
    expect(ValueKind::real);
    return real_;
  }
  std::string_view as_text() const {  // string, bytes, type (its name), error (its message)
    ASSAY_CHECK((kind_ >= ValueKind::string && kind_ <= ValueKind::bytes) ||
                    kind_ == ValueKind::type || kind_ == ValueKind::error,
                "the value has text");
    return {text_, size_};
  }
  std::span<const Value> as_list() const {
    expect(ValueKind::list);
    return {items_, size_};
  }
  std::span<const MapEntry> as_map() const;
  std::span<const std::uint32_t> as_unknown() const {
    expect(ValueKind::unknown);
    return {slots_, size_};
  }

 private:
  explicit Value(ValueKind kind) : kind_(kind), size_(0), integer_(0) {}
  static Value of_text(ValueKind kind, std::string_view text) {
    Value v(kind);
    v.size_ = static_cast<std::uint32_t>(text.size());
    v.text_ = text.data();
    return v;
  }
  void expect(ValueKind kind) const {
    ASSAY_CHECK(kind_ == kind, "the value has the kind asked for");
  }

  ValueKind kind_;
  std::uint32_t size_;
  union {
    std::int64_t integer_;
    std::uint64_t unsigned_;
    double real_;
    const char* text_;
    const Value* items_;
    const MapEntry* entries_;
    const std::uint32_t* slots_;
  };
};
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);

struct MapEntry {
  Value key;
  Value value;
};

inline Value Value::list(std::span<const Value> items) {
  Value v(ValueKind::list);
  v.size_ = static_cast<std::uint32_t>(items.size());
  v.items_ = items.data();
  return v;
}
inline Value Value::map(std::span<const MapEntry> entries) {
  Value v(ValueKind::map);
  v.size_ = static_cast<std::uint32_t>(entries.size());
  v.entries_ = entries.data();
  return v;
}
inline Value Value::unknown(std::span<const std::uint32_t> slots) {
  Value v(ValueKind::unknown);
  v.size_ = static_cast<std::uint32_t>(slots.size());
  v.slots_ = slots.data();
  return v;
}
inline std::span<const MapEntry> Value::as_map() const {
  expect(ValueKind::map);
  return {entries_, size_};
}

}  // namespace assay
