// Depth first over the places of the delays: a run tells how many steps there are to delay after
// the latest delay, so no schedule is run twice and none is left out.
#include "kernels/emulator/delay_search.h"

namespace assay::emulator {

DelaySearchResult search_delays(Emulator& emulator, const LaunchConfig& config,
                                const std::function<void()>& kernel, const DelaySearch& search) {
  DelaySearchResult result;
  std::vector<std::vector<std::uint64_t>> open{{}};
  while (!open.empty()) {
    if (result.runs == search.max_runs) return result;
    std::vector<std::uint64_t> delays = std::move(open.back());
    open.pop_back();
    DelayedSchedule schedule(delays);
    ++result.runs;
    if (LaunchResult run = emulator.run(config, kernel, schedule); run.fault) {
      result.fault = std::move(run.fault);
      result.delays = std::move(delays);
      return result;
    }
    if (delays.size() == search.max_delays) continue;
    for (std::uint64_t step = schedule.steps(); step-- > (delays.empty() ? 0 : delays.back());) {
      std::vector<std::uint64_t> more = delays;
      more.push_back(step);
      open.push_back(std::move(more));
    }
  }
  result.is_complete = true;
  return result;
}

}  // namespace assay::emulator
