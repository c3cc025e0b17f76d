// Finds the engine a command starts, through wrappers and `bash -c`, and reads its arguments.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/launch.h"
#include "engine/read/container_facts.h"
#include "engine/read/launch_reader.h"
#include "engine/text/shell_words.h"

namespace assay {

// Words that start something, from wherever they came.
struct WordedCommand {
  std::vector<ShellWord> words;
  std::vector<EnvironmentSetting> environment;  // set around it
  LaunchForm form = LaunchForm::shell;
  std::vector<Enclosure> enclosures;
  Span span;  // of the launch that is made of it
  std::string label;
  std::string image;  // the container's image, which may name the engine; may be empty
  Span image_span;
  bool image_tells_release = true;  // false: something else is installed over it
  std::optional<GpuShare> gpus;     // what the container gets
  bool is_elsewhere = false;  // in a container, on another machine: what files it names is not here
};

// Every launch that `command` makes: none, one, or several (`bash -c "a & b"`).
std::vector<Launch> read_worded_command(SourceSet& sources, const WordedCommand& command,
                                        const LaunchReading& reading, Diagnostics& warnings);
// Every launch of shell text.
std::vector<Launch> read_shell_text(SourceSet& sources, const MappedText& text,
                                    const LaunchReading& reading, const WordedCommand& surroundings,
                                    Diagnostics& warnings);

}  // namespace assay
