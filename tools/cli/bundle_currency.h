// Whether a bundle still says what its source files say.
#pragma once

#include <string>

#include "engine/compile/bundle_file.h"

namespace assay::cli {

// False as soon as a file or folder that the bundle was made from may have changed since: the time
// of its last change (of content, name or place) is not before the time the bundle bears, which is
// when `assay pack` began to read. Costs a look at each, not a read. `root`: what their names begin
// with.
bool is_current(const BundleFile& file, const std::string& path, const std::string& root);

// Gives the file the time that is_current goes by: `begin`, as file_clock_now told it.
struct FileTime {
  long seconds = 0;
  long nanoseconds = 0;
};
// The clock that the system stamps files with.
FileTime file_clock_now();
bool set_file_time(const std::string& path, const FileTime& time);

}  // namespace assay::cli
