// A pack's arguments as one release of the engine has them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/version.h"
#include "engine/model/rule_pack.h"

namespace assay {

// Remembers what it was asked for, so it is for one thread. The pack must outlive it.
class PackRelease {
 public:
  // `release`: empty, or no version: the newest that the pack covers. One outside of what it covers
  // has what its side of every range says.
  explicit PackRelease(const RulePack& pack, std::string_view release = {});

  const RulePack& pack() const { return pack_; }
  // What the release is called: "0.5.20"; empty where neither it nor the pack says.
  const std::string& name() const { return name_; }

  // Does it have the argument, choice or flag? A fact that is no argument is in every release.
  bool has(FactId id) const { return contains(pack_.schema.facts[id].versions); }
  bool has_choice(FactId id, std::string_view choice) const;
  // The declaration with this release's flags, choices and default. An argument that the release
  // lacks has no flags. The reference is good while this is.
  const FactDeclaration& fact(FactId id) const;

  // Where it is known that only other releases have the flag, choice or argument: "0.5.20 does not
  // have it: it came with 0.5.22." Empty where no release does, or this one.
  std::string absence_of_flag(std::string_view spelling) const;
  std::string absence_of_choice(FactId id, std::string_view choice) const;
  std::string absence_of_argument(FactId id) const;

 private:
  bool contains(std::string_view range) const;
  std::string absence(std::string_view range) const;

  const RulePack& pack_;
  std::string name_;
  std::optional<Version> version_;
  mutable std::unordered_map<FactId, std::unique_ptr<const FactDeclaration>> adapted_;
};

}  // namespace assay
