// Loads the knowledge named on the command line with the C++ interface.
#include <iostream>

#include "engine/evaluate/knowledge.h"

int main(int, char** argv) {
  assay::SourceSet sources;
  assay::Diagnostics warnings;
  const auto knowledge = assay::load_knowledge(sources, assay::DiskFileSystem(),
                                               assay::KnowledgeFolder::below(argv[1]), warnings);
  if (!knowledge) return 1;
  std::cout << knowledge->rule_packs().size() << " pack(s), " << knowledge->dataset.records.size()
            << " record(s)\n";
  return knowledge->packs.empty() ? 1 : 0;
}
