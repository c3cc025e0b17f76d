#include "engine/text/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/source.h"
#include "tests/support/sample.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

struct Split {
  explicit Split(std::string text, ShellVariables variables = {}) {
    source = sources.add("script", std::move(text));
    mapped = MappedText::verbatim(source, 0, sources.get(source).text());
    script = split_shell(mapped, diagnostics, std::move(variables));
  }
  std::vector<std::string> words(std::size_t command = 0) const {
    std::vector<std::string> texts;
    for (const ShellWord& word : script.commands.at(command).words) texts.push_back(word.text());
    return texts;
  }
  std::string written(std::size_t word, std::size_t command = 0) const {
    return std::string(sources.text(script.commands.at(command).words.at(word).span));
  }
  SourceSet sources;
  SourceId source;
  MappedText mapped;
  Diagnostics diagnostics;
  ShellScript script;
};

std::vector<std::string> words_of(const std::string& text) { return Split(text).words(); }

TEST(ShellWords, SplitsAtBlanks) {
  EXPECT_THAT(words_of("  a b\tc  "), ElementsAre("a", "b", "c"));
}

TEST(ShellWords, RemovesQuotesAndJoinsTheirPieces) {
  EXPECT_THAT(words_of(R"(a 'b c' "d e" f"g h"'i' '')"),
              ElementsAre("a", "b c", "d e", "fg hi", ""));
}

TEST(ShellWords, EscapesInsideDoubleQuotesOnlyWhatAShellDoes) {
  EXPECT_THAT(words_of(R"(x "a\"b\\c\n" a\ b)"), ElementsAre("x", R"(a"b\c\n)", "a b"));
}

TEST(ShellWords, ReadsAnsiQuotes) {
  EXPECT_THAT(words_of(R"(x $'a\tb\'c\101')"), ElementsAre("x", "a\tb'cA"));
}

TEST(ShellWords, GoesOnAfterABackslashAtTheEndOfALine) {
  EXPECT_THAT(words_of("a \\\n  b\\\nc"), ElementsAre("a", "bc"));
}

TEST(ShellWords, ReportsABackslashBehindWhichSomethingStands) {
  const Split split("a \\  \n  --b 1 \\\r\n  --c 2\nd \\ \n");
  EXPECT_THAT(split.words(), ElementsAre("a", "--b", "1", "--c", "2"));
  ASSERT_EQ(split.diagnostics.size(), 1u);
  EXPECT_EQ(split.diagnostics[0].code, code::typographic_character);
  EXPECT_EQ(split.diagnostics[0].severity, Severity::error);
  ASSERT_EQ(split.diagnostics[0].related.size(), 2u);
  EXPECT_EQ(split.sources.text(split.diagnostics[0].related[0].span), "  ");
  EXPECT_EQ(split.sources.text(split.diagnostics[0].related[1].span), "\r");
}

TEST(ShellWords, PutsTheElementsOfAnArrayWhereItIsExpanded) {
  const Split split(
      "A=(--x 'b c'  # d\n  \"$E\")\nA+=(--y)\np \"${A[@]}\" z \"${A[@]}q\" ${B[@]}\n");
  EXPECT_EQ(split.script.commands.at(0).array, "A");
  EXPECT_THAT(split.words(2),
              ElementsAre("p", "--x", "b c", "$E", "--y", "z", "${A[@]}q", "${B[@]}"));
  EXPECT_EQ(split.written(2, 2), "'b c'");
  EXPECT_TRUE(split.script.commands[2].words[3].is_unresolved);
  EXPECT_FALSE(split.script.commands[2].words[4].is_unresolved);
  EXPECT_TRUE(split.script.commands[2].words[6].is_unresolved);
  EXPECT_TRUE(split.sources.text(split.script.commands[2].span).starts_with("A=("));
  EXPECT_TRUE(split.script.expanded_arrays.contains("A"));
}

TEST(ShellWords, ExpandsAnEmptyArrayToNothing) {
  EXPECT_THAT(Split("A=()\np \"${A[@]}\" ${A[@]+\"${A[@]}\"} z").words(1), ElementsAre("p", "z"));
}

