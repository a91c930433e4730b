#include <malloc.h>
#include <sys/mman.h>

#include <new>

#include "heed/base/error.h"
#include "heed/device/out_of_memory.h"
#include "heed/device/raw_memory.h"

namespace heed {
namespace {

/// A large block begins where a huge page can, and asks for such pages: a model's weights then take
/// one fault in 2 MiB and not one in 4 KiB.
constexpr size_t huge_page = size_t{1} << 21;

class HostMemory : public RawMemory {
 public:
  void* allocate(size_t bytes, Stream /*stream*/) override {
    void* pointer = ::operator new(bytes, alignment_of(bytes), std::nothrow);
    if (pointer == nullptr) {
      throw OutOfMemory(
          fmt::format("memory: there are no {} bytes left; use smaller batches", bytes));
    }
    if (bytes >= 2 * huge_page) {
      ::madvise(pointer, bytes, MADV_HUGEPAGE);  // a wish: what is not granted changes nothing
    }
    return pointer;
  }
  void free(void* pointer, size_t bytes, Stream /*stream*/) override {
    ::operator delete(pointer, alignment_of(bytes));
  }
  void trim() override {
#if defined(__GLIBC__)
    ::malloc_trim(0);  // without it the heap keeps free memory below a block in use
#endif
  }

 private:
  std::align_val_t alignment_of(size_t bytes) const {
    return std::align_val_t{bytes < 2 * huge_page ? alignment() : huge_page};
  }
};

}  // namespace

std::unique_ptr<RawMemory> host_memory() { return std::make_unique<HostMemory>(); }

}  // namespace heed
