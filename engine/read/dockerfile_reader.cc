// Instructions first: a line goes on behind a backslash, and comment lines in between are no part
// of it. A JSON list that goes over several lines is read from a copy of the text with blanks in
// place of what the lines are joined by, so that every place stays the same. Build arguments have
// no value when a container starts, and ONBUILD, here-documents and SHELL are not followed.
#include "engine/read/dockerfile_reader.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/base/ascii.h"
#include "engine/read/launch_command_reader.h"
#include "engine/read/scalar_text.h"
#include "engine/text/json_reader.h"
#include "engine/text/shell_words.h"

namespace assay {
namespace {

constexpr std::size_t kMaxImageLaunches = 256;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

struct Instruction {
  std::string name;         // "CMD"
  std::uint32_t begin = 0;  // of what stands behind the name
  std::uint32_t end = 0;
};

class DockerfileReader {
 public:
  DockerfileReader(SourceSet& sources, SourceId source, const LaunchReading& reading,
                   Diagnostics& warnings)
      : sources_(sources),
        source_(source),
        reading_(reading),
        warnings_(warnings),
        text_(sources.get(source).text()),
        joined_(text_) {}

  std::vector<Launch> read() {
    std::vector<Instruction> instructions = find_instructions();
    joined_source_ = sources_.add(sources_.get(source_).name(), joined_);
    for (const Instruction& one : instructions) follow(one);
    end_stage();
    return std::move(launches_);
  }

