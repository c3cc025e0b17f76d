// Says which lines of a log may hold a known message.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/compile/literal_tables.h"
#include "engine/evaluate/literal_scan.h"
#include "engine/text/log_text.h"

namespace assay {

class LineCandidates {
 public:
  // Places of the original that `log` has read, in order: wherever a literal stands in its text()
  // there is one on the same line or on one that an edit joins to it, whatever edits do to the
  // literal; and few others. Valid until the next call.
  const std::vector<std::uint32_t>& find(const LiteralTables& tables, const LogText& log);

 private:
  void add_broken(const LogText& log);
  void add_seams(const LiteralTables& tables, const LogText& log);
  bool may_cut(const LiteralTables& tables, const char* left_end, const char* right);

  std::vector<LiteralHit> hits_;
  std::vector<BrokenLiteral> broken_;
  std::vector<LiteralHit> seam_hits_;
  std::vector<BrokenLiteral> seam_windows_;
  std::vector<std::uint32_t> places_;
};

}  // namespace assay
