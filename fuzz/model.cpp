// A model file, whose digest is repaired first: whoever makes a hostile file computes the digest as
// well. Header, settings, vocabularies and weights are read into a model on the reference backend.
#include "fuzz/fuzz_target.h"
#include "fuzz/model_parts.h"
#include "heed/backend/reference/reference_backend.h"
#include "heed/model/file/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  static const std::unique_ptr<Backend> backend = reference_backend();
  std::string file = fuzz::text_of(data, size);
  fuzz::repair_digest(file);
  fuzz::take_or_refuse(Fault::file, [&file] {
    const SafetensorsFile contents = parse_safetensors(std::move(file), "model");
    model_from(contents, {backend.get(), DType::f32}, "model", "optimiser.");
  });
  backend->trim();
  return 0;
}
