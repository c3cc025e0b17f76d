// A file that is shorter than the record's line is of another version, and not shown. Paths come
// from records, so none may lead out of the checkout.
#include "engine/report/source_checkout.h"

#include <algorithm>
#include <string_view>

namespace assay {
namespace {

constexpr std::int64_t kContextLines = 18;  // of an excerpt, on each side
constexpr std::size_t kMaxSourceBytes = 8u << 20;

bool is_plain_relative_path(std::string_view path) {
  return !path.empty() && path[0] != '/' && path.find("..") == std::string_view::npos &&
         path.find('\0') == std::string_view::npos;
}

}  // namespace

ErrorRecord with_source_excerpt(ErrorRecord record, const FileSystem& files,
                                const std::string& root) {
  if (record.source_code || !record.file_path || record.line_number.value_or(0) < 1) return record;
  if (!is_plain_relative_path(*record.file_path)) return record;
  const std::string path = root + "/" + *record.file_path;
  if (!files.is_file(path)) return record;
  const auto text = files.read_file(path, kMaxSourceBytes);
  if (!text) return record;
  const std::int64_t first = std::max<std::int64_t>(1, *record.line_number - kContextLines);
  const std::int64_t last = *record.line_number + kContextLines;
  std::string excerpt;
  std::int64_t line = 0;
  std::string_view rest = *text;
  while (!rest.empty() && line < last) {
    const auto newline = rest.find('\n');
    ++line;
    if (line >= first) {
      if (line > first) excerpt += '\n';
      excerpt += rest.substr(0, newline);
    }
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  if (line < *record.line_number) return record;  // another version of the file
  record.source_code = std::move(excerpt);
  record.source_code_start = first;
  record.source_code_end = line;
  return record;
}

}  // namespace assay
