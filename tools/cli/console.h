// Standard output and standard error. Results are collected and written with every error noticed: a
// full disk must not look like a clean answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/report/text_report.h"
#include "engine/text/diagnostic.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay::cli {

class Console {
 public:
  // `color`: "auto", "always", "never" or nothing; see DESIGN "The command line" for what beats
  // what.
  void set_color(const std::optional<std::string>& color);
  TextOptions text_options(bool is_verbose) const;  // for a report on standard output
  TextOptions error_text_options() const;           // ... on standard error

  // Adds to the result. Written when it is large, by `flush` and by `finish`.
  void write(std::string_view text);
  void flush();
  // Writes what is left. False: it could not be written (a closed pipe is no fault: nobody is
  // reading).
  bool finish();

  // At once, to standard error.
  void write_error(std::string_view text);
  void show(const Diagnostics& diagnostics, const SourceSet& sources);

 private:
  std::string pending_;
  int write_errno_ = 0;
  bool color_out_ = false;
  bool color_err_ = false;
};

// Calls `take` with each line of standard input, without its line end, as it arrives, and `pause`
// before waiting for more. Errors, after which no more is read: unreadable_file, file_too_large.
std::optional<Diagnostic> for_each_input_line(std::size_t max_line_bytes,
                                              const std::function<void(std::string_view)>& take,
                                              const std::function<void()>& pause);

// Everything on standard input. Errors: unreadable_file, file_too_large.
Result<std::string> read_standard_input(std::size_t max_bytes);

}  // namespace assay::cli
