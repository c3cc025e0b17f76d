/* The C interface of Assay: load what is known, check launches, explain logs.
 *
 * Texts go in as pointer and length and need no end mark. Answers come out as texts with an end
 * mark that the caller frees with assay_text_free. No function throws, prints, exits or keeps a
 * pointer it was given. Knowledge is immutable: many threads may use one at a time, until it is
 * freed. */
#ifndef ASSAY_H_
#define ASSAY_H_

#include <stddef.h>

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
  ASSAY_CLEAN = 0,    /* explain: something was explained */
  ASSAY_FINDINGS = 1, /* explain: nothing known */
  ASSAY_NO_ANSWER = 2 /* the message says why */
} assay_status;

typedef struct assay_knowledge assay_knowledge;

/* "0.1.0". Never freed. */
ASSAY_API const char* assay_version(void) ASSAY_NOEXCEPT;

/* Loads the folder that holds rules/ and dataset/, or the bundle of `assay pack`, which is quicker. A
 * bundle is read while it is used: it must stay as it is, and what is found to be damaged is said by
 * the call that needs it. With ASSAY_CLEAN, *knowledge is to be freed with
 * assay_knowledge_free; with ASSAY_NO_ANSWER it is NULL and *message, where `message` is not NULL,
 * says what is wrong. */
ASSAY_API assay_status assay_knowledge_load(const char* folder, assay_knowledge** knowledge,
                                            char** message) ASSAY_NOEXCEPT;
ASSAY_API void assay_knowledge_free(assay_knowledge* knowledge) ASSAY_NOEXCEPT;

/* Checks the launches in `text` (a command, script, map of arguments, manifest, ...). `facts` are
 * `fact_count` texts such as "gpu.sm=90". *report is the JSON that `assay check --format json`
 * prints; it is NULL with ASSAY_NO_ANSWER, and then *message, where `message` is not NULL, says
 * why. */
ASSAY_API assay_status assay_check(const assay_knowledge* knowledge, const char* text, size_t size,
                                   const char* const* facts, size_t fact_count, char** report,
                                   char** message) ASSAY_NOEXCEPT;

/* Finds the known errors in a log. *report is the JSON that `assay explain --format json` prints;
 * otherwise as above. */
ASSAY_API assay_status assay_explain(const assay_knowledge* knowledge, const char* text,
                                     size_t size, char** report, char** message) ASSAY_NOEXCEPT;

/* Frees a report or message; NULL is allowed. */
ASSAY_API void assay_text_free(char* text) ASSAY_NOEXCEPT;

#if defined(__cplusplus)
}
#endif
#endif /* ASSAY_H_ */
