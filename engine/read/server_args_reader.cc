// The dump is one long line that terminals, log viewers and compose break anywhere: line ends are
// taken out before it is read, together with the prefix that compose repeats on every line.
#include "engine/read/server_args_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/base/byte_set.h"
#include "engine/base/version.h"
#include "engine/read/argument_map_reader.h"
#include "engine/read/python_literal_reader.h"
#include "engine/read/stated_release.h"
#include "engine/text/byte_scan.h"

namespace assay {
namespace {

constexpr std::size_t kMaxDumpBytes = 256u << 10;
constexpr std::size_t kMaxDumps = 64;

struct Marker {
  std::string_view text;  // what stands before the value
  std::size_t value_at;   // where the value starts in it
  LaunchStage stage;
};
constexpr std::array kMarkers = {
    Marker{"ServerArgs(", 0, LaunchStage::resolved},
    Marker{"non-default args: {", 18, LaunchStage::raw},
};

constexpr std::string_view kVersionKey = "version";  // of a /server_info

bool names_release(const Node& document) {
  const Node* version = document.find(kVersionKey);
  return version != nullptr && version->kind == NodeKind::string &&
         version->text.find('.') != std::string::npos && parse_version(version->text).has_value();
}

// "sglang-1  | " in front of the line at `line_begin`; empty when there is none.
std::string_view compose_prefix(std::string_view text, std::size_t line_begin) {
  const std::string_view head = text.substr(line_begin, 80);
  const auto bar = head.find("| ");
  if (bar == std::string_view::npos || head.find('\n') < bar) return {};
  const auto name_end = head.find_first_of(" |");
  const bool is_name = head.substr(0, bar).find_first_not_of(' ', name_end) >= bar;
  return is_name && name_end > 0 ? head.substr(0, bar + 2) : std::string_view();
}

// The text from `begin` on, its lines joined.
MappedText join_lines(std::string_view text, SourceId source, std::size_t begin) {
  const auto line_begin = text.rfind('\n', begin);
  const std::string_view prefix =
      compose_prefix(text, line_begin == std::string_view::npos ? 0 : line_begin + 1);
  MappedText joined;
  text = text.substr(0, begin + kMaxDumpBytes);
  for (auto at = begin; at < text.size();) {
    const std::size_t end = std::min(kLineEnds.find_in(text, at), text.size());
    const std::string_view piece = text.substr(at, end - at);
    joined.append(MappedText::verbatim(source, static_cast<std::uint32_t>(at), piece), 0,
                  piece.size());
    at = end + 1;
    const bool is_feed = end < text.size() && text[end] == '\n';
    if (is_feed && !prefix.empty() && text.substr(at).starts_with(prefix)) at += prefix.size();
  }
  return joined;
}

void note_unknown_fields(const Node& map, const RulePack& pack, Diagnostics& warnings) {
  std::vector<const Entry*> unknown;
  for (const Entry& entry : map.entries)
    if (!names_argument(entry.key, pack) && entry.key != kVersionKey) unknown.push_back(&entry);
  if (unknown.empty()) return;
  const bool is_one = unknown.size() == 1;
  std::string message = std::to_string(unknown.size()) + (is_one ? " field is" : " fields are") +
                        " not known to the rules of " + pack.name + " and passed over: ";
  for (std::size_t i = 0; i < unknown.size() && i < 5; ++i)
    message += (i == 0 ? "" : ", ") + unknown[i]->key;
  if (unknown.size() > 5) message += ", ...";
  warnings.push_back(
      {Severity::note, code::unknown_key, unknown[0]->key_span, std::move(message), {}, {}});
}

Launch launch_of(const Node& map, const PackRelease& release, LaunchStage stage,
                 Diagnostics& warnings) {
  const RulePack& pack = release.pack();
  Launch launch;
  launch.pack = pack.name;
  launch.release = release.name();
  launch.stage = stage;
  launch.form = LaunchForm::dump;
  launch.span = map.span;
  read_argument_map(map, release, UnknownKeys::ignored, MapUse::keywords, launch);
  note_unknown_fields(map, pack, warnings);
  return launch;
}

}  // namespace

const RulePack* closest_pack(const Node& map, std::span<const RulePack* const> packs,
                             std::size_t& named) {
  const RulePack* closest = nullptr;
  named = 0;
  for (const RulePack* pack : packs) {
    const std::size_t count = count_arguments(map, *pack);
    if (count <= named) continue;
    named = count;
    closest = pack;
  }
  return closest;
}

bool holds_dump(std::string_view text) {
  return std::any_of(kMarkers.begin(), kMarkers.end(), [&](const Marker& marker) {
    return text.find(marker.text) != std::string_view::npos;
  });
}

std::vector<Launch> read_dumps(const SourceSet& sources, SourceId source,
                               const LaunchReading& reading, Diagnostics& warnings,
                               std::size_t first_line) {
  const std::string_view text = sources.get(source).text();
  std::vector<Launch> launches;
  std::set<std::string> seen;
  std::map<const RulePack*, std::vector<StatedRelease>> stated;
  for (const Marker& marker : kMarkers) {
    auto begin = text.find(marker.text);
    for (std::size_t i = 0; i < kMaxDumps && begin != std::string_view::npos; ++i) {
      const MappedText joined = join_lines(text, source, begin);
      const PythonReading dump = read_python_literal(joined, marker.value_at);
      std::size_t named = 0;
      const RulePack* pack = closest_pack(dump.value, reading.packs, named);
      const bool is_new = seen.insert(joined.text().substr(0, dump.end)).second;
      if (pack != nullptr && is_new) {
        const auto [releases, is_first] = stated.try_emplace(pack);
        if (is_first && reading.release.empty())
          releases->second = find_stated_releases(text, pack->name);
        const StatedRelease* told = release_stated_for(releases->second, begin);
        const PackRelease release(*pack, told == nullptr ? reading.release : told->release);
        launches.push_back(launch_of(dump.value, release, marker.stage, warnings));
        const auto start = static_cast<std::uint32_t>(begin);
        launches.back().span = {source, start, joined.span(0, dump.end).end};
        if (told != nullptr)
          launches.back().facts.push_back(release_fact(
              *told, source, first_line + count_line_feeds(text.substr(0, told->begin))));
        if (!dump.is_complete)
          warnings.push_back({Severity::warning,
                              code::invalid_value,
                              joined.span(0, marker.text.size()),
                              "the dump is cut off; the fields behind the cut are unknown",
                              {},
                              {}});
      }
      begin = text.find(marker.text, begin + marker.text.size());
    }
  }
  return launches;
}

bool is_server_info(const Node& document) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "internal_states",   "scheduler_info", "last_gen_throughput", "server_args",
      "max_req_input_len", "launch_command", "startup_time",        "max_total_num_tokens"};
  return document.kind == NodeKind::mapping &&
         (names_release(document) ||
          std::any_of(kKeys.begin(), kKeys.end(),
                      [&](std::string_view key) { return document.find(key) != nullptr; }));
}

