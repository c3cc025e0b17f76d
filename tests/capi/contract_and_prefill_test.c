// Holds kernel calls against a contract from C, runs the prefill on a case whose answer is known,
// from several threads, and gives each function what it must refuse.
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

enum { kQueries = 2, kHeads = 64, kWidth = 512, kRows = 4, kTopk = 128, kTensors = 10 };

// The arguments of a legal call, and the memory they lie in.
typedef struct Case {
  int64_t q_shape[3];
  int64_t kv_shape[3];
  int64_t indices_shape[3];
  int64_t scale_shape[1];
  DLTensor q;
  DLTensor kv;
  DLTensor indices;
  DLTensor scale[2];
  float scales[2];
  assay_prefill_call call;
} Case;

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

// Queries of zeros give every row the same weight, and every row is 1.0 (0x38 in e4m3).
static Case* make_case(void) {
  Case* made = calloc(1, sizeof(Case));
  const size_t q_bytes = (size_t)kQueries * kHeads * kWidth;
  const size_t kv_bytes = (size_t)kRows * kWidth;
  void* q = aligned(q_bytes);
  void* kv = aligned(kv_bytes);
  int32_t* indices = aligned(sizeof(int32_t) * kQueries * kTopk);
  EXPECT(made != NULL);
  memset(q, 0, q_bytes);
  memset(kv, 0x38, kv_bytes);
  for (int i = 0; i < kQueries * kTopk; ++i) indices[i] = i % kTopk < kRows ? i % kTopk : -1;
  made->q_shape[0] = kQueries;
  made->q_shape[1] = kHeads;
  made->q_shape[2] = kWidth;
  made->kv_shape[0] = kRows;
  made->kv_shape[1] = 1;
  made->kv_shape[2] = kWidth;
  made->indices_shape[0] = kQueries;
  made->indices_shape[1] = 1;
  made->indices_shape[2] = kTopk;
  made->scale_shape[0] = 1;
  made->scales[0] = 1.0F;
  made->scales[1] = 2.0F;
  made->q = tensor(q, 10, 8, 3, made->q_shape);
  made->kv = tensor(kv, 10, 8, 3, made->kv_shape);
  made->indices = tensor(indices, 0, 32, 3, made->indices_shape);
  for (int i = 0; i < 2; ++i)
    made->scale[i] = tensor(&made->scales[i], 2, 32, 1, made->scale_shape);
  made->call.size = sizeof(assay_prefill_call);
  made->call.q = &made->q;
  made->call.kv = &made->kv;
  made->call.indices = &made->indices;
  made->call.q_scale = &made->scale[0];
  made->call.kv_scale = &made->scale[1];
  made->call.sm_scale = 0.04;
  made->call.d_v = 512;
  return made;
}

static void free_case(Case* made) {
  free(made->q.data);
  free(made->kv.data);
  free(made->indices.data);
  free(made);
}

static void free_made(assay_prefill_result* result) {
  DLManagedTensor* made[] = {result->out, result->max_logits, result->lse};
  for (int i = 0; i < 3; ++i)
    if (made[i] != NULL) made[i]->deleter(made[i]);
}

