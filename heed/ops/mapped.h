// Elementwise calls for ops: operands broadcast against each other, contiguous axes are merged, and
// all have one element type and one backend. f32 and bf16 may meet where the backend computes in both;
// then the result is bf16, because f32 are parameters and statistics beside activations. Private to
// this layer; nothing here is recorded.
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

/// Where a result of both is; fails unless they have the same backend and element type, or f32 and bf16.
Place common_place(const Tensor& first, const Tensor& other, const char* who);

}  // namespace heed