TEST(ShellWords, KnowsOfAnArrayThatABranchAppendsToWhatItHadBefore) {
  const Split split("A=(1)\nif x; then A+=(2); fi\np \"${A[@]}\"");
  EXPECT_THAT(split.words(4), ElementsAre("p", "1", "${A[@]}"));
  EXPECT_TRUE(split.script.commands[4].words[2].is_unresolved);
}

TEST(ShellWords, ForgetsAnArrayThatABranchReplaces) {
  EXPECT_THAT(Split("A=(1)\nif x; then A=(2); fi\np \"${A[@]}\"").words(4),
              ElementsAre("p", "${A[@]}"));
  EXPECT_THAT(Split("A=(1)\nA[0]=2\np \"${A[@]}\"").words(2), ElementsAre("p", "${A[@]}"));
  EXPECT_THAT(Split("declare -A A=([a]=1)\np \"${A[@]}\"").words(2), ElementsAre("p", "${A[@]}"));
}

TEST(ShellWords, ComputesWithKnownNumbers) {
  EXPECT_THAT(Split("N=2\np $((N * 4)) x$(( (1+2)*-$N ))y \"$((7 % 4 / ${N}))\"").words(1),
              ElementsAre("p", "8", "x-6y", "1"));
  const Split unknown("p $((M * 4)) $((1 / 0)) $((9223372036854775807 + 1)) $((2 ** 3)) $((010))");
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_TRUE(unknown.script.commands[0].words[i].is_unresolved) << i;
}

TEST(ShellWords, EndsACommandAtALineEndAndAtOperators) {
  const Split split("a 1; b 2 && c 3 || d 4 | e 5 & f 6\r\ng 7\n");
  ASSERT_EQ(split.script.commands.size(), 7u);
  EXPECT_THAT(split.words(6), ElementsAre("g", "7"));
}

TEST(ShellWords, LeavesOutComments) {
  EXPECT_THAT(words_of("a b#c # d e"), ElementsAre("a", "b#c"));
}

TEST(ShellWords, LeavesOutRedirectionsWithTheirTargets) {
  EXPECT_THAT(words_of("a >out 2>&1 b &> log < in c 2>/dev/null >> x <<< y"),
              ElementsAre("a", "b", "c"));
}

TEST(ShellWords, SkipsHereDocuments) {
  const Split split("cat <<'EOF' > x\nsglang serve \"\nEOF\nb c");
  ASSERT_EQ(split.script.commands.size(), 2u);
  EXPECT_THAT(split.words(1), ElementsAre("b", "c"));
  EXPECT_TRUE(split.diagnostics.empty());
}

TEST(ShellWords, LeavesOutKeywordsAndAPrompt) {
  EXPECT_THAT(Split("if true; then a; fi").words(1), ElementsAre("a"));
  EXPECT_THAT(words_of("$ a b"), ElementsAre("a", "b"));
}

TEST(ShellWords, ReadsAssignmentsInFront) {
  const Split split("A=1 B='x y' prog C=3");
  const ShellCommand& command = split.script.commands[0];
  ASSERT_EQ(command.assignments.size(), 2u);
  EXPECT_EQ(command.assignments[1].name, "B");
  EXPECT_EQ(command.assignments[1].value.text(), "x y");
  EXPECT_EQ(split.sources.text(command.assignments[1].value.span), "'x y'");
  EXPECT_THAT(split.words(), ElementsAre("prog", "C=3"));
}

TEST(ShellWords, ResolvesVariablesOfTheScript) {
  const Split split("TP=8\nexport M=\"a b\"\nprog --tp $TP --model \"${M}\" $M");
  EXPECT_THAT(split.words(2), ElementsAre("prog", "--tp", "8", "--model", "a b", "a", "b"));
  EXPECT_TRUE(split.script.commands[2].words[2].is_substituted);
  ASSERT_EQ(split.script.exports.size(), 1u);
  EXPECT_EQ(split.script.exports[0].name, "M");
}

