// A compiled pack in a bundle: what every check needs in one section, and facts, rules and derived
// facts item by item, to be read when a check asks for them.
#pragma once

#include <cstdint>

#include "engine/compile/bundle_reader.h"
#include "engine/compile/bundle_writer.h"
#include "engine/compile/compiled_pack.h"

namespace assay {

class PackBundle {
 public:
  // Adds the sections of `pack` with the number `owner`. `silent_walk`: what CompiledPack's
  // stored_walk() will read; may be empty.
  static void write(const CompiledPack& pack, std::uint32_t owner, const BundleWriting& writing,
                    std::string silent_walk, BundleBuilder& builder);
  // The pack with that number. `reading` is that of the whole bundle, whose file must outlive the
  // pack. Null when what is there is no pack.
  static CompiledPackPtr open(const BundleReading& reading, std::uint32_t owner);

 private:
  template <class Archive>
  static void visit(Archive& archive, CompiledPack& pack);
  static bool is_consistent(const CompiledPack& pack);
  static bool are_slots_consistent(const CompiledPack& pack);
  static bool are_stages_consistent(const CompiledPack& pack);
};

}  // namespace assay
