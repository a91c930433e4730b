// Memory for small objects that are made and freed by the thousand in every training step: the
// block of a deleted object stays with its thread, and the next object of that type gets it.
//
//   struct Node : Recycled<Node> { … };     // `new Node` and `delete node` as ever
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace heed {

/// Take a block from the heap and return it. They are defined in another file, because a compiler
/// that saw through them would warn of mismatched new and delete.
void* fresh_block(size_t bytes);
void free_block(void* block);

template <class T>
class Recycled {
 public:
  static void* operator new(size_t bytes) {
    Blocks& blocks = kept;
    if (blocks.first == nullptr) {
      return fresh_block(bytes);
    }
    Block* block = blocks.first;
    blocks.first = block->next;
    --blocks.count;
    return block;
  }

  static void operator delete(void* object) {
    Blocks& blocks = kept;
    if (blocks.count >= most || blocks.is_closed) {
      free_block(object);
      return;
    }
    if (blocks.first == nullptr) {
      static thread_local const Closer closer;  // made when the thread first keeps a block
    }
    blocks.first = ::new (object) Block{blocks.first};
    ++blocks.count;
  }

 private:
  struct Block {
    Block* next;
  };
  struct Blocks {
    Block* first = nullptr;
    uint32_t count = 0;
    bool is_closed = false;  // the thread is ending
  };
  /// Frees what a thread kept when it ends.
  struct Closer {
    Closer() = default;
    Closer(const Closer&) = delete;
    Closer& operator=(const Closer&) = delete;
    ~Closer() {
      while (kept.first != nullptr) {
        free_block(operator new(sizeof(T)));
      }
      kept.is_closed = true;
    }
  };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr uint32_t most = 0;  // a sanitizer must see every deletion
#else
  static constexpr uint32_t most = 1U << 16;  // bounds a thread that deletes what others make
#endif
  static inline constinit thread_local Blocks kept{};
};

}  // namespace heed