TEST(ShellWords, TakesTheDefaultOfAParameter) {
  EXPECT_THAT(words_of("p ${TP:-8} ${X-\"y z\"}"), ElementsAre("p", "8", "y", "z"));
}

TEST(ShellWords, MarksWhatOnlyAShellKnows) {
  const Split split("p $TP \"x$(date \"+%s )\")\" `id` $((N + 2)) \"$@\" ${A[0]} <MODEL> '$X'");
  const auto& words = split.script.commands[0].words;
  ASSERT_EQ(words.size(), 9u);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_TRUE(words[i].is_unresolved) << words[i].text();
  EXPECT_EQ(words[1].text(), "$TP");
  EXPECT_FALSE(words[8].is_unresolved);
}

TEST(ShellWords, MarksWhatAShellMakesOtherWordsOf) {
  const Split split(
      "A=* B=~/m p /m/* a?b {1,2} x{a..c}y ~/m '*' \"{1,2}\" \\* {a} 'x'~ http://h?x=1 a,b");
  const ShellCommand& command = split.script.commands[0];
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_TRUE(command.words[i].is_unresolved) << command.words[i].text();
  for (std::size_t i = 6; i < command.words.size(); ++i)
    EXPECT_FALSE(command.words[i].is_unresolved) << command.words[i].text();
  EXPECT_FALSE(command.assignments[0].value.is_unresolved);
  EXPECT_TRUE(command.assignments[1].value.is_unresolved);
}

TEST(ShellWords, ForgetsALoopVariable) {
  const Split split("TP=8\nfor TP in 1 2; do p $TP; done");
  EXPECT_TRUE(split.script.commands[2].words[1].is_unresolved);
}

// What `p ...` is given where it stands in `script`; "?" for a word that is not known.
std::string given(const std::string& script) {
  const Split split(script);
  std::string given;
  for (const ShellCommand& command : split.script.commands) {
    if (command.words.empty() || command.words[0].text() != "p") continue;
    for (std::size_t i = 1; i < command.words.size(); ++i)
      given += command.words[i].is_unresolved ? "?" : command.words[i].text();
    given += ';';
  }
  return given;
}

TEST(ShellWords, DoesNotKnowBehindAConstructWhatWasAssignedInIt) {
  EXPECT_EQ(given("if a; then T=8; else T=6; fi; p $T"), "?;");
  EXPECT_EQ(given("T=6\nif [ -n \"$1\" ]\nthen\n  T=$1\nfi\np $T"), "?;");
  EXPECT_EQ(given("T=1; case $M in a) T=8;; (b) T=6\nesac\np $T"), "?;");
  EXPECT_EQ(given("T=1; for i in 1 2; do T=$i; done; p $T"), "?;");
  EXPECT_EQ(given("T=1; while getopts t: o; do T=$OPTARG; done < x; p $T"), "?;");
  EXPECT_EQ(given("if T=4; then a; fi; p $T ${T:-8}"), "??;");
  EXPECT_EQ(given("T=1; if a; then U=2; fi; p $T"), "1;");
  EXPECT_EQ(given("if a; then if b; then T=1; fi; fi; p $T"), "?;");
}

TEST(ShellWords, CountsTheAssignmentsOfABranchInOrder) {
  EXPECT_EQ(given("T=1; if a; then p $T; T=8; p $T; elif b; then p $T; else T=6; p $T; fi"),
            "1;8;1;6;");
  EXPECT_EQ(given("E=x; case $M in a) E=\"$E-a\"; p $E;; b|c) E=\"$E-b\"; p $E;; esac"),
            "x-a;x-b;");
  EXPECT_EQ(given("case $M in a) T=1;& b) p $T;; esac"), "?;");
  EXPECT_EQ(given("for i in 1; do T=8; p $T; done"), "8;");
}

TEST(ShellWords, DoesNotKnowWhatStandsBehindAnOperatorOfAList) {
  EXPECT_EQ(given("H=x; [ -n \"$B\" ] && H=; p $H"), "?;");
  EXPECT_EQ(given("T=1; a || T=2\np $T"), "?;");
  EXPECT_EQ(given("T=1; a || { T=2; }; p $T"), "?;");
  EXPECT_EQ(given("T=1; a &&\n  T=2\np $T"), "?;");
  EXPECT_EQ(given("a && T=2 && p $T"), "2;");
  EXPECT_EQ(given("T=1; a && T=2 || p $T"), "?;");
}

