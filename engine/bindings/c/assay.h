/* The C interface of Assay: load what is known, check launches, explain logs, hold kernel calls
 * against their contracts, and run the FP8 sparse MLA prefill.
 *
 * Memory: texts go in as pointer and length and need no end mark, except where a parameter is said
 * to be a name. Answers come out as texts with an end mark, which the caller frees with
 * assay_text_free. What a function makes has a function that frees it. No function keeps a pointer
 * that it was given.
 *
 * Faults: no function throws, prints or exits. A pointer that must not be NULL and is gives
 * ASSAY_NO_ANSWER. With ASSAY_NO_ANSWER nothing was made, every result is NULL and *message says
 * why; `message` and `report` may be NULL where nobody wants them.
 *
 * Threads: every function may be called from many threads at a time. Knowledge and contracts are
 * immutable: many threads may use one at a time, until it is freed.
 *
 * Cancellation: a call that may take long takes an assay_cancellation, and ends with
 * ASSAY_CANCELLED soon after another thread, or a signal handler, has asked for it.
 *
 * Versions: the symbols of the shared library carry the version that brought them. Structures begin
 * with their size, so that later ones may be longer. */
#ifndef ASSAY_H_
#define ASSAY_H_

#include <stddef.h>
#include <stdint.h>

/* DLPack's own header where it is there; else its structures, as its specification lays them out in
 * memory. Who has a dlpack.h elsewhere includes it before this. */
#if !defined(DLPACK_DLPACK_H_) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#if !defined(DLPACK_DLPACK_H_)
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 } DLDeviceType;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10
} DLDataTypeCode;