static void run_known_case(void) {
  Case* known = make_case();
  assay_prefill_options options = {sizeof(options), NULL, 1, 2, NULL, NULL, NULL};
  assay_prefill_result result = {sizeof(result), 0, 0, NULL, NULL, NULL};
  char* report = NULL;
  char* message = NULL;
  EXPECT(assay_prefill(&known->call, &options, &result, &report, &message) == ASSAY_CLEAN);
  EXPECT(report == NULL && message == NULL);
  EXPECT(result.out != NULL && result.max_logits != NULL && result.lse != NULL);
  const DLTensor* out = &result.out->dl_tensor;
  EXPECT(out->ndim == 3 && out->shape[0] == kQueries && out->shape[2] == 512);
  EXPECT(out->dtype.code == kDLBfloat && out->dtype.bits == 16);
  for (int i = 0; i < kQueries * kHeads * 512; ++i)
    EXPECT(((const uint16_t*)out->data)[i] == 0x4000);  // 2.0: the row's 1.0 times kv_scale
  EXPECT(((const float*)result.max_logits->dl_tensor.data)[0] == 0.0F);
  free_made(&result);

  // The caller's own outputs, and an index that is none.
  uint16_t* own = aligned(sizeof(uint16_t) * kQueries * kHeads * 512);
  int64_t out_shape[3] = {kQueries, kHeads, 512};
  DLTensor own_out = tensor(own, 4, 16, 3, out_shape);
  known->call.out = &own_out;
  ((int32_t*)known->indices.data)[5] = 1000;
  EXPECT(assay_prefill(&known->call, NULL, &result, NULL, NULL) == ASSAY_CLEAN);
  EXPECT(result.out == NULL && result.lse != NULL && result.out_of_range_indices == 1);
  EXPECT(own[0] == 0x4000);
  free_made(&result);
  own[0] = 7;
  EXPECT(assay_prefill(&known->call, &options, &result, &report, &message) == ASSAY_FINDINGS);
  EXPECT(strstr(report, "indices-range") != NULL && strstr(report, "1000 at [0, 0, 5]") != NULL);
  EXPECT(own[0] == 7 && result.lse == NULL);
  assay_text_free(report);
  free(own);
  free_case(known);
}

// `assay_prefill_check` refuses with a report that holds `words`.
static void expect_refused(const Case* wrong, const char* words) {
  char* report = NULL;
  EXPECT(assay_prefill_check(&wrong->call, NULL, &report, NULL) == ASSAY_FINDINGS);
  if (strstr(report, words) == NULL) fprintf(stderr, "%s\n", report);
  EXPECT(strstr(report, words) != NULL);
  assay_text_free(report);
  EXPECT(assay_prefill_check(&wrong->call, NULL, NULL, NULL) == ASSAY_FINDINGS);
}

// ... or cannot look at the call, and says why.
static void expect_unreadable(const Case* wrong, const char* words) {
  char* message = NULL;
  EXPECT(assay_prefill_check(&wrong->call, NULL, NULL, &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, words) != NULL);
  assay_text_free(message);
}

static void refuse_wrong_tensors(void) {
  Case* wrong = make_case();
  const Case right = *wrong;
  void* q = wrong->q.data;
  EXPECT(assay_prefill_check(&wrong->call, NULL, NULL, NULL) == ASSAY_CLEAN);

  wrong->q.ndim = 2;
  expect_refused(wrong, "q must have shape (s_q, h_q, d_qk), got (2, 64)");
  wrong->q.ndim = 0;
  expect_refused(wrong, "q must have shape (s_q, h_q, d_qk), got ()");
  wrong->q.ndim = 1 << 30;
  expect_unreadable(wrong, "`q` has 1073741824 dimensions, which is not between 0 and 64");
  wrong->q.ndim = -1;
  expect_unreadable(wrong, "`q` has -1 dimensions");
  wrong->q = right.q;
  wrong->q.shape = NULL;
  expect_unreadable(wrong, "`q` has 3 dimensions and no `shape`");
  wrong->q = right.q;

  wrong->q.data = NULL;
  expect_refused(wrong, "q must not be a null pointer");
  wrong->q.data = (char*)q + 8;
  expect_refused(wrong, "q must be aligned to 16 bytes");
  wrong->q.data = q;
  wrong->q.byte_offset = UINT64_MAX - 15;
  expect_refused(wrong, "\"argument\": \"q\"");
  wrong->q = right.q;
  wrong->q.device.device_type = kDLCUDA;
  wrong->q.device.device_id = 1;
  expect_refused(wrong, "kv must be on q's device cuda:1, got cpu");
  wrong->q.device.device_type = (DLDeviceType)10;
  expect_refused(wrong, "q must be a CPU or CUDA tensor, got DLPack device 10:1");
  wrong->q = right.q;

  wrong->q_shape[0] = 0;
  expect_refused(wrong, "q and kv must have at least one row, got s_q=0");
  wrong->q_shape[0] = INT64_MAX;
  wrong->indices_shape[0] = INT64_MAX;
  expect_refused(wrong, "\"id\": \"table/extents\"");
  wrong->q_shape[0] = INT64_MIN;
  expect_refused(wrong, "\"argument\": \"q\"");
  wrong->q_shape[0] = kQueries;
  wrong->indices_shape[0] = kQueries;

  int64_t strides[3] = {INT64_MAX, INT64_MIN, -1};
  wrong->kv.strides = strides;
  expect_refused(wrong, "kv must be contiguous");
  wrong->kv = right.kv;

  int64_t out_shape[3] = {kQueries, kHeads, 512};
  DLTensor over_q = tensor(q, 4, 16, 3, out_shape);
  wrong->call.out = &over_q;
  expect_refused(wrong, "table/overlap");
  wrong->call.out = NULL;
  free_case(wrong);
}

