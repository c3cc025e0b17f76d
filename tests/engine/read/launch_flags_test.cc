// argparse's ways, and the shapes of commands around a launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/read/flag_reader.h"
#include "tests/engine/read/launch_test_support.h"

namespace assay::test {
namespace {

using ::testing::HasSubstr;

std::string values_of_flags(const std::string& arguments) {
  return ReadText("sglang serve " + arguments).values();
}
// The engine's messages, one a line.
std::string messages_of(const std::string& arguments) {
  const ReadText read("sglang serve " + arguments);
  std::string text;
  for (const LaunchFault& fault : read.only().faults) text += fault.message + "\n";
  return text;
}
std::string faults_of_flags(const std::string& arguments) {
  return ReadText("sglang serve " + arguments).faults();
}

TEST(Flags, TakeValuesInEverySpelling) {
  EXPECT_EQ(values_of_flags("--tp-size 8"), "tp_size=8");
  EXPECT_EQ(values_of_flags("--tp-size=8"), "tp_size=8");
  EXPECT_EQ(values_of_flags("-tp 8"), "tp_size=8");
  EXPECT_EQ(values_of_flags("-tp=8"), "tp_size=8");
  EXPECT_EQ(values_of_flags("--host=a=b"), "host='a=b'");
  EXPECT_EQ(values_of_flags("--host="), "host=''");
}

TEST(Flags, AreFoundByAUniquePrefix) {
  EXPECT_EQ(values_of_flags("--tp 8 --dp 2 --mem 0.9"),
            "dp_size=2 mem_fraction_static=0.9 tp_size=8");
  EXPECT_EQ(messages_of("--tp 8"), "");
  EXPECT_EQ(messages_of("--pp 2"),
            "ambiguous option: --pp could match --pp-size, --pp-max-micro-batch-size\n");
  EXPECT_EQ(values_of_flags("--pp=2 --tp=4"), "tp_size=4");
}

TEST(Flags, ConvertAsPythonDoes) {
  EXPECT_EQ(values_of_flags("--port ' 8 ' --tp-size 1_0 --dp-size +2"),
            "dp_size=2 port=8 tp_size=10");
  EXPECT_EQ(values_of_flags("--mem-fraction-static 1e-3"), "mem_fraction_static=0.001");
  EXPECT_EQ(values_of_flags("--mem-fraction-static 1"), "mem_fraction_static=1.0");
  EXPECT_EQ(messages_of("--tp-size x"),
            "argument --tp-size/--tensor-parallel-size/-tp: invalid int value: 'x'\n");
  EXPECT_EQ(messages_of("--dp-size 1.5"), "argument --dp-size: invalid int value: '1.5'\n");
  EXPECT_EQ(messages_of("--dp-size 0x10"), "argument --dp-size: invalid int value: '0x10'\n");
  EXPECT_EQ(messages_of("--mem-fraction-static 0x1"),
            "argument --mem-fraction-static: invalid float value: '0x1'\n");
  EXPECT_EQ(messages_of("--dp-size \"it's\""), "argument --dp-size: invalid int value: \"it's\"\n");
  EXPECT_EQ(values_of_flags("--dp-size x"), "dp_size='x'");
}

TEST(Flags, TakeTheUnitSuffixesThatAreDeclared) {
  EXPECT_EQ(values_of_flags("--context-length 128k"), "context_length=128000");
  EXPECT_EQ(values_of_flags("--context-length ' 128Ki '"), "context_length=131072");
  EXPECT_EQ(values_of_flags("--context-length 25.6k"), "context_length=25600");
  EXPECT_EQ(values_of_flags("--context-length 0.0019k"), "context_length=1");
  for (const char* refused : {"128K", "k", "1.5Ki", ".5k", "1.k", "-1k", "1kk", "1.2.3k",
                              "99999999999999999999k", "9223372036854775807M"})
    EXPECT_EQ(messages_of("--context-length=" + std::string(refused)),
              "argument --context-length: invalid int value: '" + std::string(refused) + "'\n");
  EXPECT_EQ(messages_of("--dp-size 1k"), "argument --dp-size: invalid int value: '1k'\n");
}

TEST(Flags, RefuseWhatIsNoChoice) {
  const ReadText read("sglang serve --kv-cache-dtype fp8_e4m4");
  const LaunchFault& fault = read.only().faults.at(0);
  EXPECT_EQ(fault.message,
            "argument --kv-cache-dtype: invalid choice: 'fp8_e4m4' (choose from 'auto', 'bf16', "
            "'fp8_e4m3', 'fp8_e5m2')");
  EXPECT_EQ(fault.diagnostic.code, code::invalid_flag_value);
  EXPECT_EQ(fault.diagnostic.help, "Did you mean `fp8_e4m3`?");
  EXPECT_EQ(read.sources.text(fault.diagnostic.span), "fp8_e4m4");
}

TEST(Flags, OnlyWarnWhereTheLaunchHasPluginsThatMayAddTheChoice) {
  const ReadText stock("sglang serve --attention-backend mine");
  EXPECT_EQ(stock.only().faults.at(0).diagnostic.severity, Severity::error);
  const ReadText read("SGLANG_PLUGINS=mine sglang serve --attention-backend mine");
  EXPECT_EQ(read.only().faults.at(0).diagnostic.severity, Severity::warning);
  EXPECT_EQ(read.values(), "attention_backend='mine'");
}

TEST(Flags, TakeNegativeNumbersAndNoOtherDashes) {
  EXPECT_EQ(values_of_flags("--chunked-prefill-size -1"), "chunked_prefill_size=-1");
  EXPECT_EQ(messages_of("--host --tp-size 8"), "argument --host: expected one argument\n");
  EXPECT_EQ(messages_of("--tp-size"),
            "argument --tp-size/--tensor-parallel-size/-tp: expected one argument\n");
  EXPECT_EQ(faults_of_flags("--host"),
            "missing-flag-value: argument --host: expected one argument\n");
  EXPECT_EQ(messages_of("--lora-paths --tp-size 8"),
            "argument --lora-paths: expected at least one argument\n");
}

TEST(Flags, TakeListsUpToTheNextFlag) {
  EXPECT_EQ(values_of_flags("--lora-paths a b=c --tp 2 --cuda-graph-bs 1 2 4"),
            "cuda_graph_bs=[1, 2, 4] lora_paths=['a', 'b=c'] tp_size=2");
  EXPECT_EQ(messages_of("--cuda-graph-bs 1 x"),
            "argument --cuda-graph-bs: invalid int value: 'x'\n");
}

TEST(Flags, StoreWhatASwitchStores) {
  EXPECT_EQ(values_of_flags("--disable-radix-cache --no-enable-metrics"),
            "disable_radix_cache=True enable_metrics=False");
  EXPECT_EQ(messages_of("--disable-radix-cache=true"),
            "argument --disable-radix-cache: ignored explicit argument 'true'\n");
}

TEST(Flags, UnknownOnesAreNamedAndPassedOver) {
  const ReadText read("sglang serve m --atention-backend fa3 --zzz 1 2 --dp-size 2");
  EXPECT_EQ(read.values(), "dp_size=2 model_path='m'");
  ASSERT_EQ(read.only().faults.size(), 2u);
  EXPECT_EQ(read.only().faults[0].message, "unrecognized arguments: --atention-backend");
  EXPECT_EQ(read.only().faults[0].diagnostic.help, "Did you mean `--attention-backend`?");
  EXPECT_EQ(read.only().faults[0].diagnostic.code, code::unknown_flag);
  EXPECT_EQ(read.only().faults[1].diagnostic.help, "");
}

TEST(Flags, UnderscoresAreRefusedAndReadAllTheSame) {
  const ReadText read("sglang serve --kv_cache_dtype=bf16 --tp_size 8");
  EXPECT_EQ(read.values(), "kv_cache_dtype='bf16' tp_size=8");
  EXPECT_EQ(read.only().faults[0].message, "unrecognized arguments: --kv_cache_dtype");
  EXPECT_EQ(read.only().faults[1].diagnostic.help, "Did you mean `--tp-size`?");
}

TEST(Flags, TheLastOfRepeatedOnesWins) {
  const ReadText read("sglang serve --tp-size 4 --host a --tensor-parallel-size 8");
  EXPECT_EQ(read.values(), "host='a' tp_size=8");
  const Diagnostic& warning = read.only().faults.at(0).diagnostic;
  EXPECT_EQ(warning.code, code::repeated_flag);
  EXPECT_EQ(warning.severity, Severity::warning);
  EXPECT_EQ(read.sources.text(warning.related.at(0).span), "--tp-size");
}

TEST(Flags, DeprecatedSpellingsStoreAndWarn) {
  const ReadText read("sglang serve --speculative-algo EAGLE");
  EXPECT_EQ(read.values(), "speculative_algorithm='EAGLE'");
  EXPECT_EQ(read.only().faults.at(0).diagnostic.code, code::deprecated_flag);
  EXPECT_EQ(read.only().faults.at(0).diagnostic.help, "Write `--speculative-algorithm`.");
  EXPECT_EQ(values_of_flags("--speculative-alg EAGLE"), "speculative_algorithm='EAGLE'");
}

TEST(Flags, ADeprecatedSwitchWithoutASuccessorSaysWhatItsDocumentationSays) {
  const ReadText read("sglang serve --enable-dp-attention");
  EXPECT_EQ(read.values(), "enable_dp_attention=True");
  EXPECT_EQ(read.only().faults.at(0).diagnostic.help, "Write --attn-dp-size.");
}

TEST(Flags, JsonValuesAreParsedWithTheirPlaces) {
  const ReadText read("sglang serve --json-model-override-args '{\"a\": {\"b\": [1, 2]}}'");
  EXPECT_EQ(read.values(), "json_model_override_args={'a': {'b': [1, 2]}}");
  EXPECT_EQ(read.sources.text(read.only().arguments[0].value.entries[0].key_span), "\"a\"");
  EXPECT_EQ(values_of_flags(R"(--json-model-override-args "{\"a\": 1}")"),
            "json_model_override_args={'a': 1}");
}

TEST(Flags, JsonFaultsAreReported) {
  EXPECT_THAT(faults_of_flags("--json-model-override-args '{\"a\": }'"),
              HasSubstr("invalid-flag-value"));
  EXPECT_THAT(faults_of_flags("--json-model-override-args '[1]'"), HasSubstr("a list"));
  const ReadText path("sglang serve --json-model-override-args file.json");
  EXPECT_EQ(path.only().faults.at(0).diagnostic.severity, Severity::warning);
  EXPECT_EQ(path.values(), "json_model_override_args=?file.json");
}

TEST(Flags, UnresolvedValuesAreUnknownAndNoError) {
  const ReadText read("sglang serve $MODEL --tp-size $TP --host a \"$@\" $EXTRA_ARGS");
  EXPECT_EQ(read.values(), "host='a' model_path=?$MODEL tp_size=?$TP");
  ASSERT_EQ(read.only().faults.size(), 4u);
  for (const LaunchFault& fault : read.only().faults) {
    EXPECT_EQ(fault.diagnostic.code, code::unresolved_variable);
    EXPECT_EQ(fault.diagnostic.severity, Severity::warning);
  }
}

TEST(Flags, AnUnresolvedWordDoesNotReplaceThePositionalThatAFlagGave) {
  const ReadText read("sglang serve --model-path m $X");
  EXPECT_EQ(read.values(), "model_path='m'");
  ASSERT_EQ(read.only().faults.size(), 1u);
  EXPECT_EQ(read.only().faults[0].diagnostic.code, code::unresolved_variable);
  EXPECT_EQ(ReadText("sglang serve $X").values(), "model_path=?$X");
}

TEST(Flags, PositionalsStandRightBehindALauncherThatTakesThem) {
  EXPECT_EQ(values_of_flags("m --tp 8"), "model_path='m' tp_size=8");
  EXPECT_EQ(messages_of("m n"), "unrecognized arguments: n\n");
  EXPECT_EQ(messages_of("--tp 8 m"), "unrecognized arguments: m\n");
  EXPECT_EQ(messages_of("--tp 8 -- m"), "unrecognized arguments: m\n");
  const ReadText module("python -m sglang.launch_server m --tp 8");
  EXPECT_EQ(module.values(), "tp_size=8");
  EXPECT_EQ(module.only().faults.at(0).message, "unrecognized arguments: m");
}

TEST(Flags, WordsThatMayBringMoreLeaveTheRestUnseen) {
  for (const char* words : {"\"$@\"", "$*", "\"${ARGS[@]}\"", "\"${CMD[*]}\"", "$SGLANG_ARGS",
                            "--tp 8 $X", "--config $CFG", "--config missing.yaml", "m $X"}) {
    MemoryFileSystem files;
    const ReadText read("sglang serve " + std::string(words), InputKind::automatic, &files);
    EXPECT_TRUE(read.only().has_unseen_arguments) << words;
  }
  EXPECT_TRUE(ReadText("python3 -m sglang.launch_server $X").only().has_unseen_arguments);
  EXPECT_FALSE(ReadText("sglang serve $MODEL --tp $TP").only().has_unseen_arguments);
}

TEST(Flags, AFlagThatOnlyTheShellKnowsIsNoUnknownOne) {
  const ReadText read("sglang serve m --$FLAG 3 --tp 2");
  EXPECT_TRUE(read.only().has_unseen_arguments);
  EXPECT_EQ(read.values(), "model_path='m' tp_size=2");
  EXPECT_THAT(read.faults(), Not(HasSubstr("unrecognized")));
}

TEST(Flags, ChoicesAreOnlyGuessedAtFromMisspellings) {
  EXPECT_THAT(ReadText("sglang serve m --kv-cache-dtype fp8_e4m4").only().faults[0].diagnostic.help,
              HasSubstr("fp8_e4m3"));
  EXPECT_EQ(ReadText("sglang serve m --kv-cache-dtype fp16").only().faults[0].diagnostic.help, "");
  EXPECT_EQ(ReadText("sglang serve m --kv-cache-dtype int4").only().faults[0].diagnostic.help, "");
  EXPECT_EQ(ReadText("{\"model_path\": \"m\", \"kv_cache_dtype\": \"fp8_e4m4\"}")
                .only()
                .faults[0]
                .diagnostic.help,
            "Did you mean `fp8_e4m3`?");
}

TEST(Maps, KeysAreOnlyGuessedAtFromMisspellings) {
  const auto help = [](const std::string& key) {
    return ReadText("{\"model_path\": \"m\", \"tp_size\": 1, \"" + key + "\": 1}")
        .only()
        .faults[0]
        .diagnostic.help;
  };
  EXPECT_EQ(help("dp_sise"), "Did you mean `dp_size`?");
  EXPECT_EQ(help("enable_radix_cache"), "");
  EXPECT_EQ(help("max_batch_size"), "");
  EXPECT_EQ(help("old_cache_dtype"), "It is `--kv-cache-dtype` now.");
}

TEST(Maps, OneAndZeroAreBoolsToTheEnginesClassAndNoValuesOfASwitch) {
  const std::string keys =
      "\"model_path\": \"m\", \"disable_radix_cache\": 1, \"enable_metrics\": 0";
  EXPECT_EQ(ReadText("{" + keys + "}").values(),
            "disable_radix_cache=True enable_metrics=False model_path='m'");
  EXPECT_EQ(ReadText("{" + keys + "}").faults(), "");
  EXPECT_THAT(ReadText("model_path: m\ndisable_radix_cache: 1\n").faults(),
              HasSubstr("invalid bool value"));
}

TEST(Flags, HelpEndsTheParsing) {
  for (const char* words : {"--help", "-h", "--nonsense --help", "--tp 8 -h --tp x"}) {
    const ReadText read("sglang serve " + std::string(words));
    EXPECT_EQ(read.only().stage, LaunchStage::help) << words;
    EXPECT_EQ(read.faults(), "") << words;
  }
  EXPECT_THAT(faults_of_flags("--tp x --help"), HasSubstr("invalid int value"));
}

TEST(Flags, ABackslashBeforeABlankIsExplained) {
  const ReadText read("sglang serve m \\ \n --tp 8");
  EXPECT_THAT(read.only().faults.at(0).diagnostic.message, HasSubstr("last character"));
  EXPECT_EQ(read.values(), "model_path='m' tp_size=8");
  const ReadText other("sglang serve m \\ \necho done");
  EXPECT_THAT(other.only().faults.at(0).diagnostic.help, HasSubstr("last character"));
}

TEST(ConfigFileOfACommand, ItsArgumentsComeBeforeTheCommands) {
  MemoryFileSystem files;
  files.write("c.yaml", "tp-size: 4\ndp-size: 2\nlora-paths: [a, b]\ndisable-radix-cache: false\n");
  const ReadText read("sglang serve --config c.yaml --tp-size 8", InputKind::automatic, &files);
  EXPECT_EQ(read.values(), "dp_size=2 lora_paths=['a', 'b'] tp_size=8");
  EXPECT_EQ(read.faults(), "");
}

TEST(ConfigFileOfACommand, ItsFaultsAreTheLaunchs) {
  MemoryFileSystem files;
  files.write("bad.yaml", "tp-size: [\n");
  files.write("list.yaml", "- a\n");
  files.write("unknown.yaml", "tp-sise: 8\n");
  const auto faults = [&](const std::string& name) {
    return ReadText("sglang serve --config " + name, InputKind::automatic, &files).faults();
  };
  EXPECT_THAT(faults("missing.yaml"), HasSubstr("unreadable-file"));
  EXPECT_THAT(faults("bad.yaml"), HasSubstr("yaml-syntax"));
  EXPECT_THAT(faults("list.yaml"), HasSubstr("wrong-type"));
  EXPECT_THAT(faults("unknown.yaml"), HasSubstr("unknown-flag: unrecognized arguments: --tp-sise"));
  const ReadText unread("sglang serve --config c.yaml");
  EXPECT_EQ(unread.only().faults.at(0).diagnostic.severity, Severity::warning);
}

TEST(Wrappers, ArePassedOver) {
  for (const char* wrapper :
       {"nohup",
        "exec",
        "exec -a name",
        "env",
        "env -u X A=1",
        "sudo -E -u bob A=1",
        "time -p",
        "timeout -k 5 60",
        "taskset -c 0-7",
        "nice -n 5",
        "stdbuf -oL -e 0",
        "setsid -f",
        "numactl --cpunodebind=0 --membind 0",
        "srun -N 2 --gres=gpu:8 --container-image x",
        "mpirun -np 2 -x A=1 --mca btl self",
        "uv run --with x",
        "conda run -n env",
        "unbuffer",
        "docker run -it --rm --gpus all -v /a:/b -e A=1 --shm-size 32g lmsysorg/sglang:latest",
        "podman run img",
        "docker exec -it box",
        "docker compose run svc",
        "kubectl run x --image=y --",
        "kubectl exec -it pod -c box --",
        "nsys profile -o x",
        "my-wrapper --flag",
        "ssh host",
        "nohup numactl -N 0 env A=1",
        "/usr/bin/env"}) {
    for (const char* launcher :
         {"python -m sglang.launch_server", "/usr/bin/python3.11 -X dev -u -m sglang.launch_server",
          "sglang serve", "python3 /x/sglang/launch_server.py"}) {
      EXPECT_EQ(ReadText(std::string(wrapper) + " " + launcher + " --tp 8").values(), "tp_size=8")
          << wrapper << " " << launcher;
    }
  }
}

TEST(Wrappers, PythonLaunchersTakeAModule) {
  EXPECT_EQ(ReadText("torchrun --nproc_per_node 8 -m sglang.launch_server --tp 8").values(),
            "tp_size=8");
  EXPECT_EQ(ReadText("$PYTHON -m sglang.launch_server --tp 8").values(), "tp_size=8");
}

TEST(Wrappers, EntrypointsAndImagesStandForTheLauncher) {
  EXPECT_EQ(ReadText("docker run --entrypoint python3 img -m sglang.launch_server --tp 8").values(),
            "tp_size=8");
  const ReadText image("docker run --gpus all vllm/vllm-openai:latest --model m -tp 8");
  EXPECT_EQ(image.only().pack, "vllm");
  EXPECT_EQ(image.values(), "model_path='m' tensor_parallel_size=8");
}

TEST(Wrappers, ShellTextInsideIsReadWithItsPlaces) {
  const ReadText read("A=1 bash -lc \"cd /x && sglang serve m --host \\\"a b\\\" --tp 8\"");
  EXPECT_EQ(read.values(), "host='a b' model_path='m' tp_size=8");
  EXPECT_EQ(read.sources.text(read.only().arguments[1].value_span), "\\\"a b\\\"");
  EXPECT_EQ(read.only().enclosures, std::vector{Enclosure::shell_double_quotes});
  EXPECT_EQ(read.only().environment.at(0).name, "A");
  EXPECT_EQ(ReadText("bash -euxo pipefail -c 'sglang serve --tp 8'").values(), "tp_size=8");
  EXPECT_EQ(ReadText("tmux new-session -d -s x 'sglang serve --tp 8'").values(), "tp_size=8");
  EXPECT_EQ(ReadText("ssh host 'A=1 sglang serve --tp 8'").values(), "tp_size=8");
  EXPECT_EQ(ReadText("bash -c 'sglang serve --tp 1 & sglang serve --tp 2; wait'").launches->size(),
            2u);
  EXPECT_FALSE(ReadText("bash sglang serve").launches.has_value());
}

TEST(Wrappers, EnvironmentIsGathered) {
  const ReadText read(
      "export A=1\nB=2 env C=3 docker run -e D=4 --env=E=5 -e HF_TOKEN -eF=6 img bash -c 'export "
      "G=7; H=$A sglang serve m'");
  std::string shown;
  for (const EnvironmentSetting& setting : read.only().environment)
    shown += setting.name + "=" + (setting.is_known ? setting.value : "?") + " ";
  EXPECT_EQ(shown, "A=1 B=2 C=3 D=4 E=5 HF_TOKEN=? F=6 G=7 H=1 ");
}

TEST(DisplayName, JoinsEverySpelling) {
  const RulePack& pack = small_pack();
  EXPECT_EQ(argument_display_name(*pack.schema.find("tp_size"), "--tp-size"),
            "--tp-size/--tensor-parallel-size/-tp");
  EXPECT_EQ(argument_display_name(*pack.schema.find("speculative_algorithm"), "--speculative-algo"),
            "--speculative-algo");
}

}  // namespace
}  // namespace assay::test
