// The files of the site that are the same for all knowledge: its style sheet and its script. They
// are kept in site_assets/ and compiled in (site_assets/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace assay {

struct SiteAsset {
  std::string_view name;  // of the file in the site's root
  std::string_view content;
};

std::span<const SiteAsset> site_assets();

}  // namespace assay
