// The plugin as clang loads it (-fpass-plugin): it runs at the end of the optimizations, just before clang's
// own ThreadSanitizer pass, which finds nothing left to do.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "pass/instrument.h"

namespace deadheat::pass {

namespace {

struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    return instrument(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  // Also of functions that are not optimized.
  static bool isRequired() { return true; }
};

void add_passes(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, auto...) { passes.addPass(InstrumentPass()); });
  // For opt, in tests.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "deadheat") return false;
    passes.addPass(InstrumentPass());
    return true;
  });
}

}  // namespace

}  // namespace deadheat::pass

extern "C" __attribute__((visibility("default"), weak)) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "deadheat", "1", deadheat::pass::add_passes};
}
