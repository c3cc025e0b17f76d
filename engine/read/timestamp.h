// Times as records write them: RFC 3339 in UTC, "2026-08-28T05:10:05.995Z".
#pragma once

#include <string_view>

namespace assay {

// Year to second, an optional fraction, `Z`; every field in its range (the month's own length is
// not looked at).
bool is_timestamp(std::string_view text);

// Both are timestamps.
bool is_earlier(std::string_view a, std::string_view b);

}  // namespace assay
