// Rewriting a launch and reading the result gives the edited arguments, in every form; everything
// that was not edited keeps its bytes.
#include "engine/read/launch_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engine/read/argument_conversion.h"
#include "engine/read/argument_words.h"
#include "engine/read/python_text.h"
#include "engine/text/shell_words.h"
#include "tests/engine/read/launch_test_support.h"

namespace assay::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Node integer(std::int64_t number) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = number;
  node.real = static_cast<double>(number);
  return node;
}
Node text(std::string value) { return make_string(std::move(value), {}); }
Node strings(std::vector<std::string> values) {
  Node list;
  list.kind = NodeKind::sequence;
  for (std::string& value : values) list.items.push_back(text(std::move(value)));
  return list;
}
LaunchEdit set(std::string_view name, Node value) {
  return {fact_id(small_pack(), name), false, std::move(value)};
}
LaunchEdit unset(std::string_view name) { return {fact_id(small_pack(), name), true, {}}; }

std::string rewrite(const ReadText& read, const std::vector<LaunchEdit>& edits) {
  return rewrite_launch(read.sources, small_pack(), read.only(), edits);
}
std::string rewrite(const std::string& input, const std::vector<LaunchEdit>& edits) {
  const ReadText read(input);
  if (!read.launches) return "no launch: " + read.errors();
  return rewrite(read, edits);
}
// The whole input with the launch's span replaced.
std::string spliced(const std::string& input, const std::vector<LaunchEdit>& edits) {
  const ReadText read(input);
  if (!read.launches) return "no launch: " + read.errors();
  std::string result = input;
  const Span span = read.only().span;
  return result.replace(span.begin, span.end - span.begin, rewrite(read, edits));
}

TEST(ShellRewriter, ChangesAValueAndNothingElse) {
  EXPECT_EQ(rewrite("A=1 nohup  sglang serve 'a b'  --tp-size  8 --host x > log",
                    {set("tp_size", integer(4))}),
            "A=1 nohup  sglang serve 'a b'  --tp-size  4 --host x");
  EXPECT_EQ(rewrite("sglang serve --kv-cache-dtype=fp8", {set("kv_cache_dtype", text("bf16"))}),
            "sglang serve --kv-cache-dtype=bf16");
  EXPECT_EQ(rewrite("sglang serve m", {set("model_path", text("a b"))}), "sglang serve 'a b'");
}

TEST(ShellRewriter, WritesWordsOfUnitFilesAsSystemdReadsThem) {
  const std::string unit = "[Service]\nExecStart=sglang serve m \\\n  --tp-size 8\nRestart=no\n";
  EXPECT_EQ(spliced(unit, {set("tp_size", integer(4)), set("host", text("a 5% $b"))}),
            "[Service]\nExecStart=sglang serve m \\\n  --tp-size 4 \\\n  --host 'a 5%% $$b'\n"
            "Restart=no\n");
}

TEST(WordListRewriter, KeepsTheContinuedLinesOfADockerfile) {
  const std::string file =
      "FROM x\nCMD [\"sglang\", \"serve\", \"m\", \\\n     \"--tp-size\", \"8\", \\\n     "
      "\"--disable-radix-cache\"]\nUSER y\n";
  EXPECT_EQ(spliced(file, {unset("disable_radix_cache")}),
            "FROM x\nCMD [\"sglang\", \"serve\", \"m\", \\\n     \"--tp-size\", \"8\"]\nUSER y\n");
  EXPECT_EQ(spliced(file, {set("tp_size", integer(4)), set("port", integer(1))}),
            "FROM x\nCMD [\"sglang\", \"serve\", \"m\", \\\n     \"--tp-size\", \"4\", \\\n     "
            "\"--disable-radix-cache\", \\\n     \"--port\", \\\n     \"1\"]\nUSER y\n");
  EXPECT_EQ(spliced(file, {unset("tp_size")}).find("--tp-size"), std::string::npos);
}

TEST(MapRewriter, PutsANewEntryBehindTheLastOnesComment) {
  EXPECT_EQ(rewrite("model_path: m\ntp_size: 8  # all of them\n", {set("port", integer(1))}),
            "model_path: m\ntp_size: 8  # all of them\nport: 1");
}

TEST(Rewriter, EditsNothingInPlaceThatItCannotKeep) {
  const ReadText dump("ServerArgs(model_path='m', tp_size=8, host=<object at 0x1>, port='')");
  ASSERT_TRUE(dump.launches);
  EXPECT_FALSE(rewrite_in_place(dump.sources, small_pack(), dump.only(), {}));
  EXPECT_THAT(rewrite_launch(dump.sources, small_pack(), dump.only(), {}),
              Not(HasSubstr("--host")));
}

