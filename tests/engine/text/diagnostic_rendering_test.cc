#include "engine/text/diagnostic_rendering.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

class Rendering : public testing::Test {
 protected:
  // Renders a fault at the first occurrence of `marked` in `text`.
  std::string render(const std::string& text, const std::string& marked) {
    const SourceId source = sources_.add("x.yaml", text);
    const auto begin = static_cast<std::uint32_t>(text.find(marked));
    const auto length = static_cast<std::uint32_t>(marked.size());
    return render_diagnostic(
        make_error(code::unknown_key, {source, begin, begin + length}, "unknown key"), sources_,
        false);
  }
  SourceSet sources_;
};

TEST_F(Rendering, ShowsTheLineWithACaretAndHelp) {
  const SourceId source = sources_.add("rules/sglang/x.yaml", "id: x\n\nsevrity: error\n");
  EXPECT_EQ(render_diagnostic(make_error(code::unknown_key, {source, 7, 14},
                                         "unknown key `sevrity`", "did you mean `severity`?"),
                              sources_, false),
            "error[unknown-key]: unknown key `sevrity`\n"
            "  --> rules/sglang/x.yaml:3:1\n"
            "   |\n"
            " 3 | sevrity: error\n"
            "   | ^^^^^^^\n"
            "   = help: did you mean `severity`?\n");
}

TEST_F(Rendering, ShowsRelatedPlacesAndWidensTheGutter) {
  const SourceId source = sources_.add("x.yaml", "a: 1\n" + std::string(9, '\n') + "a: 2\n");
  Diagnostic fault = make_error(code::duplicate_key, {source, 14, 15}, "key `a` is given twice");
  fault.severity = Severity::warning;
  fault.related.push_back({{source, 0, 1}, "first given here"});
  fault.related.push_back({{}, "in all files"});
  EXPECT_EQ(render_diagnostic(fault, sources_, false),
            "warning[duplicate-key]: key `a` is given twice\n"
            "   --> x.yaml:11:1\n"
            "    |\n"
            " 11 | a: 2\n"
            "    | ^\n"
            "   --> x.yaml:1:1\n"
            "    |\n"
            "  1 | a: 1\n"
            "    | - first given here\n"
            "    = note: in all files\n");
}

TEST_F(Rendering, ShowsOnlyTheMessageWithoutAPlace) {
  EXPECT_EQ(
      render_diagnostic(make_error(code::unreadable_file, {}, "cannot read `x`"), sources_, false),
      "error[unreadable-file]: cannot read `x`\n");
}

TEST_F(Rendering, MarksTheFirstOfSeveralLines) {
  EXPECT_EQ(render("a:\n  - b\n  - c\n", "- b\n  - c"),
            "error[unknown-key]: unknown key\n"
            "  --> x.yaml:2:3\n"
            "   |\n"
            " 2 |   - b\n"
            "   |   ^^^ ... to line 3\n");
}

TEST_F(Rendering, ExpandsTabsAndCountsCharacters) {
  EXPECT_EQ(render("\t\xc3\xa4\xe2\x82\xac bad", "bad"),
            "error[unknown-key]: unknown key\n"
            "  --> x.yaml:1:5\n"
            "   |\n"
            " 1 |     \xc3\xa4\xe2\x82\xac bad\n"
            "   |        ^^^\n");
}

TEST_F(Rendering, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(render("\x1b[2J\xe2\x80\xae bad\xff \x7f", "bad"),
            "error[unknown-key]: unknown key\n"
            "  --> x.yaml:1:7\n"
            "   |\n"
            " 1 | \\x1b[2J\\u{202e} bad\\xff \\x7f\n"
            "   |                 ^^^\n");
  EXPECT_EQ(
      render_diagnostic(make_error(code::unknown_key, {}, "key `\x1b\n\xc2\x9b`"), sources_, false),
      "error[unknown-key]: key `\\x1b\\n\\u{9b}`\n");
}

TEST_F(Rendering, CutsLongLinesAroundTheCaret) {
  const std::string shown =
      render(std::string(100'000, 'a') + "BAD" + std::string(100'000, 'b'), "BAD");
  EXPECT_EQ(shown,
            "error[unknown-key]: unknown key\n"
            "  --> x.yaml:1:100001\n"
            "   |\n"
            " 1 | ..." +
                std::string(60, 'a') + "BAD" + std::string(97, 'b') +
                "...\n"
                "   |    " +
                std::string(60, ' ') + "^^^\n");
}

TEST_F(Rendering, CutsALongMarkAndWholeCharactersOnly) {
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\xe2\x82\xac";
  const std::string shown = render(euros, euros.substr(300));
  EXPECT_EQ(shown.find("\\x"), std::string::npos) << shown;
  EXPECT_NE(shown.find(std::string(33, '^') + "\n"), std::string::npos) << shown;
}

TEST_F(Rendering, MarksThePlaceAfterTheLastCharacter) {
  const SourceId source = sources_.add("x.json", "[1");
  EXPECT_EQ(render_diagnostic(make_error(code::json_syntax, {source, 2, 2}, "expected `]`"),
                              sources_, false),
            "error[json-syntax]: expected `]`\n"
            "  --> x.json:1:3\n"
            "   |\n"
            " 1 | [1\n"
            "   |   ^\n");
}

TEST_F(Rendering, MarksAnEmptyLine) {
  const SourceId source = sources_.add("x.yaml", "");
  EXPECT_EQ(
      render_diagnostic(make_error(code::empty_input, {source, 0, 0}, "nothing"), sources_, false),
      "error[empty-input]: nothing\n"
      "  --> x.yaml:1:1\n"
      "   |\n"
      " 1 |\n"
      "   | ^\n");
}

TEST_F(Rendering, PaintsOnlyWhenAsked) {
  const SourceId source = sources_.add("x.yaml", "a: 1\n");
  const Diagnostic fault = make_error(code::unknown_key, {source, 0, 1}, "unknown", "remove it");
  const std::string painted = render_diagnostic(fault, sources_, true);
  EXPECT_NE(painted.find("\x1b[1;31merror[unknown-key]\x1b[0m"), std::string::npos) << painted;
  EXPECT_EQ(render_diagnostic(fault, sources_, false).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace assay
