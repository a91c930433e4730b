#include "heed/base/recycled.h"

namespace heed {

void* fresh_block(size_t bytes) { return ::operator new(bytes); }
void free_block(void* block) { ::operator delete(block); }

}  // namespace heed
