// What somebody meant who wrote a value that the engine's parser refuses.
#pragma once

#include <vector>

#include "engine/model/fact_schema.h"
#include "engine/model/launch.h"

namespace assay {

struct MeantValue {
  bool is_unset = false;  // the argument is to be left out
  Node value;
};

bool is_number(const FactDeclaration& fact);

// Equally likely ones; empty where nothing is near. `written` holds the refused text, or for a
// switch what it stores or the word that denies it.
std::vector<MeantValue> meant_values(const FactDeclaration& fact, const LaunchArgument& written);

// `false`, `no`, `off`, `0`, in any case: what people write behind a switch to leave it off.
bool denies(std::string_view word);

}  // namespace assay