TEST(ShellWords, ReadsAStraightListAsOne) {
  EXPECT_EQ(given("T=${T:-8} && p $T; p $T"), "8;8;");
  EXPECT_EQ(given("export A=1 && cd /x && T=8 && p $A $T\np $A$T"), "18;18;");
  EXPECT_EQ(given("{ T=8; }; p $T"), "8;");
}

TEST(ShellWords, DoesNotKnowWhatASourcedFileMaySet) {
  EXPECT_EQ(given("T=6; p $T; source ./env.sh; p $T ${T:-6} ${U:-6}; T=8; p $T"), "6;???;8;");
  EXPECT_EQ(given("T=6; . ./env.sh; p $T"), "?;");
  EXPECT_EQ(given("T=6; eval \"$(x)\"; p $T"), "?;");
  EXPECT_EQ(given("T=6; export $(cat .env); p $T"), "?;");
  EXPECT_EQ(given("T=6; read -r T; p $T"), "?;");
  EXPECT_EQ(given("T=6; source .venv/bin/activate; p $T"), "6;");
}

TEST(ShellWords, DoesNotKnowWhatAFunctionSets) {
  EXPECT_EQ(given("T=1; f() { T=2; p $T; }; p $T; T=3; p $T; f; p $T"), "2;?;3;?;");
  EXPECT_EQ(given("function f {\n T=2\n}\nT=3; p $T; f x; p $T"), "3;?;");
  EXPECT_EQ(given("T=1; (T=2; p $T); p $T"), "2;1;");
}

TEST(ShellWords, AddsToAVariable) {
  EXPECT_EQ(given("E=a; E+=-b; p $E; E+=$X; p $E"), "a-b;?;");
  EXPECT_EQ(given("T=1; ((T = 8)); p $T"), "?;");
  EXPECT_EQ(given("A=(x y); p $A"), "?;");
}

TEST(ShellWords, DoesNotKnowAnExportOfABranchBehindIt) {
  const Split split("export A=1; if a; then export A=2 B=3; fi; p");
  ASSERT_EQ(split.script.exports.size(), 5u);
  EXPECT_TRUE(split.script.exports[3].value.is_unresolved);
  EXPECT_TRUE(split.script.exports[4].value.is_unresolved);
  EXPECT_EQ(split.script.commands.back().export_count, 5u);
}

TEST(ShellWords, KnowsWhereAWordStandsWithItsQuotes) {
  const Split split("ab 'c d' e\\ f \"g\"");
  EXPECT_EQ(split.written(1), "'c d'");
  EXPECT_EQ(split.written(2), "e\\ f");
  EXPECT_EQ(split.written(3), "\"g\"");
  EXPECT_EQ(split.script.commands[0].words[1].quoting, ShellQuoting::single_quotes);
  EXPECT_EQ(split.script.commands[0].words[2].quoting, ShellQuoting::mixed);
  EXPECT_EQ(split.script.commands[0].words[3].quoting, ShellQuoting::double_quotes);
}

TEST(ShellWords, KnowsWhereWordsOfNestedTextStand) {
  const Split outer(R"(bash -c "prog --x \"a b\" 'c'")");
  Diagnostics diagnostics;
  const ShellScript inner = split_shell(outer.script.commands[0].words[2].content, diagnostics);
  const auto& words = inner.commands.at(0).words;
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[2].text(), "a b");
  EXPECT_EQ(outer.sources.text(words[2].span), R"(\"a b\")");
  EXPECT_EQ(outer.sources.text(words[3].span), "'c'");
}