TEST(ShellRewriter, AddsFlagsOnLinesOfTheirOwnWhereTheOthersHaveThem) {
  EXPECT_EQ(
      rewrite("sglang serve \\\n    --tp-size 8 \\\n    --host x > log",
              {set("dp_size", integer(2)), set("disable_radix_cache", make_boolean(true, {}))}),
      "sglang serve \\\n    --tp-size 8 \\\n    --host x \\\n    --dp-size 2 \\\n    "
      "--disable-radix-cache");
  EXPECT_EQ(rewrite("sglang serve", {set("dp_size", integer(2))}), "sglang serve --dp-size 2");
}

TEST(ShellRewriter, RemovesFlagsWithTheirLines) {
  EXPECT_EQ(rewrite("sglang serve \\\n  --tp-size 8 \\\n  --lora-paths a b \\\n  --host x",
                    {unset("lora_paths"), unset("port")}),
            "sglang serve \\\n  --tp-size 8 \\\n  --host x");
  EXPECT_EQ(rewrite("sglang serve --trust-remote-code --tp 8",
                    {set("trust_remote_code", make_boolean(false, {}))}),
            "sglang serve --tp 8");
}

TEST(ShellRewriter, ReplacesOldSpellingsAndRepetitions) {
  EXPECT_EQ(rewrite("sglang serve --speculative-algo EAGLE",
                    {set("speculative_algorithm", text("NGRAM"))}),
            "sglang serve --speculative-algorithm NGRAM");
  EXPECT_EQ(rewrite("sglang serve --tp-size 1 --host x -tp 2", {set("tp_size", integer(8))}),
            "sglang serve --host x -tp 8");
  EXPECT_EQ(
      rewrite("sglang serve --enable-metrics", {set("enable_metrics", make_boolean(false, {}))}),
      "sglang serve --no-enable-metrics");
}

TEST(ShellRewriter, QuotesForEveryLevel) {
  const LaunchEdit edit = set("host", text("it's $X \"y\" \\"));
  for (const std::string& command :
       {std::string("sglang serve --host a --tp 8"),
        std::string("bash -c 'sglang serve --host a --tp 8'"),
        std::string("bash -c \"sglang serve --host a --tp 8\""),
        std::string(R"(bash -c "sh -c 'sglang serve --host \"a b\" --tp 8'")"),
        std::string(R"(bash -c 'sh -c "sglang serve --host '\''a b'\'' --tp 8"')")}) {
    const std::string rewritten = rewrite(command, {edit, set("dp_size", integer(2))});
    EXPECT_EQ(ReadText(rewritten).values(), "dp_size=2 host='it\\'s $X \"y\" \\\\' tp_size=8")
        << rewritten;
  }
}

TEST(ShellRewriter, WritesOutWhatAVariableHeldWhenAFlagOfItGoes) {
  const std::string script = "ARGS=\"--tp-size 8 --dp-size 2\"\nsglang serve $ARGS --host x";
  EXPECT_EQ(rewrite(script, {unset("tp_size")}), "sglang serve --dp-size 2 --host x");
  EXPECT_EQ(rewrite(script, {set("tp_size", integer(4))}),
            "sglang serve $ARGS --host x --tp-size 4");
  EXPECT_EQ(rewrite("TP=8\nsglang serve --tp-size $TP", {set("tp_size", integer(4))}),
            "sglang serve --tp-size 4");
}

TEST(ShellRewriter, KeepsAManifestsScriptReadable) {
  const std::string manifest =
      "kind: Pod\nspec:\n  containers:\n  - command:\n    - sh\n    - -c\n    - |\n"
      "      sglang serve \\\n        --host a \\\n        --tp-size 8\n  # end\n";
  EXPECT_EQ(spliced(manifest, {set("host", text("b c")), set("dp_size", integer(2))}),
            "kind: Pod\nspec:\n  containers:\n  - command:\n    - sh\n    - -c\n    - |\n"
            "      sglang serve \\\n        --host 'b c' \\\n        --tp-size 8 \\\n"
            "        --dp-size 2\n  # end\n");
  const std::string compose = "services: {a: {command: \"sglang serve --host a\"}}";
  EXPECT_EQ(ReadText(spliced(compose, {set("host", text("\"x\" y"))})).values(), "host='\"x\" y'");
}

