// contract_generator CONTRACT.yaml FOLDER: writes FOLDER/<kernel>_contract.{h,cc}. Run by the
// build; exit status 1 with the faults of the contract, or of writing.
#include <fstream>
#include <iostream>
#include <string>

#include "engine/read/contract_reader.h"
#include "engine/text/diagnostic_rendering.h"
#include "engine/text/file_system.h"
#include "kernels/contract_generator/cpp_writer.h"

namespace {

using namespace assay;

Result<bool> generate(SourceSet& sources, const std::string& path, const std::string& folder) {
  ASSAY_TRY(const SourceId source, add_file(sources, DiskFileSystem(), path, 1u << 20));
  ASSAY_TRY(TensorContract read, read_contract(sources, source));
  ASSAY_TRY(const CompiledContract contract, compile_contract(std::move(read)));
  ASSAY_TRY(const GeneratedCode code, write_contract_cpp(contract, sources.get(source).text()));
  const std::string stem = folder + "/" + contract.source.kernel + "_contract";
  return static_cast<bool>(std::ofstream(stem + ".h") << code.header << std::flush) &&
         static_cast<bool>(std::ofstream(stem + ".cc") << code.source << std::flush);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: contract_generator CONTRACT.yaml FOLDER\n";
    return 1;
  }
  SourceSet sources;
  const auto written = generate(sources, argv[1], argv[2]);
  if (!written) {
    for (const Diagnostic& fault : written.error())
      std::cerr << render_diagnostic(fault, sources, false) << '\n';
    return 1;
  }
  if (!*written) std::cerr << "cannot write to " << argv[2] << '\n';
  return *written ? 0 : 1;
}
