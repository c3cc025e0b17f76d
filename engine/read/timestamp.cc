// In one zone and with fields of fixed width the order of times is the order of their bytes, once
// the `Z` is gone: "05" comes before "05.995", while "05Z" would come after "05.995Z".
#include "engine/read/timestamp.h"

#include <algorithm>

#include "engine/base/ascii.h"

namespace assay {
namespace {

bool fits_form(std::string_view text, std::string_view form) {
  return text.size() == form.size() &&
         std::equal(text.begin(), text.end(), form.begin(),
                    [](char c, char f) { return f == '0' ? is_digit(c) : c == f; });
}

bool is_between(std::string_view two_digits, int low, int high) {
  const int value = (two_digits[0] - '0') * 10 + (two_digits[1] - '0');
  return value >= low && value <= high;
}

std::string_view without_zone(std::string_view text) { return text.substr(0, text.size() - 1); }

}  // namespace

bool is_timestamp(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return false;
  if (!fits_form(text.substr(0, kForm.size()), kForm)) return false;
  const std::string_view fraction = without_zone(text).substr(kForm.size());
  if (!fraction.empty() && (fraction.size() < 2 || fraction.front() != '.' ||
                            !std::all_of(fraction.begin() + 1, fraction.end(), is_digit)))
    return false;
  return is_between(text.substr(5), 1, 12) && is_between(text.substr(8), 1, 31) &&
         is_between(text.substr(11), 0, 23) && is_between(text.substr(14), 0, 59) &&
         is_between(text.substr(17), 0, 60);
}

bool is_earlier(std::string_view a, std::string_view b) {
  return without_zone(a) < without_zone(b);
}

}  // namespace assay