TEST(WordListRewriter, EditsFlowLists) {
  const std::string list =
      R"(["sglang", "serve", "--tp-size", "8", "--host=a", "--lora-paths", "a", "b"])";
  EXPECT_EQ(rewrite(list, {set("tp_size", integer(4)), set("host", text("b"))}),
            R"(["sglang", "serve", "--tp-size", "4", "--host=b", "--lora-paths", "a", "b"])");
  EXPECT_EQ(rewrite(list, {unset("tp_size"), unset("lora_paths"), set("dp_size", integer(2))}),
            R"(["sglang", "serve", "--host=a", "--dp-size", "2"])");
}

TEST(WordListRewriter, EditsBlockLists) {
  const std::string manifest =
      "kind: Pod\nspec:\n  containers:\n  - name: a\n    command: [sglang, serve]\n    args:\n"
      "    - --tp-size  # ranks\n    - \"8\"\n    - --host=a\n    image: x\n";
  EXPECT_EQ(
      spliced(manifest, {set("tp_size", integer(4)), set("dp_size", integer(2))}),
      "kind: Pod\nspec:\n  containers:\n  - name: a\n    command: [sglang, serve]\n    args:\n"
      "    - --tp-size  # ranks\n    - \"4\"\n    - --host=a\n    - --dp-size\n    - \"2\"\n"
      "    image: x\n");
  EXPECT_EQ(
      spliced(manifest, {unset("tp_size")}),
      "kind: Pod\nspec:\n  containers:\n  - name: a\n    command: [sglang, serve]\n    args:\n"
      "    - --host=a\n    image: x\n");
}

TEST(MapRewriter, EditsYaml) {
  const std::string map = "# ours\ntp-size: 8  # ranks\nlora-paths:\n  - a\n  - b\nhost: x\n";
  EXPECT_EQ(spliced(map, {set("tp_size", integer(4)), set("dp_size", integer(2))}),
            "# ours\ntp-size: 4  # ranks\nlora-paths:\n  - a\n  - b\nhost: x\ndp-size: 2\n");
  EXPECT_EQ(spliced(map, {unset("lora_paths"), set("host", text("yes"))}),
            "# ours\ntp-size: 8  # ranks\nhost: \"yes\"\n");
  EXPECT_EQ(spliced(map, {unset("tp_size")}), "# ours\nlora-paths:\n  - a\n  - b\nhost: x\n");
  EXPECT_EQ(
      ReadText(spliced("speculative-algo: EAGLE\n", {set("speculative_algorithm", text("X"))}))
          .values(),
      "speculative_algorithm='X'");
}

TEST(FlowRewriters, RemoveSeveralItemsFromTheFront) {
  EXPECT_EQ(
      rewrite(R"({"tp_size": 8, "dp_size": 2, "host": "a"})", {unset("tp_size"), unset("dp_size")}),
      R"({"host": "a"})");
  EXPECT_EQ(
      rewrite(R"({"tp_size": 8, "dp_size": 2, "host": "a"})",
              {unset("tp_size"), unset("dp_size"), unset("host"), set("pp_size", integer(2))}),
      R"({"pp_size": 2})");
  EXPECT_EQ(rewrite(R"({"zz": 1, "tp_size": 8})", {unset("tp_size"), set("dp_size", integer(2))}),
            R"({"zz": 1, "dp_size": 2})");
  EXPECT_EQ(spliced("services:\n  a:\n    entrypoint: [sglang, serve]\n"
                    "    command: [--tp-size, \"8\", --dp-size, \"2\", --host, a]\n",
                    {unset("tp_size"), unset("dp_size")}),
            "services:\n  a:\n    entrypoint: [sglang, serve]\n    command: [--host, a]\n");
  EXPECT_EQ(
      spliced("services:\n  a:\n    entrypoint: [sglang, serve]\n"
              "    command: [--tp-size, \"8\"]\n",
              {unset("tp_size"), set("dp_size", integer(2))}),
      "services:\n  a:\n    entrypoint: [sglang, serve]\n    command: [\"--dp-size\", \"2\"]\n");
}

TEST(MapRewriter, EditsJson) {
  EXPECT_EQ(rewrite(R"({"tp_size": 8, "host": "a"})",
                    {set("host", text("b\"")), unset("tp_size"), set("dp_size", integer(2))}),
            R"({"host": "b\"", "dp_size": 2})");
  EXPECT_EQ(rewrite(R"({"tp_size": 8})", {unset("tp_size"), set("dp_size", integer(2))}),
            R"({"dp_size": 2})");
  EXPECT_EQ(rewrite("{\n  \"tp_size\": 8\n}", {set("dp_size", integer(2))}),
            "{\n  \"tp_size\": 8,\n  \"dp_size\": 2\n}");
}