TEST(ShellWords, KeepsAnEscapedSingleQuoteTogether) {
  const Split outer(R"(bash -c 'prog '\''a b'\'' '"'"'c'"'"'')");
  ASSERT_THAT(outer.words(), ElementsAre("bash", "-c", "prog 'a b' 'c'"));
  Diagnostics diagnostics;
  const ShellScript inner = split_shell(outer.script.commands[0].words[2].content, diagnostics);
  EXPECT_EQ(outer.sources.text(inner.commands.at(0).words.at(1).span), R"('\''a b'\'')");
}

TEST(ShellWords, NormalisesTypographyOnceWarned) {
  const Split split("p –tp 8 —dp ––x “a b” ‘c’\u00a0d e–f it’s");
  EXPECT_THAT(split.words(),
              ElementsAre("p", "--tp", "8", "--dp", "--x", "a b", "c", "d", "e–f", "it’s"));
  ASSERT_EQ(split.diagnostics.size(), 1u);
  EXPECT_EQ(split.diagnostics[0].code, code::typographic_character);
  EXPECT_EQ(split.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(split.sources.text(split.diagnostics[0].span), "–");
}

TEST(ShellWords, ReportsAnUnclosedQuoteAndReadsTheNextLine) {
  const Split split("a \"b c\nd e");
  ASSERT_EQ(split.diagnostics.size(), 1u);
  EXPECT_EQ(split.diagnostics[0].code, code::unclosed_quote);
  EXPECT_EQ(split.diagnostics[0].span.begin, 2u);
  ASSERT_EQ(split.script.commands.size(), 2u);
  EXPECT_THAT(split.words(0), ElementsAre("a", "b c"));
  EXPECT_THAT(split.words(1), ElementsAre("d", "e"));
}

TEST(ShellWords, StopsAtTooManyWords) {
  std::string text;
  for (int i = 0; i < 200'001; ++i) text += "a ";
  const Split split(std::move(text));
  ASSERT_EQ(split.diagnostics.size(), 1u);
  EXPECT_EQ(split.diagnostics[0].code, code::file_too_large);
}

TEST(ShellWords, ReadsATenMegabyteLine) {
  const Split split("p " + std::string(10u << 20, 'x') + " q");
  ASSERT_EQ(split.script.commands[0].words.size(), 3u);
}

TEST(ShellWords, SurvivesHostileText) {
  // A sanitized program, which takes ten times as long, reads less: still beyond every limit of
  // depth.
  const std::size_t bytes = test::sample_step() > 1 ? 10'000 : 40'000;
  for (const std::string_view part : {"\"$(",
                                      "'",
                                      "`",
                                      "${",
                                      "$((",
                                      "<<",
                                      "\"\\",
                                      "$'\\",
                                      "“",
                                      "\\\n",
                                      "A=$A$A$A$A;A=\"x$A\";",
                                      "((",
                                      "export X;",
                                      "if A=1;",
                                      "case x in a)",
                                      "fi;",
                                      ")",
                                      "{ export A=1;",
                                      "a && A=1 ||",
                                      "f() { A=1; };f;",
                                      "A+=x;",
                                      "source x;A=1;"}) {
    std::string text;
    while (text.size() < bytes) text += part;
    const Split split(text);
    EXPECT_LE(split.script.commands.size(), text.size());
    const Split lines("p " + text + "\n" + text);
  }
  const Split nul(std::string("a\0b 'c\0d", 9));
  EXPECT_EQ(nul.script.commands.size(), 1u);
}

TEST(ShellQuoting, ReadsBackAsTheSameWord) {
  for (const std::string& word :
       {std::string(), std::string("a b"), std::string("it's"), std::string("$X `y` \"z\" \\"),
        std::string("a\nb\x01"), std::string("{\"a\": [1, 2]}"), std::string("~"),
        std::string("#x"), std::string("a=b"), std::string("<M>"), std::string("'\\''")}) {
    EXPECT_THAT(words_of("p " + quote_shell_word(word)), ElementsAre("p", word));
    EXPECT_THAT(words_of("p \"" + escape_for_double_quotes(word) + "\""), ElementsAre("p", word));
  }
  EXPECT_EQ(quote_shell_word("--tp-size"), "--tp-size");
}

}  // namespace
}  // namespace assay
