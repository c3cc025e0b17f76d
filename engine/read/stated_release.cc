// Every mention of the engine's name is judged by what stands right behind it: an image's tag
// (`sglang:v0.5.21-cu129`), a field (`sglang: 0.5.21`, `SGLANG_VERSION=0.5.21`), pip's
// `sglang==0.5.21` and `sglang-0.5.21`, `SGLang version 0.5.21`, `SGLang API server version
// 0.5.21`. Lines of pip that speak of another release than the installed one are passed over.
#include "engine/read/stated_release.h"

#include <algorithm>
#include <array>

#include "engine/base/ascii.h"
#include "engine/base/version.h"

namespace assay {
namespace {

constexpr std::size_t kMaxStated = 64;
constexpr std::size_t kMaxMentions = 100'000;
constexpr std::size_t kMaxLine = 4096;  // bytes of a line that are looked at around a mention

// A line with one of these speaks of a release that does not run, or may not.
constexpr std::array<std::string_view, 12> kDoubts = {
    "collecting ", "uninstall", "existing installation", "requires",  "requirement", "depends",
    "upgrade",     "please",    "incompatible",          "supported", "deprecated",  "since "};

bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// The release number at the beginning of `text`, with two points at least; empty: none.
std::string_view release_at(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && (is_digit(text[size]) || text[size] == '.')) ++size;
  for (const std::string_view part : {"post", "rc", "dev"}) {
    if (!text.substr(size).starts_with(part)) continue;
    size += part.size();
    while (size < text.size() && is_digit(text[size])) ++size;
  }
  while (size > 0 && text[size - 1] == '.') --size;
  text = text.substr(0, size);
  const bool is_release = !text.empty() && is_digit(text.front()) && text.size() < 32 &&
                          std::count(text.begin(), text.end(), '.') >= 2 && parse_version(text);
  return is_release ? text : std::string_view();
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// What stands behind the word `version` and its punctuation.
std::string_view behind_version(std::string_view rest) {
  for (const std::string_view mark : {":", "=", "is ", "'", "\""}) {
    rest = without_blanks(rest);
    if (rest.starts_with(mark)) rest.remove_prefix(mark.size());
  }
  return without_blanks(rest);
}

// `rest` is the line behind a mention, `before` the line in front of it.
std::string_view stated_behind(std::string_view rest, std::string_view before) {
  if (rest.starts_with("==")) return release_at(rest.substr(2));
  if (rest.starts_with(':')) return release_at(without_blanks(rest.substr(1)));
  if (rest.starts_with('-')) {
    const std::string_view release = release_at(rest.substr(1));
    if (release.empty()) return {};
    const std::string_view behind = rest.substr(1 + release.size());
    const bool is_installed = lowered(before).find("installed") != std::string::npos;
    return is_installed || behind.starts_with(".dist-info") ? release : std::string_view();
  }
  const std::string low = lowered(rest.substr(0, 40));
  if (low.starts_with("_version") || low.starts_with("-version"))
    return release_at(behind_version(rest.substr(8)));
  for (const std::string_view words : {" version", " api server version", " server version"})
    if (low.starts_with(words)) return release_at(behind_version(rest.substr(words.size())));
  if (low.starts_with(" v")) return release_at(rest.substr(1));
  return {};
}

}  // namespace

std::vector<StatedRelease> find_stated_releases(std::string_view text, std::string_view name) {
  std::vector<StatedRelease> stated;
  const std::string wanted = lowered(name);
  if (wanted.empty()) return stated;
  const auto same = [](char a, char b) { return to_lower(a) == b; };
  auto from = text.begin();
  for (std::size_t i = 0; i < kMaxMentions && stated.size() < kMaxStated; ++i) {
    const auto found = std::search(from, text.end(), wanted.begin(), wanted.end(), same);
    if (found == text.end()) break;
    const auto at = static_cast<std::size_t>(found - text.begin());
    from = found + static_cast<std::ptrdiff_t>(wanted.size());
    if (at > 0 && is_word(text[at - 1])) continue;
    const std::size_t end = at + wanted.size();
    std::string_view rest = text.substr(end, kMaxLine);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.empty() || is_letter(rest.front())) continue;
    std::string_view before = text.substr(at - std::min(at, kMaxLine), std::min(at, kMaxLine));
    before.remove_prefix(before.rfind('\n') + 1);
    const std::string_view release = stated_behind(rest, before);
    if (release.empty()) continue;
    const std::string whole = lowered(before) + lowered(rest);
    if (std::ranges::any_of(kDoubts, [&](std::string_view doubt) {
          return whole.find(doubt) != std::string::npos;
        }))
      continue;
    const auto stop = static_cast<std::size_t>(release.data() - text.data()) + release.size();
    stated.push_back({std::string(release), at, stop});
  }
  return stated;
}

const StatedRelease* release_stated_for(const std::vector<StatedRelease>& stated,
                                        std::size_t launch) {
  const auto behind =
      std::ranges::find_if(stated, [&](const StatedRelease& one) { return one.begin >= launch; });
  if (behind != stated.begin()) return &*std::prev(behind);
  if (behind == stated.end()) return nullptr;
  const bool is_told_once = std::all_of(behind, stated.end(), [&](const StatedRelease& one) {
    return one.release == behind->release;
  });
  return is_told_once ? &*behind : nullptr;
}

GivenFact release_fact(const StatedRelease& stated, SourceId source, std::size_t line) {
  const Span span{source, static_cast<std::uint32_t>(stated.begin),
                  static_cast<std::uint32_t>(stated.end)};
  Node version;
  version.kind = NodeKind::string;
  version.quoted = true;
  version.span = span;
  version.text = stated.release;
  return {"version.engine", std::move(version), Origin::argument, span,
          "version from line " + std::to_string(line)};
}

}  // namespace assay