TEST(Rewriter, MakesAFreshCommandOfADump) {
  EXPECT_EQ(rewrite("ServerArgs(model_path='a b', tp_size=1, dp_size=2, disable_radix_cache=True, "
                    "lora_paths=None)",
                    {set("dp_size", integer(4)), unset("disable_radix_cache")}),
            "python -m sglang.launch_server --model-path 'a b' --dp-size 4");
}

TEST(Rewriter, DescribesAnEdit) {
  EXPECT_EQ(describe_edit(PackRelease(small_pack()), set("kv_cache_dtype", text("fp8_e4m3"))),
            "--kv-cache-dtype fp8_e4m3");
  EXPECT_EQ(describe_edit(PackRelease(small_pack()), unset("attention_backend")),
            "remove --attention-backend");
  EXPECT_EQ(
      describe_edit(PackRelease(small_pack()), set("trust_remote_code", make_boolean(false, {}))),
      "remove --trust-remote-code");
  EXPECT_EQ(describe_edit(PackRelease(small_pack()), set("lora_paths", strings({"a b", "c"}))),
            "--lora-paths 'a b' c");
}

// --- random commands, random edits

class RandomLaunch {
 public:
  explicit RandomLaunch(std::uint32_t seed) : random_(seed) {}

  std::size_t pick(std::size_t count) { return random_() % count; }

  std::string word() {
    static const std::vector<std::string> kWords{
        "a",    "/models/x-1", "it's",        "a b",          "$X",         "\"q\"",
        "x=y",  "#c",          "back\\slash", "http://h:1/p", "{\"k\": 1}", "true",
        "8",    "é",           "*",           "a,b",          "'",          "-",
        "null", "~",           "a: b",        "x #y",         "\ttab"};
    return kWords[pick(kWords.size())];
  }
  Node value(const FactDeclaration& fact) {
    switch (fact.type.kind) {
      case TypeKind::integer:
        return integer(static_cast<std::int64_t>(pick(100)) - 1);
      case TypeKind::real: {
        Node node;
        node.kind = NodeKind::real;
        node.real = static_cast<double>(pick(100)) / 64;
        return node;
      }
      case TypeKind::boolean:
        return make_boolean(true, {});
      case TypeKind::list: {
        Node list;
        list.kind = NodeKind::sequence;
        for (auto n = pick(3) + 1; n > 0; --n)
          list.items.push_back(fact.type.parameters[0].kind == TypeKind::integer
                                   ? integer(static_cast<std::int64_t>(pick(9)))
                                   : text(plain_word()));
        return list;
      }
      case TypeKind::map: {
        Node map;
        map.kind = NodeKind::mapping;
        map.entries.push_back({word(), {}, text(word())});
        return map;
      }
      default:
        return text(fact.choices.empty() ? plain_word() : fact.choices[pick(3)].text);
    }
  }
  // A list's word must not look like a flag; argparse takes a lone dash as a value.
  std::string plain_word() { return word(); }

  const FactDeclaration& fact() {
    const auto& facts = small_pack().schema.facts;
    return facts[1 + pick(facts.size() - 1)];
  }
  FactId id(const FactDeclaration& fact) { return fact_id(small_pack(), fact.name); }

  // The words behind the launcher, and what they mean.
  std::vector<std::string> words(std::map<FactId, std::string>& meaning) {
    std::vector<std::string> result{"model"};
    meaning[0] = "'model'";
    for (auto n = pick(6); n > 0; --n) {
      const FactDeclaration& chosen = fact();
      const Node set_value = value(chosen);
      ArgumentWords words = write_argument(chosen, set_value);
      if (words.values.size() == 1 && pick(3) == 0) {
        result.push_back(words.flag + "=" + words.values[0]);
      } else {
        result.push_back(words.flag);
        result.insert(result.end(), words.values.begin(), words.values.end());
      }
      meaning[id(chosen)] = python_repr(set_value);
    }
    return result;
  }
  std::vector<LaunchEdit> edits(std::map<FactId, std::string>& meaning) {
    std::vector<LaunchEdit> result;
    std::map<FactId, bool> edited;
    for (auto n = pick(4) + 1; n > 0; --n) {
      const FactDeclaration& chosen = fact();
      if (edited[id(chosen)]) continue;
      edited[id(chosen)] = true;
      if (pick(3) == 0) {
        result.push_back({id(chosen), true, {}});
        meaning.erase(id(chosen));
      } else {
        result.push_back({id(chosen), false, value(chosen)});
        meaning[id(chosen)] = python_repr(result.back().value);
      }
    }
    return result;
  }

