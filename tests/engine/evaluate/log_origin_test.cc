#include "engine/evaluate/log_origin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

struct Line {
  std::string text;
  std::string process;
  std::string body;
};

// One line of each form of prefix that engines, containers and orchestrators print.
const std::vector<Line>& lines() {
  static const std::vector<Line> kLines{
      {"[2026-01-02 03:04:05] x y", "", "x y"},
      {"[2026-01-02 03:04:05 DP1 TP3 EP3] x", "DP1 TP3 EP3", "x"},
      {"[2026-01-02 03:04:05] WARNING server_args.py:900: x", "", "x"},
      {"[03:04:05 TP5] x", "TP5", "x"},
      {"2026-01-02 03:04:05 TP5] x", "TP5", "x"},
      {"[2026-01-02 03:04:05] INFO:     127.0.0.1:5000 - \"POST\"", "",
       "    127.0.0.1:5000 - \"POST\""},
      {"tile for gro[2026-01-[2026-01-02 03:04:05 TP7] x", "TP7", "x"},
      {"ERROR 01-02 03:04:05 core.py:270] x", "", "x"},
      {"ERROR 01-02 03:04:05 [core.py:400]   File \"a\"", "", "  File \"a\""},
      {"ERROR 01-02 03:04:05 [v1/executor/multiproc_executor.py:597] x", "", "x"},
      {"(EngineCore_DP0 pid=1) ERROR 01-02 03:04:05 [core.py:708]     f()", "EngineCore_DP0",
       "    f()"},
      {"(APIServer pid=1) (EngineCore_DP0 pid=2) (Worker_TP3 pid=3) ERROR 01-02 03:04:05 [m.py:6] "
       "x",
       "Worker_TP3", "x"},
      {"\x1b[1;36m(EngineCore_DP0 pid=1)\x1b[0;0m ERROR 01-02 03:04:05 [core.py:708] x",
       "EngineCore_DP0", "x"},
      {"^[[1;36m(EngineCore_DP0 pid=1)^[[0;0m ERROR 01-02 03:04:05 [core.py:708] x",
       "EngineCore_DP0", "x"},
      {"[1;36m(EngineCore_0 pid=1) [0;0m INFO 01-02 03:04:05 [k.py:849] x", "EngineCore_0", "x"},
      {"[rank0]:   File \"/a.py\", line 10, in f", "rank0", "  File \"/a.py\", line 10, in f"},
      {"sglang-1  | [2026-01-02 03:04:05 TP0] x", "TP0", "x"},
      {"sglang-1  |   File \"a\"", "", "  File \"a\""},
      {"2026-01-02T03:04:05.209003136Z DEBUG 01-01 19:04:05 engine.py:213] x", "", "x"},
      {"2026-01-02T03:04:05.21748708+08:00 stdout F [2026-01-02 03:04:05 TP2] x", "TP2", "x"},
      {"my-pod-abc12 modelserver (EngineCore pid=11) ERROR 01-02 03:04:05 [core.py:1] x",
       "EngineCore", "x"},
      {"Jan 02 03:04:05 host vllm[8707]: (APIServer pid=8707)     return cls(", "APIServer",
       "    return cls("},
      {"2026-01-02 03:04:05,594 - INFO - [container] (APIServer pid=557) x", "APIServer", "x"},
      {"(WorkerDict pid=67803) [2026-01-02 03:04:05 TP0] x", "TP0", "x"},
      {"[2026-01-02 03:04:05] [/bin/sh@<0,0>]:   File \"/a\"", "/bin/sh@<0,0>", "  File \"/a\""},
      {"2026-01-02 03:04:05 UTC | (Worker_DP1_TP0_EP2 pid=9) ERROR 01-01 19:04:05 [m.py:8] x",
       "Worker_DP1_TP0_EP2", "x"},
      {"  File \"/a.py\", line 10, in f", "", "  File \"/a.py\", line 10, in f"},
      {"ValueError: bad", "", "ValueError: bad"},
      {"[1, 2, 3] is no shape", "", "[1, 2, 3] is no shape"},
      {"", "", ""},
  };
  return kLines;
}

TEST(LogOrigin, TakesTheProcessFromEveryFormOfPrefixAndKeepsTheIndentation) {
  for (const Line& line : lines()) {
    const LogOrigin origin = read_log_origin(line.text);
    EXPECT_EQ(origin.process, line.process) << line.text;
    EXPECT_EQ(origin.body, line.body) << line.text;
  }
}

TEST(LogOrigin, TellsALineOfATracebackFromANewRecord) {
  EXPECT_TRUE(read_log_origin("[2026-01-02 03:04:05] x").starts_record());
  EXPECT_TRUE(read_log_origin("(Worker pid=3) x").starts_record());
  EXPECT_FALSE(read_log_origin("sglang-1  |   File \"a\"").starts_record());
  EXPECT_FALSE(read_log_origin("2026-01-02T03:04:05Z stdout F   File \"a\"").starts_record());
}

TEST(LogOrigin, NamesRanksTheSameWayHoweverTheyArePrinted) {
  EXPECT_EQ(rank_label("DP1 TP0 EP2"), "DP1 TP0 EP2");
  EXPECT_EQ(rank_label("Worker_DP1_TP0_EP2"), "DP1 TP0 EP2");
  EXPECT_EQ(rank_label("rank0"), "rank 0");
  EXPECT_EQ(rank_label("APIServer"), "APIServer");
  EXPECT_EQ(rank_label(""), "");
}

TEST(LogOrigin, HostilePrefixesEnd) {
  for (const std::string& head :
       {std::string("["), std::string("("), std::string("[0"), std::string("| "),
        std::string("\x1b["), std::string("^["), std::string("[2026-01-02 03:04:05] ")}) {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += head;
    EXPECT_LE(read_log_origin(text).body.size(), text.size());
  }
}

}  // namespace
}  // namespace assay
