// A shell's text was read as ASCII by split_shell already, which says where. Of a list of words
// each word is read here by the same rules: dashes in front of a flag, quotes around a word or a
// value, blanks anywhere; an apostrophe within a word and a dash within a value are part of them.
#include "engine/read/typography_faults.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/read/launch_faults.h"
#include "engine/text/typography.h"

namespace assay {
namespace {

constexpr std::size_t kMaxCharacters = 200;  // of one list that are told

void add_character(const SourceSet& sources, const Diagnostic::Related& place, Launch& launch) {
  const std::string written(sources.text(place.span));
  const bool is_list = launch.form == LaunchForm::word_list && launch.enclosures.empty();
  const std::string message = "typographic `" + written + "` stands where `" + place.message +
                              "` is meant: " + (is_list ? "it is handed" : "a shell hands it") +
                              " to the engine as it is";
  add_launch_fault(launch, Severity::error, code::typographic_character, place.span, {}, message,
                   "Type `" + place.message + "`.")
      .diagnostic.related = {place};
}

const CommandLaunches* holder_of(std::span<const CommandLaunches> commands, Span span) {
  const auto found = std::ranges::find_if(commands, [&](const CommandLaunches& one) {
    return one.span.source == span.source && one.span.begin <= span.begin &&
           span.end <= one.span.end;
  });
  return found == commands.end() ? nullptr : &*found;
}

// What `text` has at `at`, as it is meant there; nothing where it is part of the word.
struct Meant {
  std::string_view ascii;
  std::size_t size = 0;
  bool is_quote = false;
};
Meant meant_at(std::string_view text, std::size_t at, std::string_view read) {
  const TypographicCharacter found = typographic_at(text.substr(at));
  switch (found.kind) {
    case Typographic::none:
    case Typographic::invisible:
      return {};
    case Typographic::double_quote:
      return {"\"", found.size, true};
    case Typographic::single_quote: {
      const bool is_outside = at == 0 || at + found.size == text.size() || read.ends_with('=');
      return is_outside ? Meant{"'", found.size, true} : Meant{};
    }
    case Typographic::short_dash:
    case Typographic::long_dash: {
      if (read.find_first_not_of('-') != std::string_view::npos) return {};
      const std::string_view rest = text.substr(at + found.size);
      const Typographic next = typographic_at(rest).kind;
      const bool is_pair = rest.starts_with('-') || next == Typographic::short_dash ||
                           next == Typographic::long_dash;
      const bool is_two = found.kind == Typographic::long_dash && read.empty() && !is_pair;
      return {is_two ? "--" : "-", found.size, false};
    }
    case Typographic::blank:
      return {" ", found.size, false};
  }
  return {};
}

}  // namespace

void give_text_faults(const SourceSet& sources, Diagnostics found,
                      std::span<const CommandLaunches> commands, std::span<Launch> launches,
                      Diagnostics& warnings) {
  for (Diagnostic& diagnostic : found) {
    const bool is_of_characters =
        diagnostic.code == code::typographic_character && diagnostic.severity != Severity::error;
    if (!is_of_characters) {
      const CommandLaunches* holder =
          diagnostic.severity == Severity::error ? holder_of(commands, diagnostic.span) : nullptr;
      if (holder == nullptr) {
        warnings.push_back(std::move(diagnostic));
        continue;
      }
      for (std::size_t i = holder->first; i < holder->last; ++i)
        launches[i].faults.push_back({diagnostic, {}, {}});
      continue;
    }
    bool is_any_inside = false;
    for (const Diagnostic::Related& place : diagnostic.related) {
      const CommandLaunches* holder = holder_of(commands, place.span);
      if (holder == nullptr) continue;
      is_any_inside = true;
      for (std::size_t i = holder->first; i < holder->last; ++i)
        add_character(sources, place, launches[i]);
    }
    if (is_any_inside) continue;
    diagnostic.related.clear();
    warnings.push_back(std::move(diagnostic));
  }
}

std::vector<ShellWord> read_as_ascii(const SourceSet& sources, std::span<const ShellWord> words,
                                     Launch& launch) {
  std::vector<ShellWord> typed(words.begin(), words.end());
  std::size_t told = 0;
  for (ShellWord& word : typed) {
    const std::string& text = word.text();
    if (std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xc2; }))
      continue;
    MappedText ascii;
    for (std::size_t at = 0; at < text.size();) {
      const Meant meant = meant_at(text, at, ascii.text());
      if (meant.size == 0 || told == kMaxCharacters) {
        ascii.append(word.content, at, at + 1);
        ++at;
        continue;
      }
      const Span place = word.content.span(at, at + meant.size);
      add_character(sources, {place, std::string(meant.ascii)}, launch);
      ++told;
      if (!meant.is_quote) ascii.append_opaque(meant.ascii, place);
      at += meant.size;
    }
    if (!ascii.text().empty()) word.content = std::move(ascii);
  }
  return typed;
}

}  // namespace assay
