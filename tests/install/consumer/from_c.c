// The same with the C interface.
#include <assay/assay.h>
#include <stdio.h>

int main(int argc, char** argv) {
  assay_knowledge* knowledge = NULL;
  char* message = NULL;
  if (argc != 2) return 1;
  const assay_status status = assay_knowledge_load(argv[1], &knowledge, &message);
  if (status != ASSAY_CLEAN) fprintf(stderr, "%s\n", message);
  assay_text_free(message);
  assay_knowledge_free(knowledge);
  return status == ASSAY_CLEAN ? 0 : 1;
}