 private:
  std::mt19937 random_;
};

std::map<FactId, std::string> meaning_of(const Launch& launch) {
  std::map<FactId, std::string> meaning;
  for (const LaunchArgument& argument : launch.arguments)
    meaning[argument.fact] = python_repr(argument.value);
  return meaning;
}

std::string shell_text(RandomLaunch& random, const std::vector<std::string>& words) {
  static const std::vector<std::string> kGaps{" ", "  ", " \\\n    "};
  const std::string gap = kGaps[random.pick(kGaps.size())];
  std::string result = "sglang serve";
  for (const std::string& word : words) result += gap + quote_shell_word(word);
  return result;
}

void expect_round_trip(const std::string& input, const std::vector<LaunchEdit>& edits,
                       const std::map<FactId, std::string>& wanted) {
  const std::string result = spliced(input, edits);
  const ReadText read(result);
  ASSERT_TRUE(read.launches) << input << "\n--->\n" << result << "\n" << read.errors();
  EXPECT_EQ(meaning_of(read.only()), wanted) << input << "\n--->\n" << result;
}

TEST(RewriterProperty, ShellCommandsReadBackAsEdited) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    RandomLaunch random(seed);
    std::map<FactId, std::string> meaning;
    const auto words = random.words(meaning);
    std::string command = shell_text(random, words);
    static const std::vector<std::string> kAround{"nohup ", "A='b c' env C=1 ", "docker run img ",
                                                  ""};
    command = kAround[random.pick(kAround.size())] + command;
    for (auto depth = random.pick(3); depth > 0; --depth)
      command = random.pick(2) == 0 ? "bash -c " + quote_shell_word(command)
                                    : "bash -c \"" + escape_for_double_quotes(command) + "\"";
    const auto edits = random.edits(meaning);
    expect_round_trip(command + " > log 2>&1 &\n", edits, meaning);
  }
}

TEST(RewriterProperty, ManifestListsReadBackAsEdited) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomLaunch random(seed);
    std::map<FactId, std::string> meaning;
    const auto words = random.words(meaning);
    const bool is_block = random.pick(2) == 0;
    std::string list;
    for (const std::string& word : words) {
      // $ would be Kubernetes' own
      std::string item =
          is_plain_yaml(word, !is_block) && random.pick(2) == 0 ? word : write_json_string(word);
      list += is_block ? "\n      - " + item : (list.empty() ? "" : ", ") + item;
    }
    const std::string manifest =
        "kind: Pod\nspec:\n  containers:\n    - name: x\n      command: [sglang, serve]\n      "
        "args: " +
        (is_block ? list : "[" + list + "]") + "\n      image: y\n";
    expect_round_trip(manifest, random.edits(meaning), meaning);
  }
}

TEST(RewriterProperty, ScriptsInManifestsReadBackAsEdited) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomLaunch random(seed);
    std::map<FactId, std::string> meaning;
    const auto words = random.words(meaning);
    std::string command = shell_text(random, words);
    std::string scalar;
    if (random.pick(2) == 0) {
      scalar = write_json_string(command);
    } else {
      scalar = "|\n          ";
      for (const char c : command)
        scalar += c == '\n' ? std::string("\n          ") : std::string(1, c);
    }
    const std::string manifest =
        "kind: Pod\nspec:\n  containers:\n    - name: x\n      command:\n        - sh\n        - "
        "-c\n"
        "        - " +
        scalar + "\n      image: y\n";
    expect_round_trip(manifest, random.edits(meaning), meaning);
  }
}

TEST(RewriterProperty, MapsReadBackAsEdited) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    RandomLaunch random(seed);
    std::map<FactId, std::string> meaning;
    const bool is_json = random.pick(2) == 0;
    std::string map;
    for (auto n = random.pick(6) + 1; n > 0; --n) {
      const FactDeclaration& chosen = random.fact();
      if (meaning.count(random.id(chosen)) != 0) continue;
      const Node value = random.value(chosen);
      meaning[random.id(chosen)] = python_repr(value);
      if (is_json) {
        map += (map.empty() ? "" : ",\n  ") + write_json_string(chosen.name) + ": " +
               write_json(value);
      } else {
        map += chosen.name + ": " + write_yaml(value) + "\n";
      }
    }
    const auto edits = random.edits(meaning);
    if (meaning.empty()) continue;  // an empty map is no launch any more
    expect_round_trip(is_json ? "{\n  " + map + "\n}" : map, edits, meaning);
  }
}

}  // namespace
}  // namespace assay::test