// On a device that no machine has; without a driver, or without code for GPUs, that is said
// instead.
static void queue_where_no_gpu_is(void) {
  Case* known = make_case();
  const DLDevice gpu = {kDLCUDA, 1000};
  assay_prefill_options options = {sizeof(options), NULL, 0, 0, NULL, NULL, NULL};
  assay_prefill_result result = {sizeof(result), 0, 0, NULL, NULL, NULL};
  int64_t status_shape[1] = {2};
  char* report = NULL;
  char* message = NULL;
  known->q.device = known->kv.device = known->indices.device = gpu;
  known->scale[0].device = known->scale[1].device = gpu;
  EXPECT(assay_prefill_check(&known->call, NULL, NULL, NULL) == ASSAY_CLEAN);
  EXPECT(assay_prefill(&known->call, NULL, &result, NULL, &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "cudaGetDeviceCount: cudaError") == message ||
         strstr(message, "there is no cuda:1000") == message ||
         strstr(message, "this build has no code for GPUs") == message);
  EXPECT(result.out == NULL && result.lse == NULL);
  assay_text_free(message);

  DLTensor status = tensor(known->scales, 0, 32, 1, status_shape);
  options.status = &status;
  EXPECT(assay_prefill(&known->call, &options, &result, &report, NULL) == ASSAY_FINDINGS);
  EXPECT(strstr(report, "status must be on q's device cuda:1000, got cpu") != NULL);
  assay_text_free(report);
  status.ndim = 65;
  EXPECT(assay_prefill(&known->call, &options, &result, NULL, &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "`status` has 65 dimensions") != NULL);
  assay_text_free(message);
  free_case(known);
}

