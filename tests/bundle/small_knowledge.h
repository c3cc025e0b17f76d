// A small body of knowledge with every kind of thing that a bundle holds, and everything that can
// be done with a bundle, for tests that try many of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/support_matrix.h"
#include "engine/text/file_system.h"

namespace assay::test {

// Its files, below the folder `root`.
MemoryFileSystem small_knowledge(const std::string& root);
// The bundle of it.
std::string small_bundle(const std::string& root = "here");

// The support tables of knowledge whose `tables` are there, and all that they say.
std::vector<SupportTable> support_of(const Knowledge& knowledge, SourceSet& sources);
std::string text_of(const std::vector<SupportTable>& tables);

// Opens the bytes as a bundle, reads all of it, and asks it everything. What comes out does not
// matter, only that it comes: whatever the bytes are, nothing may crash, hang or grow without
// bound. Returns the answers; empty when the bundle was refused or found to be damaged.
std::string use_bundle(std::string bytes);

// Makes all checksums right again, so that what is behind them is reached.
void seal(std::string& bytes);
// Changes some bytes at random.
void mutate(std::string& bytes, std::mt19937& random);

}  // namespace assay::test
