// libFuzzer on the reader of bundles: each input is mutated further by libFuzzer's own means and
// then sealed, so that what is behind the checksums is reached. Without a corpus it starts from a
// whole small bundle.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/bundle/small_knowledge.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  static const std::string whole = assay::test::small_bundle();
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size < 1000 && whole.size() <= max_size) bytes = whole;
  std::mt19937 random(seed);
  if (seed % 4 == 0 || bytes.size() != whole.size()) {
    const std::size_t before = bytes.size();
    bytes.resize(max_size);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), before, max_size));
  } else {
    assay::test::mutate(bytes, random);
  }
  assay::test::seal(bytes);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::test::use_bundle(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
