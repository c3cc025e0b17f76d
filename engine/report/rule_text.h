// A rule's parts as text, the same in every report.
#pragma once

#include <string>

#include "engine/model/rule.h"

namespace assay {

// As a literal of the expression language.
std::string literal_text(const Node& node);
// "kv_cache_dtype = \"fp8_e4m3\"", "leave out attention_backend"
std::string assignment_text(const Assignment& assignment);
// The whole condition as one piece of CEL: names first, then when, then what must hold.
std::string rule_condition(const Rule& rule);

}  // namespace assay