static void refuse_wrong_calls(void) {
  Case* wrong = make_case();
  char* message = NULL;
  assay_prefill_result result = {sizeof(result), 0, 0, NULL, NULL, NULL};
  assay_prefill_options options = {1, NULL, 0, 0, NULL, NULL, NULL};
  EXPECT(assay_prefill_check(NULL, NULL, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_prefill(NULL, NULL, &result, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_prefill(&wrong->call, NULL, NULL, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_prefill(&wrong->call, &options, &result, NULL, &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "options->size") != NULL);
  assay_text_free(message);
  result.size = 3;
  EXPECT(assay_prefill(&wrong->call, NULL, &result, NULL, NULL) == ASSAY_NO_ANSWER);
  wrong->call.kv = NULL;
  expect_unreadable(wrong, "`kv` is NULL");
  wrong->call.size = 8;
  expect_unreadable(wrong, "call->size");
  free_case(wrong);
}

static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = malloc(1u << 20);
  EXPECT(file != NULL && text != NULL);
  *size = fread(text, 1, 1u << 20, file);
  fclose(file);
  return text;
}

static void check_contract(const assay_contract* contract) {
  Case* known = make_case();
  const DLTensor* tensors[kTensors] = {
      &known->q, &known->kv, &known->indices, NULL, NULL, &known->scale[0], &known->scale[1], NULL,
      NULL,      NULL};
  assay_scalar scalars[2] = {{ASSAY_REAL, {0}}, {ASSAY_NOT_GIVEN, {0}}};
  char* report = NULL;
  char* message = NULL;
  scalars[0].value.real = 0.04;
  EXPECT(strcmp(assay_contract_tensor_name(contract, 9), "lse") == 0);
  EXPECT(assay_contract_tensor_name(contract, 10) == NULL);
  EXPECT(strcmp(assay_contract_scalar_name(contract, 1), "d_v") == 0);
  EXPECT(assay_contract_scalar_name(contract, 2) == NULL);

  EXPECT(assay_contract_check(contract, tensors, kTensors, scalars, 2, ASSAY_PROFILE_SAFETY, "cpu",
                              &report, &message) == ASSAY_CLEAN);
  EXPECT(report == NULL && message == NULL);
  EXPECT(assay_contract_check(contract, tensors, kTensors, scalars, 2, ASSAY_PROFILE_BOTH, NULL,
                              &report, &message) == ASSAY_FINDINGS);
  EXPECT(strstr(report, "q must be a CUDA tensor") != NULL);
  EXPECT(strstr(report, "b4c888cc59f7672f") != NULL);
  assay_text_free(report);

  scalars[1].kind = 77;
  EXPECT(assay_contract_check(contract, tensors, kTensors, scalars, 2, ASSAY_PROFILE_SAFETY, NULL,
                              &report, &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "`d_v` is of kind 77") != NULL);
  assay_text_free(message);
  EXPECT(assay_contract_check(contract, tensors, 3, scalars, 2, ASSAY_PROFILE_SAFETY, NULL, NULL,
                              &message) == ASSAY_NO_ANSWER);
  EXPECT(strstr(message, "takes 10 tensors and 2 scalars, got 3 and 2") != NULL);
  assay_text_free(message);
  EXPECT(assay_contract_check(contract, NULL, kTensors, scalars, 2, ASSAY_PROFILE_SAFETY, NULL,
                              NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_check(contract, tensors, kTensors, NULL, 2, ASSAY_PROFILE_SAFETY, NULL,
                              NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_check(NULL, tensors, kTensors, scalars, 2, ASSAY_PROFILE_SAFETY, NULL, NULL,
                              NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_check(contract, tensors, kTensors, scalars, 2, (assay_profile)0, NULL, NULL,
                              NULL) == ASSAY_NO_ANSWER);
  free_case(known);
}

static void* use(void* contract) {
  for (int i = 0; i < 10; ++i) {
    check_contract(contract);
    refuse_wrong_tensors();
    run_known_case();
  }
  return NULL;
}

int main(int argc, char** argv) {
  enum { kThreads = 4 };
  pthread_t threads[kThreads];
  assay_contract* contract = NULL;
  char* message = NULL;
  size_t size = 0;
  EXPECT(argc == 3);
  char* yaml = read_file(argv[2], &size);
  EXPECT(assay_contract_load("kernel: 1", 9, &contract, &message) == ASSAY_NO_ANSWER);
  EXPECT(contract == NULL && strstr(message, "<contract>:1") != NULL);
  assay_text_free(message);
  EXPECT(assay_contract_load(NULL, 0, &contract, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_load(yaml, (1u << 20) + 1, &contract, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_load(yaml, size, NULL, NULL) == ASSAY_NO_ANSWER);
  EXPECT(assay_contract_load(yaml, size, &contract, &message) == ASSAY_CLEAN);
  free(yaml);
  EXPECT(assay_contract_tensor_name(NULL, 0) == NULL);
  EXPECT(assay_contract_scalar_name(NULL, 0) == NULL);
  EXPECT(assay_knowledge_contract(NULL, "k") == NULL);
  refuse_wrong_calls();
  queue_where_no_gpu_is();
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_create(&threads[i], NULL, use, contract) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  assay_contract_free(contract);
  assay_contract_free(NULL);
  return 0;
}
