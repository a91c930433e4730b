// A pickle as torch.save writes it. What is taken is as large as it says, and its tensors lie within
// their storages.
#include "heed/import/pickle.h"

#include "fuzz/fuzz_target.h"
#include "heed/base/error.h"
#include "heed/import/torch_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const std::string bytes = fuzz::text_of(data, size);
  fuzz::take_or_refuse(Fault::file, [&bytes] {
    const Pickle pickle(bytes, "pickle");
    if (pickle.size() > bytes.size()) {
      fuzz::report("saw a pickle that ends behind its bytes", "");
    }
    const auto source = bytes_in_memory(std::string(256, 'w'));
    const WeightTable table =
        torch_tensors(pickle, "pickle", [&source](const TorchStorage& storage) {
          const std::uint64_t wanted = storage.elements * storage.width;
          if (wanted > 256) {
            fail(Fault::file, "there are no {} bytes", wanted);
          }
          return FileBytes(source, 0, wanted);
        });
    for (const FileTensor& tensor : table.tensors) {
      tensor.bytes.text();
    }
  });
  return 0;
}
