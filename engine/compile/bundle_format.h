// The bundle: compiled knowledge in one file (engine/BUNDLE.md describes it). All
// numbers are little-endian; nothing depends on the processor, the compiler or the C++ library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

inline constexpr std::string_view kBundleMagic =
    "\x89"
    "ASSAY\r\n";
// Grows whenever a reader of the older format could misread the newer one: a struct with other
// fields, an opcode or a function with another number, other tables of the matcher.
inline constexpr std::uint32_t kBundleVersion = 4;
inline constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxBundleItemBytes = std::size_t{64} << 20;

inline constexpr std::size_t kBundleHeaderBytes = 64;
inline constexpr std::size_t kBundleEntryBytes = 32;  // of the section table
inline constexpr std::size_t kBundleItemBytes = 16;   // of an item directory

// A section of items has its directory in one section and the items' bytes in the next.
enum class SectionKind : std::uint32_t {
  strings = 1,  // texts that occur more than once
  knowledge,    // what there is, and the names to find it by
  sources,      // items: name and text of each file
  sources_bytes,
  records,  // items
  records_bytes,
  pack,   // of each pack: everything that is needed at once
  facts,  // ... and by item what is needed now and then
  facts_bytes,
  rules,
  rules_bytes,
  compiled_rules,
  compiled_rules_bytes,
  derived_facts,
  derived_facts_bytes,
  silent_walk,  // of each pack: what the first walk of a workspace finds
  matcher,      // literal_tables.h, of all records' patterns
  places,       // the files and folders that the bundle was made from
  support,      // the cells of the support tables
};

}  // namespace assay