Result<std::vector<Launch>> read_server_info(const Node& document, const LaunchReading& reading,
                                             Diagnostics& warnings) {
  const Node* map = document.find("server_args");
  if (map == nullptr || map->kind != NodeKind::mapping) map = &document;
  std::size_t named = 0;
  const RulePack* pack = closest_pack(*map, reading.packs, named);
  if (pack == nullptr)
    return make_error(code::not_a_launch, document.span,
                      "no key of this JSON object is an argument of a known engine");
  const Node* version = document.find(kVersionKey);
  if (version == nullptr) version = map->find(kVersionKey);
  const bool is_told =
      version != nullptr && version->kind == NodeKind::string && parse_version(version->text);
  const PackRelease release(*pack,
                            is_told && reading.release.empty() ? version->text : reading.release);
  std::vector<Launch> launches;
  launches.push_back(launch_of(*map, release, LaunchStage::resolved, warnings));
  if (version == nullptr) return launches;
  if (is_told)
    launches.back().facts.push_back(
        {"version.engine", *version, Origin::argument, version->span, "/server_info"});
  else
    warnings.push_back({Severity::warning,
                        code::invalid_value,
                        version->span,
                        "this is no version number, so the newest release is assumed",
                        "Say which it is with --engine-version.",
                        {}});
  return launches;
}

}  // namespace assay