typedef struct {
  DLDeviceType device_type; /* any number of DLPack's */
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits; /* of one lane */
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;   /* elements */
  int64_t* strides; /* elements; NULL: contiguous, rows first */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
#endif /* DLPACK_DLPACK_H_ */

#if defined(__cplusplus)
#define ASSAY_NOEXCEPT noexcept
extern "C" {
#else
#define ASSAY_NOEXCEPT
#endif

#if defined(__GNUC__)
#define ASSAY_API __attribute__((visibility("default")))
#else
#define ASSAY_API
#endif

typedef enum assay_status {
  ASSAY_CLEAN = 0,     /* explain: something was explained; prefill: done */
  ASSAY_FINDINGS = 1,  /* explain: nothing known, or not the root cause; prefill: refused */
  ASSAY_NO_ANSWER = 2, /* the message says why */
  ASSAY_CANCELLED = 3  /* as it was asked; results and texts are NULL as with ASSAY_NO_ANSWER */
} assay_status;

/* "0.1.0". Never freed. */
ASSAY_API const char* assay_version(void) ASSAY_NOEXCEPT;

/* Frees a report or message; NULL is allowed. */
ASSAY_API void assay_text_free(char* text) ASSAY_NOEXCEPT;

/* ---- Cancellation ---- */

typedef struct assay_cancellation assay_cancellation;

/* To be freed with assay_cancellation_free, after every call that it was given to has returned;
 * NULL where memory runs out. One may be given to many calls. */
ASSAY_API assay_cancellation* assay_cancellation_create(void) ASSAY_NOEXCEPT;

/* Asks the calls that have it, and those that will get it, to end: it is not taken back. From any
 * thread; takes no lock and makes no system call, so that a signal handler may call it. NULL is
 * allowed. */
ASSAY_API void assay_cancellation_request(assay_cancellation* cancellation) ASSAY_NOEXCEPT;

/* 1 after a request, else 0; as free to call. */
ASSAY_API int assay_cancellation_is_requested(const assay_cancellation* cancellation)
    ASSAY_NOEXCEPT;

ASSAY_API void assay_cancellation_free(assay_cancellation* cancellation) ASSAY_NOEXCEPT;

/* ---- Knowledge ---- */

typedef struct assay_knowledge assay_knowledge;

/* Loads `path`: the folder that holds rules/ and dataset/, or the bundle of `assay pack`, which is
 * quicker. A bundle is read while it is used: it must stay as it is, and what is found to be
 * damaged is said by the call that needs it. *knowledge is to be freed with assay_knowledge_free.
 */
ASSAY_API assay_status assay_knowledge_load(const char* path, assay_knowledge** knowledge,
                                            char** message) ASSAY_NOEXCEPT;
ASSAY_API void assay_knowledge_free(assay_knowledge* knowledge) ASSAY_NOEXCEPT;

/* What `assay check` takes besides the launch; NULL, and 0, where nothing is said. */
typedef struct assay_check_options {
  size_t size;       /* sizeof(assay_check_options) */
  const char* input; /* what the text is: "command", "map", "dump", "server-info", "manifest",
                      * "dockerfile", "unit"; NULL and "auto": its content says it */
  const char* const* facts; /* such as "gpu.sm=90" */
  size_t fact_count;
  const char* gpu;            /* "H200", "H200x8" */
  const char* engine_version; /* "0.5.23"; NULL: the newest that the rules cover */
  const char* model_config;   /* the text of the model's config.json; NULL: what is known of a
                               * public model. No file that the launch names is read */
  size_t model_config_size;
  const assay_cancellation* cancellation; /* looked at before each trial of a repair */
} assay_check_options;

/* Checks the launches in `text`. `options` may be NULL. *report is the JSON that
 * `assay check --format json` prints. */
ASSAY_API assay_status assay_check(const assay_knowledge* knowledge, const char* text, size_t size,
                                   const assay_check_options* options, char** report,
                                   char** message) ASSAY_NOEXCEPT;

/* Finds the known errors in a log as it is stored: in UTF-8 or UTF-16, compressed with gzip or zstd
 * or not. `cancellation`, which may be NULL, is looked at for each half MiB. *report is the JSON
 * that `assay explain --format json` prints. */
ASSAY_API assay_status assay_explain(const assay_knowledge* knowledge, const char* text,
                                     size_t size, const assay_cancellation* cancellation,
                                     char** report, char** message) ASSAY_NOEXCEPT;

/* ---- Kernel contracts ---- */

typedef struct assay_contract assay_contract;

/* Compiles the YAML of a contract (rules/kernels/FORMAT.md). *contract is to be freed with
 * assay_contract_free. */
ASSAY_API assay_status assay_contract_load(const char* yaml, size_t size, assay_contract** contract,
                                           char** message) ASSAY_NOEXCEPT;
ASSAY_API void assay_contract_free(assay_contract* contract) ASSAY_NOEXCEPT;

/* The contract of the kernel of that name; NULL when there is none. Not to be freed: it lives as
 * long as the knowledge. */
ASSAY_API const assay_contract* assay_knowledge_contract(const assay_knowledge* knowledge,
                                                         const char* kernel) ASSAY_NOEXCEPT;

/* The name of a contract's n-th tensor or scalar, in the order in which assay_contract_check takes
 * them; NULL beyond the last. Lives as long as the contract. */
ASSAY_API const char* assay_contract_tensor_name(const assay_contract* contract,
                                                 size_t index) ASSAY_NOEXCEPT;
ASSAY_API const char* assay_contract_scalar_name(const assay_contract* contract,
                                                 size_t index) ASSAY_NOEXCEPT;

typedef enum assay_scalar_kind {
  ASSAY_NOT_GIVEN = 0, /* the contract's default */
  ASSAY_INTEGER = 1,
  ASSAY_REAL = 2,
  ASSAY_BOOLEAN = 3 /* in `integer`: 0 or 1 */
} assay_scalar_kind;

typedef struct assay_scalar {
  int32_t kind; /* assay_scalar_kind */
  union {
    int64_t integer;
    double real;
  } value;
} assay_scalar;

typedef enum assay_profile {
  ASSAY_PROFILE_SAFETY = 1, /* what the kernel needs so as not to read or write what it must not */
  ASSAY_PROFILE_ENGINE = 2, /* what the engine's wrapper refuses */
  ASSAY_PROFILE_BOTH = 3
} assay_profile;

/* Holds a call against a contract. Reads metadata only: no tensor's data is touched, on whatever
 * device it lies. There are as many tensors and scalars as the contract has; a NULL tensor is not
 * given. `back_end` is a name, "cpu" or "sm90"; NULL: clauses that hold for one back end only are
 * judged too. A tensor's `shape` and `strides` must have `ndim` numbers; more than 64 dimensions
 * are not looked at, and refused. With ASSAY_CLEAN nothing is allocated and *report is NULL, else
 * it is the JSON that `assay contract --format json` prints. */
ASSAY_API assay_status assay_contract_check(const assay_contract* contract,
                                            const DLTensor* const* tensors, size_t tensor_count,
                                            const assay_scalar* scalars, size_t scalar_count,
                                            assay_profile profile, const char* back_end,
                                            char** report, char** message) ASSAY_NOEXCEPT;

/* ---- The FP8 sparse MLA prefill (kernels/sparse_mla_prefill/params.h says what it computes) ----
 */

typedef struct assay_prefill_call {
  size_t size;                 /* sizeof(assay_prefill_call) */
  const DLTensor* q;           /* float8_e4m3fn [s_q, h_q, d_qk] */
  const DLTensor* kv;          /* float8_e4m3fn [s_kv, 1, d_qk] */
  const DLTensor* indices;     /* int32 [s_q, 1, topk] */
  const DLTensor* q_scale;     /* float32, one element */
  const DLTensor* kv_scale;    /* float32, one element */
  const DLTensor* topk_length; /* int32 [s_q]; may be NULL */
  const DLTensor* attn_sink;   /* float32 [h_q]; may be NULL */
  const DLTensor* out;         /* bfloat16 [s_q, h_q, 512]; NULL: made by the call */
  const DLTensor* max_logits;  /* float32 [s_q, h_q]; NULL: made by the call */
  const DLTensor* lse;         /* float32 [s_q, h_q]; NULL: made by the call */
  double sm_scale;
  int64_t d_v; /* 512 */
} assay_prefill_call;

typedef struct assay_prefill_options {
  size_t size; /* sizeof(assay_prefill_options) */
  const assay_contract*
      contract;     /* held against in addition: can refuse more, never less; or NULL */
  int32_t checked;  /* not 0: indices and lengths out of range refuse the call before any work */
  uint32_t threads; /* 0: one for each processor */
  void* stream; /* CUDA tensors: the cudaStream_t that the call is queued on; NULL: the default */
  const DLTensor* status; /* CUDA tensors: int32 or uint32 [2] on their device, set to zero in the
                           * order of the stream, then counts what is out of range: indices,
                           * lengths. NULL: they are not counted */
  const assay_cancellation*
      cancellation; /* CPU tensors: looked at for each block of at most 64 tokens of a query */
} assay_prefill_options;

typedef struct assay_prefill_result {
  size_t size;                   /* sizeof(assay_prefill_result) */
  uint64_t out_of_range_indices; /* taken as "no token"; CPU tensors only */
  uint64_t out_of_range_lengths;
  DLManagedTensor* out; /* where the call made it, else NULL; freed by its own deleter */
  DLManagedTensor* max_logits;
  DLManagedTensor* lse;
} assay_prefill_result;

/* Holds the call against the safety profile that is built in, and against `contract` where it is
 * not NULL. Reads metadata only, allocates nothing when nothing is wrong. */
ASSAY_API assay_status assay_prefill_check(const assay_prefill_call* call,
                                           const assay_contract* contract, char** report,
                                           char** message) ASSAY_NOEXCEPT;

/* Checks the same, then runs the prefill where the tensors are: CPU tensors on this machine's
 * processor; CUDA tensors on their device, which must be of compute capability 9.0: the call is
 * then queued on the stream, waits for nothing and may be captured into a graph, and outputs that
 * it makes are freed in the order of the stream, before which that may not be destroyed. A call
 * that is refused has touched no output; *report is then as above. Of one that was cancelled,
 * outputs that the caller supplied have whole rows of the queries that were done, no others are
 * touched, and which is not said; none are made. `options` may be NULL. Where a
 * call of the CUDA run time fails, *message names it. */
ASSAY_API assay_status assay_prefill(const assay_prefill_call* call,
                                     const assay_prefill_options* options,
                                     assay_prefill_result* result, char** report,
                                     char** message) ASSAY_NOEXCEPT;

#if defined(__cplusplus)
}
#endif
#endif /* ASSAY_H_ */
