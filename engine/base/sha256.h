// SHA-256 of a short text: the ids of error records are made of it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// 64 hexadecimal digits in lower case.
std::string sha256_hex(std::string_view text);

}  // namespace assay
