// A launcher is compared word by word. One that is a Python module may be spelt as -m MODULE,
// -mMODULE,
// --module=MODULE or the path of its file, behind options of the interpreter.
#include "engine/read/launcher_match.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/read/launch_wrappers.h"

namespace assay {
namespace {

// Options of the Python interpreter itself, from `at`; the place behind them.
std::size_t skip_python_options(std::span<const ShellWord> words, std::size_t at) {
  while (at < words.size()) {
    const std::string& word = words[at].text();
    if (word == "-X" || word == "-W") {
      at += 2;
      continue;
    }
    const bool has_value = word.starts_with("-X") || word.starts_with("-W");
    const bool is_cluster = word.size() > 1 && word[0] == '-' &&
                            word.find_first_not_of("uOBIsSEvqdbPi", 1) == std::string::npos;
    if (!has_value && !is_cluster) break;
    ++at;
  }
  return std::min(at, words.size());
}

// `rest` (a launcher without its program) against the words at `at`; the place behind it.
std::optional<std::size_t> match_rest(std::span<const std::string> rest,
                                      std::span<const ShellWord> words, std::size_t at) {
  const bool is_module = rest.size() == 2 && rest[0] == "-m";
  if (is_module) {
    at = skip_python_options(words, at);
    if (at >= words.size()) return {};
    std::string path = rest[1];  // the module as a script: .../sglang/launch_server.py
    std::replace(path.begin(), path.end(), '.', '/');
    const std::string& word = words[at].text();
    path += ".py";
    if (word == path || word.ends_with("/" + path)) return at + 1;
    if (word == "-m" + rest[1] || word == "--module=" + rest[1]) return at + 1;
    const bool is_spelt_out = word == "--module" && at + 1 < words.size();  // of torchrun
    if (is_spelt_out && words[at + 1].text() == rest[1]) return at + 2;
  }
  if (words.size() - at < rest.size()) return {};
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (words[at + i].text() != rest[i]) return {};
  return at + rest.size();
}

}  // namespace

std::optional<LauncherMatch> match_launcher(std::span<const RulePack* const> packs,
                                            std::span<const ShellWord> words, std::size_t at,
                                            bool is_python_given) {
  for (const RulePack* pack : packs) {
    for (const Launcher& launcher : pack->launchers) {
      const std::vector<std::string>& shape = launcher.words;
      if (shape.empty() || at >= words.size()) continue;
      const std::span<const std::string> rest(shape.data() + 1, shape.size() - 1);
      const bool is_python = shape[0] == "python";
      if (is_python_given && is_python) {
        if (const auto end = match_rest(rest, words, at))
          return LauncherMatch{pack, &launcher, *end};
      }
      const bool is_program =
          program_name(words[at].text()) == shape[0] || (is_python && words[at].is_unresolved);
      if (!is_program) continue;
      if (const auto end = match_rest(rest, words, at + 1))
        return LauncherMatch{pack, &launcher, *end};
    }
  }
  return {};
}

bool names_engine(std::span<const ShellWord> words, std::span<const RulePack* const> packs) {
  return std::any_of(words.begin(), words.end(), [&](const ShellWord& word) {
    return std::any_of(packs.begin(), packs.end(), [&](const RulePack* pack) {
      if (word.text().find(pack->name) != std::string::npos) return true;
      return std::any_of(pack->launchers.begin(), pack->launchers.end(),
                         [&](const Launcher& launcher) {
                           return !launcher.words.empty() &&
                                  word.text().find(launcher.words.back()) != std::string::npos;
                         });
    });
  });
}

}  // namespace assay
