// Elementwise calls for ops: operands broadcast against each other, contiguous axes are merged, and
// all have one element type and one backend. Private to this layer; nothing here is recorded.
#pragma once

#include <initializer_list>

#include "heed/tensor/tensor.h"

namespace heed {

/// f(inputs…) in new memory, of the shape that all inputs broadcast to.
Tensor mapped(Function f, std::initializer_list<Operand> inputs, MapScalars scalars = {});

/// f(x, others…), written over x where nobody else holds it and the shapes agree. So gradients flow
/// back through a chain of ops in the same memory.
Tensor mapped_over(Function f, Tensor x, std::initializer_list<Operand> others,
                   MapScalars scalars = {});

/// out ← f(inputs…); inputs broadcast to out's shape, and out may be one of them.
void map_into(const Tensor& out, Function f, std::initializer_list<Operand> inputs,
              MapScalars scalars = {});

/// Fails unless both have the same backend and element type.
void require_one_place(const Tensor& first, const Tensor& other, const char* who);

}  // namespace heed
