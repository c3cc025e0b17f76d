// Loads the tests' knowledge, checks a refused and an accepted launch, explains a log, from C and
// from several threads; and gives each function what it must refuse.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bindings/c/assay.h"

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static const char kRefused[] = "toy serve --model-path m --backend fast --cache-dtype bf16";
static const char kAccepted[] = "toy serve --model-path m --backend fast --cache-dtype fp8";
static const char kImage[] =
    "FROM toy\nCMD toy serve --model-path m --backend fast --cache-dtype bf16\n";
static const char kUnit[] =
    "[Service]\nExecStart=toy serve --model-path m --backend fast --cache-dtype bf16\n";
static const char kLog[] = "ValueError: the fast backend needs an fp8 cache, got bf16.\n";

// Nothing said but what the launch is.
static assay_check_options options_of(const char* input) {
  assay_check_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.input = input;
  return options;
}

// Nothing said but that fact.
static assay_check_options with_fact(const char* const* fact) {
  assay_check_options options = options_of(NULL);
  options.facts = fact;
  options.fact_count = 1;
  return options;
}

static void check(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  const char* facts[] = {"gpu.sm=90"};
  const assay_check_options given = with_fact(facts);
  assay_check_options image = given;
  assay_check_options unit = given;
  image.input = "dockerfile";
  unit.input = "unit";
  EXPECT(assay_check(known, kRefused, strlen(kRefused), &given, &report, &message) ==
         ASSAY_FINDINGS);
  EXPECT(strstr(report, "toy/cache/fast-backend-without-fp8") != NULL);
  EXPECT(strstr(report, "--cache-dtype fp8") != NULL);
  EXPECT(message == NULL);
  assay_text_free(report);

  EXPECT(assay_check(known, kAccepted, strlen(kAccepted), &given, &report, &message) ==
         ASSAY_CLEAN);
  assay_text_free(report);
  EXPECT(assay_check(known, kImage, strlen(kImage), &image, &report, &message) == ASSAY_FINDINGS);
  assay_text_free(report);
  EXPECT(assay_check(known, kUnit, strlen(kUnit), &unit, &report, &message) == ASSAY_FINDINGS);
  assay_text_free(report);
}

static void explain(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  EXPECT(assay_explain(known, kLog, strlen(kLog), NULL, &report, &message) == ASSAY_CLEAN);
  EXPECT(strstr(report, "00000000000000a1") != NULL);
  assay_text_free(report);
  EXPECT(assay_explain(known, "all is well", 11, NULL, &report, &message) == ASSAY_FINDINGS);
  assay_text_free(report);
  EXPECT(assay_explain(known, NULL, 0, NULL, &report, NULL) == ASSAY_FINDINGS);
  assay_text_free(report);
}

// What is said of the machine, the release and the model is taken as the program takes it.
static void say_more(const assay_knowledge* known) {
  char* report = NULL;
  assay_check_options options = options_of(NULL);
  options.gpu = "H200x8";
  EXPECT(assay_check(known, kRefused, strlen(kRefused), &options, &report, NULL) == ASSAY_FINDINGS);
  EXPECT(strstr(report, "toy/cache/fast-backend-without-fp8") != NULL);
  assay_text_free(report);
  options.model_config = "{\"hidden_size\": 7168}";
  options.model_config_size = strlen(options.model_config);
  EXPECT(assay_check(known, kAccepted, strlen(kAccepted), &options, &report, NULL) == ASSAY_CLEAN);
  assay_text_free(report);
}

static void refuse_options(const assay_knowledge* known, assay_check_options options,
                           const char* words) {
  char* report = NULL;
  char* message = NULL;
  EXPECT(assay_check(known, kAccepted, strlen(kAccepted), &options, &report, &message) ==
         ASSAY_NO_ANSWER);
  EXPECT(report == NULL);
  if (strstr(message, words) == NULL) fprintf(stderr, "%s\n", message);
  EXPECT(strstr(message, words) != NULL);
  assay_text_free(message);
}

static void refuse_what_is_said(const assay_knowledge* known) {
  assay_check_options options = options_of(NULL);
  options.size = 1;
  refuse_options(known, options, "sizeof(assay_check_options)");
  options = options_of("nonsense");
  refuse_options(known, options, "names no kind of input");
  options = options_of(NULL);
  options.fact_count = 1;
  refuse_options(known, options, "`facts` is NULL");
  options = options_of(NULL);
  options.gpu = "Z80";
  refuse_options(known, options, "Z80");
  options = options_of(NULL);
  options.engine_version = "newest";
  refuse_options(known, options, "newest");
  options = options_of(NULL);
  options.model_config_size = 1;
  refuse_options(known, options, "`model_config` is NULL");
  options.model_config = "{";
  refuse_options(known, options, "config.json:1");
}

static void* use(void* known) {
  for (int i = 0; i < 20; ++i) {
    check(known);
    explain(known);
    say_more(known);
  }
  return NULL;
}

static void refuse(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  const char* facts[] = {"gpu.sn=90", NULL};
  const assay_check_options unknown = with_fact(facts);
  const assay_check_options none = with_fact(facts + 1);
  EXPECT(assay_check(known, "ls", 2, NULL, &report, &message) == ASSAY_NO_ANSWER);
  EXPECT(report == NULL && message != NULL);
  assay_text_free(message);
  EXPECT(assay_check(known, kRefused, strlen(kRefused), &unknown, &report, &message) ==
         ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "gpu.sn") != NULL);
  assay_text_free(message);
  EXPECT(assay_check(known, kRefused, strlen(kRefused), &none, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_check(NULL, kRefused, strlen(kRefused), NULL, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_check(known, NULL, 1, NULL, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_check(known, "", 0, NULL, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_explain(NULL, "", 0, NULL, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_explain(known, NULL, 1, NULL, &report, NULL) == ASSAY_NO_ANSWER);
}

int main(int argc, char** argv) {
  enum { kThreads = 4 };
  pthread_t threads[kThreads];
  assay_knowledge* known = NULL;
  char* message = NULL;
  EXPECT(argc == 3);
  EXPECT(strchr(assay_version(), '.') != NULL);
  EXPECT(assay_knowledge_load("/nowhere", &known, &message) == ASSAY_NO_ANSWER);
  EXPECT(known == NULL && message != NULL);
  assay_text_free(message);
  EXPECT(assay_knowledge_load(NULL, &known, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_knowledge_load(argv[1], NULL, NULL) == ASSAY_NO_ANSWER);
  if (assay_knowledge_load(argv[1], &known, &message) != ASSAY_CLEAN) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  refuse(known);
  refuse_what_is_said(known);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_create(&threads[i], NULL, use, known) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  assay_knowledge_free(known);
  assay_knowledge_free(NULL);
  assay_text_free(NULL);
  return 0;
}
