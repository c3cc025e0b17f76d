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

static void check(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  const char* facts[] = {"gpu.sm=90"};
  EXPECT(assay_check(known, kRefused, strlen(kRefused), NULL, facts, 1, &report, &message) ==
         ASSAY_FINDINGS);
  EXPECT(strstr(report, "toy/cache/fast-backend-without-fp8") != NULL);
  EXPECT(strstr(report, "--cache-dtype fp8") != NULL);
  EXPECT(message == NULL);
  assay_text_free(report);

  EXPECT(assay_check(known, kAccepted, strlen(kAccepted), NULL, facts, 1, &report, &message) ==
         ASSAY_CLEAN);
  assay_text_free(report);
  EXPECT(assay_check(known, kImage, strlen(kImage), "dockerfile", facts, 1, &report, &message) ==
         ASSAY_FINDINGS);
  assay_text_free(report);
  EXPECT(assay_check(known, kUnit, strlen(kUnit), "unit", facts, 1, &report, &message) ==
         ASSAY_FINDINGS);
  assay_text_free(report);
}

static void explain(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  EXPECT(assay_explain(known, kLog, strlen(kLog), &report, &message) == ASSAY_CLEAN);
  EXPECT(strstr(report, "00000000000000a1") != NULL);
  assay_text_free(report);
  EXPECT(assay_explain(known, "all is well", 11, &report, &message) == ASSAY_FINDINGS);
  assay_text_free(report);
  EXPECT(assay_explain(known, NULL, 0, &report, NULL) == ASSAY_FINDINGS);
  assay_text_free(report);
}

static void* use(void* known) {
  for (int i = 0; i < 20; ++i) {
    check(known);
    explain(known);
  }
  return NULL;
}

static void refuse(const assay_knowledge* known) {
  char* report = NULL;
  char* message = NULL;
  const char* facts[] = {"gpu.sn=90", NULL};
  EXPECT(assay_check(known, "ls", 2, NULL, NULL, 0, &report, &message) == ASSAY_NO_ANSWER);
  EXPECT(report == NULL && message != NULL);
  assay_text_free(message);
  EXPECT(assay_check(known, kRefused, strlen(kRefused), NULL, facts, 1, &report, &message) ==
         ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "gpu.sn") != NULL);
  assay_text_free(message);
  EXPECT(assay_check(known, kRefused, strlen(kRefused), NULL, facts + 1, 1, &report, NULL) ==
         ASSAY_NO_ANSWER);
  EXPECT(assay_check(NULL, kRefused, strlen(kRefused), NULL, NULL, 0, &report, NULL) ==
         ASSAY_NO_ANSWER);
  EXPECT(assay_check(known, NULL, 1, NULL, NULL, 0, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_check(known, "", 0, NULL, NULL, 1, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_check(known, "", 0, NULL, NULL, 0, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_explain(NULL, "", 0, &report, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_explain(known, NULL, 1, &report, NULL) == ASSAY_NO_ANSWER);
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
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_create(&threads[i], NULL, use, known) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  assay_knowledge_free(known);
  assay_knowledge_free(NULL);
  assay_text_free(NULL);
  return 0;
}