 private:
  std::vector<Instruction> find_instructions();
  void follow(const Instruction& instruction);
  void begin_stage(const std::vector<ShellWord>& words);
  bool installs_engine(const Instruction& instruction) const;
  void set_environment(const Instruction& instruction);
  void end_stage();
  bool is_list(const Instruction& one) const { return text_[one.begin] == '['; }
  // Appends the words of a list; false when it is none, which makes it shell text.
  bool add_words(const Instruction& instruction, WordedCommand& command);
  void read_shell(const Instruction& instruction, WordedCommand command);
  // Blanks in place of [begin, end).
  void join(std::size_t begin, std::size_t end) {
    std::fill(joined_.begin() + static_cast<std::ptrdiff_t>(begin),
              joined_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }

  SourceSet& sources_;
  const SourceId source_;
  const LaunchReading& reading_;
  Diagnostics& warnings_;
  const std::string text_;
  std::string joined_;  // the same with its instructions on one line each
  SourceId joined_source_ = kNoSource;
  WordedCommand stage_;  // what surrounds its command
  struct BaseImage {
    std::string image;
    Span span;
    bool tells_release = true;
  };
  std::map<std::string, BaseImage> named_stages_;  // by name
  std::string stage_name_;
  std::optional<Instruction> entrypoint_;
  std::optional<Instruction> command_;
  std::vector<Launch> launches_;
};

std::vector<Instruction> DockerfileReader::find_instructions() {
  std::vector<Instruction> instructions;
  bool goes_on = false;
  std::size_t at = 0;
  std::size_t join_from = 0;  // the backslash at the end of the line before
  while (at < text_.size()) {
    const auto line_end = std::min(text_.find('\n', at), text_.size());
    auto begin = at, end = line_end;
    at = std::min(line_end + 1, text_.size());
    while (begin < end && is_line_space(text_[begin])) ++begin;
    while (end > begin && is_line_space(text_[end - 1])) --end;
    const bool is_skipped = begin == end || text_[begin] == '#';
    if (is_skipped) continue;
    const bool ends_open = text_[end - 1] == '\\';
    if (goes_on) {
      join(join_from, begin);
    } else {
      auto name_end = begin;
      while (name_end < end && !is_line_space(text_[name_end])) ++name_end;
      auto arguments = name_end;
      while (arguments < end && is_line_space(text_[arguments])) ++arguments;
      instructions.push_back({upper(std::string_view(text_).substr(begin, name_end - begin)),
                              static_cast<std::uint32_t>(arguments), 0});
    }
    goes_on = ends_open;
    join_from = end - 1;
    if (ends_open) --end;
    instructions.back().end = std::max(instructions.back().begin, static_cast<std::uint32_t>(end));
  }
  return instructions;
}

void DockerfileReader::follow(const Instruction& instruction) {
  if (instruction.name == "FROM") {
    end_stage();
    const MappedText text = MappedText::verbatim(
        joined_source_, instruction.begin,
        std::string_view(joined_).substr(instruction.begin, instruction.end - instruction.begin));
    Diagnostics unshown;
    std::vector<ShellWord> words;  // IMAGE, perhaps AS and a name
    for (const ShellCommand& command : split_shell(text, unshown).commands)
      for (const ShellWord& word : command.words)
        if (!word.text().starts_with("--")) words.push_back(word);
    begin_stage(words);
  }
  if (instruction.begin >= instruction.end) return;
  if (instruction.name == "RUN" && installs_engine(instruction)) stage_.image_tells_release = false;
  if (instruction.name == "ENV") set_environment(instruction);
  if (instruction.name == "ENTRYPOINT") {
    entrypoint_ = instruction;
    command_.reset();  // what the image brought for its own one
  }
  if (instruction.name == "CMD") command_ = instruction;
}

// The image of a stage that is made from another is that one's.
void DockerfileReader::begin_stage(const std::vector<ShellWord>& words) {
  stage_.is_elsewhere = true;
  if (words.empty()) return;
  stage_.image = words[0].text();
  stage_.image_span = words[0].span;
  stage_.label = "image from `" + stage_.image + "`";
  if (words.size() > 2 && upper(words[1].text()) == "AS") stage_name_ = words[2].text();
  const auto base = named_stages_.find(stage_.image);
  if (base == named_stages_.end()) return;
  stage_.image = base->second.image;
  stage_.image_span = base->second.span;
  stage_.image_tells_release = base->second.tells_release;
}

// `RUN pip install sglang==0.5.12`: another release than the image's, most likely.
bool DockerfileReader::installs_engine(const Instruction& instruction) const {
  const std::string_view text =
      std::string_view(joined_).substr(instruction.begin, instruction.end - instruction.begin);
  return text.find("install") != std::string_view::npos &&
         std::any_of(reading_.packs.begin(), reading_.packs.end(), [&](const RulePack* pack) {
           return text.find(pack->name) != std::string_view::npos;
         });
}

// ENV NAME=value ..., or ENV NAME value.
void DockerfileReader::set_environment(const Instruction& instruction) {
  const MappedText text = MappedText::verbatim(
      source_, instruction.begin,
      std::string_view(joined_).substr(instruction.begin, instruction.end - instruction.begin));
  Diagnostics unshown;
  for (const ShellCommand& command : split_shell(text, unshown).commands) {
    for (const ShellAssignment& one : command.assignments)
      stage_.environment.push_back(
          {one.name, one.value.text(), one.span, !one.value.is_unresolved});
    if (command.words.size() < 2 || !command.assignments.empty()) continue;
    std::string value;
    for (std::size_t i = 1; i < command.words.size(); ++i)
      value += (i == 1 ? "" : " ") + command.words[i].text();
    stage_.environment.push_back(
        {command.words[0].text(), std::move(value), command.span, !command.words[1].is_unresolved});
  }
}

bool DockerfileReader::add_words(const Instruction& instruction, WordedCommand& command) {
  if (!is_list(instruction)) return false;
  const auto list = read_json_at(sources_, {joined_source_, instruction.begin, instruction.end});
  if (!list || list->kind != NodeKind::sequence) return false;
  for (const Node& item : list->items) {
    if (!item.is_string()) return false;
    ShellWord word;
    ScalarText text = read_scalar_text(sources_, item);
    word.span = {source_, item.span.begin, item.span.end};
    word.is_substituted = !text.has_places;
    // The same places, of the file itself.
    if (text.content.is_verbatim() && !text.content.text().empty())
      word.content = MappedText::verbatim(source_, text.content.span().begin, text.content.text());
    else
      word.content = MappedText::opaque(word.span, item.text);
    command.words.push_back(std::move(word));
  }
  const Span span{source_, instruction.begin, instruction.end};
  if (!command.span.is_known()) command.span = span;
  command.span.begin = std::min(command.span.begin, span.begin);
  command.span.end = std::max(command.span.end, span.end);
  command.form = LaunchForm::word_list;
  return true;
}

void DockerfileReader::read_shell(const Instruction& instruction, WordedCommand command) {
  const std::string_view text =
      std::string_view(joined_).substr(instruction.begin, instruction.end - instruction.begin);
  command.form = LaunchForm::shell;
  command.span = {source_, instruction.begin, instruction.end};
  auto found = read_shell_text(sources_, MappedText::verbatim(source_, instruction.begin, text),
                               reading_, command, warnings_);
  for (Launch& launch : found) launches_.push_back(std::move(launch));
}

void DockerfileReader::end_stage() {
  if (launches_.size() < kMaxImageLaunches && (entrypoint_ || command_)) {
    WordedCommand words = stage_;
    const bool has_list = entrypoint_ && add_words(*entrypoint_, words);
    if (entrypoint_ && !has_list) {
      read_shell(*entrypoint_, stage_);  // CMD has no part in it
    } else if (command_ && !add_words(*command_, words) && !has_list) {
      read_shell(*command_, stage_);
    } else {
      auto found = read_worded_command(sources_, words, reading_, warnings_);
      for (Launch& launch : found) launches_.push_back(std::move(launch));
    }
  }
  if (!stage_name_.empty())
    named_stages_[stage_name_] = {stage_.image, stage_.image_span, stage_.image_tells_release};
  stage_name_.clear();
  stage_ = {};
  entrypoint_.reset();
  command_.reset();
}

}  // namespace

bool is_dockerfile(std::string_view first_line) {
  const std::string name = upper(first_line.substr(0, first_line.find_first_of(" \t")));
  return (name == "FROM" || name == "ARG") && name.size() < first_line.size();
}

Result<std::vector<Launch>> read_dockerfile(SourceSet& sources, SourceId source,
                                            const LaunchReading& reading, Diagnostics& warnings) {
  auto launches = DockerfileReader(sources, source, reading, warnings).read();
  if (!launches.empty()) return launches;
  const std::string_view text = sources.get(source).text();
  const auto end = static_cast<std::uint32_t>(std::min(text.find('\n'), text.size()));
  return make_error(code::not_a_launch, {source, 0, end},
                    "neither ENTRYPOINT nor CMD of this Dockerfile starts a known engine");
}

}  // namespace assay
