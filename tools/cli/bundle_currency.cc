// The change time (ctime) is looked at: unlike the modification time it cannot be set, so that
// neither `cp -p` nor an archive brings an altered file past this. A file that is added, removed or
// renamed changes its folder. The bundle's own time is set back to when it was begun, by the coarse
// clock that file times come from, so that a file saved while it was made is newer; one that was
// saved just before, within the clock's tick, is taken for newer too, which only costs time.
#include "tools/cli/bundle_currency.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <tuple>
#include <vector>

#include "engine/evaluate/knowledge_bundle.h"

namespace assay::cli {
namespace {

bool is_before(const timespec& a, const timespec& b) {
  return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

}  // namespace

bool is_current(const BundleFile& file, const std::string& path, const std::string& root) {
  struct stat bundle {};
  if (::stat(path.c_str(), &bundle) != 0) return false;
  const std::vector<std::string> places = bundled_places(file);
  if (places.empty()) return false;
  const int folder = ::open(root.empty() ? "." : root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  bool is_current = true;
  for (std::size_t at = 0; is_current && at < places.size(); ++at) {
    struct stat place {};
    is_current = ::fstatat(folder, places[at].c_str(), &place, 0) == 0 &&
                 is_before(place.st_ctim, bundle.st_mtim);
  }
  ::close(folder);
  return is_current;
}

FileTime file_clock_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return {now.tv_sec, now.tv_nsec};
}

bool set_file_time(const std::string& path, const FileTime& time) {
  const timespec times[2] = {{time.seconds, time.nanoseconds}, {time.seconds, time.nanoseconds}};
  return ::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0;
}

}  // namespace assay::cli
