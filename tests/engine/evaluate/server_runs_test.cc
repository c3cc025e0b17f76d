#include "engine/evaluate/server_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace assay {
namespace {

void note(ServerRuns& runs, const std::string& text, std::size_t first_line) {
  std::vector<SeenSentence> sentences;
  for (std::size_t i = 0; i < kServerSentences.size(); ++i) {
    auto at = text.find(kServerSentences[i].text);
    for (; at != std::string::npos; at = text.find(kServerSentences[i].text, at + 1))
      sentences.push_back({at, i});
  }
  std::ranges::sort(sentences, {}, &SeenSentence::at);
  runs.note(text, first_line, sentences);
}

TEST(ServerRuns, StretchesBeginWithAStartAndWithService) {
  ServerRuns runs;
  note(runs,
       "a\n[x] server_args=ServerArgs(a=1)\nb\nThe server is fired up and ready to roll!\nc\n", 11);
  EXPECT_EQ(runs.stretch_of(11), 0u);
  EXPECT_EQ(runs.stretch_of(12), 1u);
  EXPECT_EQ(runs.stretch_of(13), 1u);
  EXPECT_EQ(runs.stretch_of(15), 2u);
  EXPECT_EQ(runs.last_stretch(), 2u);
  EXPECT_EQ(runs.line_behind(0), 12u);
  EXPECT_FALSE(runs.ends_in_service(0));
  EXPECT_TRUE(runs.ends_in_service(1));
  EXPECT_FALSE(runs.ends_in_service(2));
}

TEST(ServerRuns, ASentenceInAPromptIsNone) {
  ServerRuns runs;
  note(runs, "Receive: text='The server is fired up and ready to roll!'\n", 1);
  EXPECT_EQ(runs.last_stretch(), 0u);
}

TEST(ServerRuns, TheLatestOnesAreKept) {
  ServerRuns runs;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "Application startup complete.\n";
  note(runs, text, 1);
  note(runs, text, 1001);
  EXPECT_EQ(runs.last_stretch(), 1024u);
  EXPECT_EQ(runs.stretch_of(2000), 1024u);
  EXPECT_EQ(runs.stretch_of(1), 0u);
}

}  // namespace
}  // namespace assay
