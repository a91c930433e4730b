// A file with weights in every format that can be imported, whatever its first bytes show. The tensors of
// what is taken lie within the file.
#include "fuzz/fuzz_target.h"
#include "heed/import/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  const auto source = bytes_in_memory(fuzz::text_of(data, size));
  for (const auto& entry : formats()) {
    fuzz::take_or_refuse(Fault::file, [&] {
      const WeightTable table = entry.make()->read(source, "weights");
      for (const FileTensor& tensor : table.tensors) {
        std::uint64_t elements = 1;
        for (const std::int64_t length : tensor.shape) {
          elements *= static_cast<std::uint64_t>(length);
        }
        if (tensor.bytes.text().size() != elements * bytes_of(tensor.type)) {
          fuzz::report("saw another number of bytes than of its shape", tensor.name);
        }
      }
    });
  }
  return 0;
}
