// Ends long calls early: with a wish that was there before, from another thread, and from a signal
// handler; and looks at what the outputs hold then.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "engine/bindings/c/assay.h"

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// Seconds of work, which nobody waits for.
enum { kQueries = 1000, kHeads = 64, kWidth = 512, kRows = 64, kTopk = 2048, kUntouched = 7 };
static const size_t kRowValues = (size_t)kHeads * kWidth;

static DLTensor tensor(void* data, uint8_t code, uint8_t bits, int32_t ndim, int64_t* shape) {
  DLTensor made;
  memset(&made, 0, sizeof(made));
  made.data = data;
  made.device.device_type = kDLCPU;
  made.dtype.code = code;
  made.dtype.bits = bits;
  made.dtype.lanes = 1;
  made.ndim = ndim;
  made.shape = shape;
  return made;
}

static void* aligned(size_t size) {
  void* memory = aligned_alloc(64, (size + 63) / 64 * 64);
  EXPECT(memory != NULL);
  return memory;
}

typedef struct LongCall {
  int64_t shapes[4][3];
  DLTensor tensors[5];
  DLTensor out_tensor;
  uint16_t* out;
  assay_prefill_call call;
} LongCall;

// Every row of kv is 1.0, so that an output is 1.0 or was not touched.
static void make_call(LongCall* made) {
  static float one = 1.0F;
  const int64_t shapes[4][3] = {
      {kQueries, kHeads, kWidth}, {kRows, 1, kWidth}, {kQueries, 1, kTopk}, {1, 0, 0}};
  memset(made, 0, sizeof(*made));
  memcpy(made->shapes, shapes, sizeof(shapes));
  uint8_t* const q = aligned(kQueries * kRowValues);
  uint8_t* const kv = aligned((size_t)kRows * kWidth);
  int32_t* const indices = aligned(sizeof(int32_t) * kQueries * kTopk);
  made->out = aligned(sizeof(uint16_t) * kQueries * kRowValues);
  memset(q, 0, kQueries * kRowValues);
  memset(kv, 0x38, (size_t)kRows * kWidth);
  for (int i = 0; i < kQueries * kTopk; ++i) indices[i] = i % kRows;
  for (size_t i = 0; i < kQueries * kRowValues; ++i) made->out[i] = kUntouched;
  made->tensors[0] = tensor(q, 10, 8, 3, made->shapes[0]);
  made->tensors[1] = tensor(kv, 10, 8, 3, made->shapes[1]);
  made->tensors[2] = tensor(indices, 0, 32, 3, made->shapes[2]);
  made->tensors[3] = made->tensors[4] = tensor(&one, 2, 32, 1, made->shapes[3]);
  made->out_tensor = tensor(made->out, 4, 16, 3, made->shapes[0]);
  made->call.size = sizeof(made->call);
  made->call.q = &made->tensors[0];
  made->call.kv = &made->tensors[1];
  made->call.indices = &made->tensors[2];
  made->call.q_scale = &made->tensors[3];
  made->call.kv_scale = &made->tensors[4];
  made->call.out = &made->out_tensor;
  made->call.sm_scale = 0.04;
  made->call.d_v = 512;
}

static void free_call(LongCall* made) {
  for (int i = 0; i < 3; ++i) free(made->tensors[i].data);
  free(made->out);
}

// Rows of a query are all written or all as they were. Returns how many queries were done.
static int count_done(const LongCall* made) {
  int done = 0;
  for (int query = 0; query < kQueries; ++query) {
    const uint16_t* const rows = made->out + (size_t)query * kRowValues;
    EXPECT(rows[0] == 0x3F80 || rows[0] == kUntouched);
    for (size_t i = 1; i < kRowValues; ++i) EXPECT(rows[i] == rows[0]);
    done += rows[0] != kUntouched;
  }
  return done;
}

// Runs the call until it is cancelled; returns how many queries were done.
static int run_cancelled(const assay_cancellation* cancellation) {
  LongCall made;
  make_call(&made);
  const assay_prefill_options options = {sizeof(options), NULL, 0, 2, NULL, NULL, cancellation};
  assay_prefill_result result = {sizeof(result), 0, 0, NULL, NULL, NULL};
  char* report = NULL;
  char* message = NULL;
  EXPECT(assay_prefill(&made.call, &options, &result, &report, &message) == ASSAY_CANCELLED);
  EXPECT(report == NULL && message == NULL);
  EXPECT(result.out == NULL && result.max_logits == NULL && result.lse == NULL);
  const int done = count_done(&made);
  free_call(&made);
  return done;
}

static void* request(void* cancellation) {
  assay_cancellation_request(cancellation);
  return NULL;
}

static void cancel_from_another_thread(void) {
  pthread_t thread;
  assay_cancellation* const cancellation = assay_cancellation_create();
  EXPECT(pthread_create(&thread, NULL, request, cancellation) == 0);
  EXPECT(run_cancelled(cancellation) < kQueries);
  EXPECT(pthread_join(thread, NULL) == 0);
  assay_cancellation_free(cancellation);
}

static assay_cancellation* wish_of_signal;
static void on_alarm(int number) {
  (void)number;
  assay_cancellation_request(wish_of_signal);
}

static void cancel_from_a_signal_handler(void) {
  struct itimerval soon;
  memset(&soon, 0, sizeof(soon));
  soon.it_value.tv_usec = 100000;
  wish_of_signal = assay_cancellation_create();
  EXPECT(signal(SIGALRM, on_alarm) != SIG_ERR);
  EXPECT(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  EXPECT(run_cancelled(wish_of_signal) < kQueries);
  assay_cancellation_free(wish_of_signal);
}

// A wish that is there before keeps calls from beginning, any number of them.
static void cancel_before(const assay_knowledge* known) {
  static const char launch[] = "toy serve --model-path m --backend fast --cache-dtype bf16";
  static const char log[] = "ValueError: the fast backend needs an fp8 cache, got bf16.\n";
  char* report = NULL;
  char* message = NULL;
  assay_cancellation* const cancellation = assay_cancellation_create();
  assay_check_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.cancellation = cancellation;
  EXPECT(assay_cancellation_is_requested(cancellation) == 0);
  EXPECT(assay_check(known, launch, strlen(launch), &options, &report, &message) !=
         ASSAY_CANCELLED);
  assay_text_free(report);
  assay_cancellation_request(cancellation);
  EXPECT(assay_cancellation_is_requested(cancellation) == 1);
  EXPECT(assay_check(known, launch, strlen(launch), &options, &report, &message) ==
         ASSAY_CANCELLED);
  EXPECT(report == NULL && message == NULL);
  EXPECT(assay_explain(known, log, strlen(log), cancellation, &report, &message) ==
         ASSAY_CANCELLED);
  EXPECT(report == NULL && message == NULL);
  EXPECT(run_cancelled(cancellation) == 0);
  assay_cancellation_free(cancellation);
}

int main(int argc, char** argv) {
  assay_knowledge* known = NULL;
  EXPECT(argc == 3);
  EXPECT(assay_knowledge_load(argv[1], &known, NULL) == ASSAY_CLEAN);
  assay_cancellation_request(NULL);
  EXPECT(assay_cancellation_is_requested(NULL) == 0);
  assay_cancellation_free(NULL);
  cancel_before(known);
  cancel_from_another_thread();
  cancel_from_a_signal_handler();
  assay_knowledge_free(known);
  return 0;
}
