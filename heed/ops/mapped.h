// Elementwise calls as ops make them: operands broadcast against each other, contiguous axes
// merged, one element type and one backend. Private to this layer; nothing here is recorded.
#pragma once

#include <initializer_list>

#include "heed/tensor/tensor.h"

namespace heed {

/// f(inputs…) in new memory, of the shape all inputs broadcast to.
Tensor mapped(Function f, std::initializer_list<Operand> inputs, MapScalars scalars = {});

/// f(x, others…), written over x where nobody else holds it and the shapes agree: gradients pass
/// back through a chain of ops in one place.
Tensor mapped_over(Function f, Tensor x, std::initializer_list<Operand> others,
                   MapScalars scalars = {});

/// out ← f(inputs…), inputs broadcast to out's shape; out itself may be among them.
void map_into(const Tensor& out, Function f, std::initializer_list<Operand> inputs,
              MapScalars scalars = {});

/// Fails unless `other` lives where `first` does and holds the same element type.
void require_one_place(const Tensor& first, const Tensor& other, const char* who);

}  // namespace heed
