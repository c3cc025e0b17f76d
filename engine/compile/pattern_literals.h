// What can be said about a pattern without running it: its literal parts, and the text it is
// compiled from. Works on RE2's syntax by a scan of its own, and is conservative: what it does not
// understand only makes it say less.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The literal runs that every match contains, in their order; none when the pattern has
// alternatives at its top level, ignores case, or uses \Q.
std::vector<std::string> required_literals(std::string_view pattern);

// `pattern` with a lazy group at its end, or before a purely literal end, made greedy; else the
// pattern itself.
std::string extend_last_group(std::string_view pattern);

}  // namespace assay
