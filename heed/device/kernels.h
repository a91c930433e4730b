// Fused kernels that a backend may offer: one slot for each kind of call.
//
// A kernel receives the backend that runs it, and with it that backend's stream and workspace, and
// it may decline a call that it is not made for. An operator asks for the kernel first
// (Backend::run_fused) and composes the same result from the primitives where there is none, so a
// backend with only the primitives already runs every model. What a call holds is described in
// device/kernel/, a file for each family.
#pragma once

#include <tuple>

namespace heed {

class Backend;

struct SoftmaxRows;
struct SoftmaxGradient;
struct LstmStep;
struct LstmGradient;
struct GruStep;
struct GruGradient;
struct RecurrentSteps;
struct RecurrentStepsGradient;
struct Copies;
struct WriteEachSlots;
struct AdamStep;
struct MovingAverage;
struct SquareSums;
struct CrossEntropy;
struct CrossEntropyGradient;
struct RowNorm;
struct RowNormGradient;
struct ResidualNorm;
struct ResidualNormGradient;
struct DropoutStep;
struct PackStep;
struct PackedProduct;
struct PackedProducts;
struct PlainProduct;
struct ProductGradient;
struct ConvolveStep;
struct DepthwiseStep;
struct ChooseWords;
struct AttendPlan;
struct PrepareKeys;
struct AttendStep;
struct AttendGradient;

/// Returns true when the call is done. False means that the kernel declines; it has then written
/// nothing, and the caller composes the result.
template <class Call>
using Kernel = bool (*)(Backend& backend, const Call& call);

/// One slot for each of the calls, null where a backend has no kernel.
template <class... Calls>
class KernelSlots {
 public:
  template <class Call>
  constexpr Kernel<Call> of() const {
    return std::get<Kernel<Call>>(slots_);
  }
  template <class Call>
  constexpr KernelSlots& set(Kernel<Call> kernel) {
    std::get<Kernel<Call>>(slots_) = kernel;
    return *this;
  }
  /// visit(kernel) for every slot, in the order of the list.
  template <class Visit>
  void each(const Visit& visit) const {
    (visit(std::get<Kernel<Calls>>(slots_)), ...);
  }

 private:
  std::tuple<Kernel<Calls>...> slots_{};
};

/// The one list of kernel calls.
using Kernels =
    KernelSlots<SoftmaxRows, SoftmaxGradient, LstmStep, LstmGradient, GruStep, GruGradient,
                RecurrentSteps, RecurrentStepsGradient, ResidualNorm, ResidualNormGradient, Copies,
                WriteEachSlots, AdamStep, MovingAverage, SquareSums, CrossEntropy,
                CrossEntropyGradient, RowNorm, RowNormGradient, DropoutStep, PackStep,
                PackedProduct, PackedProducts, PlainProduct, ProductGradient, ConvolveStep,
                DepthwiseStep, ChooseWords, AttendPlan, PrepareKeys, AttendStep, AttendGradient>;

}  // namespace heed
