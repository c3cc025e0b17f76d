#include "engine/report/site_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SiteApi, MorePagesThanASitemapMayHaveTakeSeveralAndAnIndexOfThem) {
  EXPECT_EQ(sitemap_count(0), 1u);
  EXPECT_EQ(sitemap_count(kMaxSitemapPages), 1u);
  EXPECT_EQ(sitemap_name(0, 1), "sitemap.xml");
  const std::size_t pages = kMaxSitemapPages + 1;
  ASSERT_EQ(sitemap_count(pages), 2u);
  std::vector<std::string> paths{"index"};
  while (paths.size() < pages) paths.push_back("errors/x/" + std::to_string(paths.size()));
  const std::string first = sitemap_xml(paths, 0, "https://example.org/");
  const std::string second = sitemap_xml(paths, 1, "https://example.org/");
  EXPECT_EQ(count(first, "<loc>"), kMaxSitemapPages);
  EXPECT_EQ(count(second, "<loc>"), 1u);
  EXPECT_THAT(first, HasSubstr("<loc>https://example.org/</loc>"));
  EXPECT_THAT(second, HasSubstr("<loc>https://example.org/errors/x/50000.html</loc>"));
  const std::string index = sitemap_index_xml(2, "https://example.org/");
  EXPECT_THAT(index, HasSubstr("<sitemap><loc>https://example.org/sitemap-1.xml</loc></sitemap>"));
  EXPECT_THAT(index, HasSubstr("<sitemap><loc>https://example.org/sitemap-2.xml</loc></sitemap>"));
  EXPECT_THAT(index, Not(HasSubstr("sitemap-3")));
}

}  // namespace
}  // namespace assay
