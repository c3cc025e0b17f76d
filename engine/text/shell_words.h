// Splits shell text into simple commands and their words, as a POSIX shell does before it runs
// them, without running anything. What only a running shell knows ($HOME, $(date)) stays as written
// and is marked.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/mapped_text.h"

namespace assay {

// How a word is quoted, when it is so from its first to its last byte.
enum class ShellQuoting : std::uint8_t { none, single_quotes, double_quotes, mixed };

struct ShellWord {
  MappedText content;  // without quotes; each byte with its place
  Span span;           // with its quotes
  ShellQuoting quoting = ShellQuoting::none;
  bool is_unresolved = false;   // holds a variable or substitution nobody resolves here, or a
                                // placeholder such as <MODEL>
  bool is_substituted = false;  // came, whole or in part, from a variable of this script
  bool is_expanded = false;     // unresolved because the shell makes other words of it: files that
                                // match *, the members of {a,b}, a home folder for ~

  const std::string& text() const { return content.text(); }
};

struct ShellAssignment {
  std::string name;
  ShellWord value;
  Span span;  // NAME=value
};

// `A=1 B=2 program word word`: one simple command, without its redirections.
struct ShellCommand {
  std::vector<ShellAssignment> assignments;  // in front of it
  std::vector<ShellWord> words;              // empty: assignments only
  std::size_t export_count = 0;              // ShellScript::exports before it are in force
  Span span;                                 // with the arrays whose elements are among its words
  // Not empty: no command, but the elements of this array of bash.
  std::string array;
};

struct ShellScript {
  std::vector<ShellCommand> commands;
  std::vector<ShellAssignment> exports;   // by `export`, in the order of the text
  std::set<std::string> expanded_arrays;  // whose elements became words of a command
};

using ShellVariables = std::map<std::string, std::string>;

// Keywords (`if`, `then`, `do`, `{`) and a prompt (`$ `) in front are left out, here-documents
// skipped. Variables assigned before are resolved, in the order of the text; one assigned in a
// condition, loop or function, behind && or ||, or by a sourced file is not known behind that. The
// elements of an array keep their places where "${NAME[@]}" stands for them. A backslash that only
// blanks or a carriage return part from the end of its line is read as if it were the last, with an
// error (typographic_character) a command whose related places are to be taken out.
// Typographic quotes, dashes and blanks are read as their ASCII forms, with
// one warning (typographic_character) whose related places are theirs (the first 200), each with
// the ASCII form as its message. Errors, which do not stop the reading: unclosed_quote;
// file_too_large (more than 200,000 words: the rest is left out).
ShellScript split_shell(const MappedText& text, Diagnostics& diagnostics,
                        const ShellVariables& variables = {});

// `word` so that a shell reads exactly it: bare where that is safe, else in single quotes; with
// control characters as $'...'.
std::string quote_shell_word(std::string_view word);
// The same for text that will stand inside double quotes of an outer shell word.
std::string escape_for_double_quotes(std::string_view text);

}  // namespace assay
