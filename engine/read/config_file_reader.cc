// The file becomes a source of its own, so that its faults show its lines. Keys are those of any
// map of arguments.
#include "engine/read/config_file_reader.h"

#include "engine/read/argument_map_reader.h"
#include "engine/text/yaml_reader.h"

namespace assay {

namespace {
constexpr std::size_t kMaxConfigBytes = 16u << 20;
}

void read_config_file(SourceSet& sources, const FileSystem& files, const std::string& path,
                      const PackRelease& release, Span flag_value, Launch& launch) {
  const RulePack& pack = release.pack();
  launch.has_unseen_arguments = true;  // until it is read
  const auto source = add_file(sources, files, path, kMaxConfigBytes);
  if (!source) {
    Diagnostic fault = source.error().front();
    fault.span = flag_value;
    launch.faults.push_back({std::move(fault), {}, pack.config_flag});
    return;
  }
  const auto map = read_yaml(sources, *source);
  if (!map) {
    for (const Diagnostic& fault : map.error())
      launch.faults.push_back({fault, {}, pack.config_flag});
    return;
  }
  if (map->kind != NodeKind::mapping) {
    Diagnostic fault =
        make_error(code::wrong_type, map->span,
                   "a map of arguments is expected, this is " + std::string(to_string(map->kind)));
    launch.faults.push_back({std::move(fault), {}, pack.config_flag});
    return;
  }
  launch.has_unseen_arguments = false;
  read_argument_map(*map, release, UnknownKeys::refused, MapUse::config_file, launch);
}

}  // namespace assay
