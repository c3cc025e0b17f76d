// The files of the site for programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/retirement.h"
#include "engine/report/site_document.h"
#include "engine/report/site_index.h"

namespace assay {

inline constexpr int kSiteFormatVersion = 1;

// api/index.json: where the page and the data of each record, rule and contract are.
std::string api_index(const SiteIndex& index, const Retirement& retirement);
// api/errors/<id>.json of a record that is gone.
std::string retired_json(const RetiredRecord& retired, std::string_view dataset_version);
// api/openapi.json: how the files are asked for.
std::string openapi_json(std::string_view dataset_version);
// llms.txt: what is here, for language models.
std::string llms_text(const SiteIndex& index);
// The protocol allows 50,000 pages a file: with more, sitemap.xml is an index of several.
inline constexpr std::size_t kMaxSitemapPages = 50000;
std::size_t sitemap_count(std::size_t pages);
std::string sitemap_name(std::size_t at, std::size_t count);
// The pages of the `at`-th sitemap; `paths` without extension.
std::string sitemap_xml(const std::vector<std::string>& paths, std::size_t at,
                        std::string_view base_url);
std::string sitemap_index_xml(std::size_t count, std::string_view base_url);

}  // namespace assay
