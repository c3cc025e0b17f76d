// Plain atomic counters: a request adds to five of them.
#include "tools/serve/service_metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::serve {

const char* name_of(Route route) {
  constexpr std::array kNames{"site",  "record", "search",  "explain",
                              "check", "health", "metrics", "none"};
  return kNames[static_cast<std::size_t>(route)];
}

void ServiceMetrics::add(Route route, int status, std::chrono::nanoseconds time,
                         std::uint64_t bytes) {
  const auto at = static_cast<std::size_t>(route);
  ++requests_[at][static_cast<std::size_t>(std::clamp(status, 0, 599))];
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  ++times_[at].buckets[static_cast<std::size_t>(bucket)];
  times_[at].nanoseconds += static_cast<std::uint64_t>(time.count());
  bytes_ += bytes;
}

std::string ServiceMetrics::text(std::size_t connections, std::uint64_t refused_connections,
                                 std::size_t records) const {
  std::string out =
      "# HELP assay_requests_total Requests answered.\n# TYPE assay_requests_total counter\n";
  for (std::size_t route = 0; route < kRoutes; ++route)
    for (std::size_t status = 0; status < kStatuses; ++status)
      if (const std::uint64_t count = requests_[route][status])
        out += fmt::format("assay_requests_total{{route=\"{}\",code=\"{}\"}} {}\n",
                           name_of(static_cast<Route>(route)), status, count);
  out +=
      "# HELP assay_request_seconds From the first byte of a request to the last of its answer.\n"
      "# TYPE assay_request_seconds histogram\n";
  for (std::size_t route = 0; route < kRoutes; ++route) {
    const Times& times = times_[route];
    const char* name = name_of(static_cast<Route>(route));
    std::uint64_t count = 0;
    for (std::size_t bucket = 0; bucket < times.buckets.size(); ++bucket) {
      count += times.buckets[bucket];
      const std::string bound =
          bucket < kBounds.size() ? fmt::format("{}", kBounds[bucket]) : "+Inf";
      out += fmt::format("assay_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", name, bound,
                         count);
    }
    out += fmt::format(
        "assay_request_seconds_sum{{route=\"{0}\"}} {1:.9f}\n"
        "assay_request_seconds_count{{route=\"{0}\"}} {2}\n",
        name, static_cast<double>(times.nanoseconds) / 1e9, count);
  }
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       const std::string& value) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
  };
  add("assay_sent_bytes_total", "counter", "Bytes of all answers.", std::to_string(bytes_));
  add("assay_refused_connections_total", "counter", "Connections beyond the limit.",
      std::to_string(refused_connections));
  add("assay_reloads_total", "counter", "Times the knowledge was exchanged.",
      std::to_string(reloads_));
  add("assay_failed_reloads_total", "counter", "Times it was not, and the old one kept.",
      std::to_string(failed_reloads_));
  add("assay_connections", "gauge", "Open connections.", std::to_string(connections));
  add("assay_records", "gauge", "Records of the knowledge.", std::to_string(records));
  const double uptime =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  add("assay_uptime_seconds", "gauge", "Since the start.", fmt::format("{:.3f}", uptime));
  return out;
}

}  // namespace assay::serve
