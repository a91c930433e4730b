#include "heed/backend/reference/reference_backend.h"

#include <cstring>
#include <vector>

#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/widened.h"
#include "heed/device/primitive_checks.h"

namespace heed {
namespace {

using reference::in_f32;
using reference::Widened;

size_t byte_count(const View& view) {
  return static_cast<size_t>(view.numel()) * bytes_of(view.dtype);
}

class ReferenceBackend : public Backend {
 public:
  ReferenceBackend() : Backend(host_memory()) {}

  std::string name() const override { return "reference"; }
  bool supports(DType /*dtype*/) const override { return true; }
  bool computes(DType dtype) const override { return is_computed(dtype) || dtype == DType::bf16; }
  void synchronise() override {}

 protected:
  void run_upload(const View& to, const void* host) override {
    std::memcpy(to.data, host, byte_count(to));
  }
  void run_download(void* host, const View& from) override {
    std::memcpy(host, from.data, byte_count(from));
  }
  void run_copy(const View& to, const View& from) override { reference::copy(to, from); }
  void run_fill(const View& to, double value) override { reference::fill(to, value); }
  void run_random(const View& to, Distribution distribution, const KernelKey& key) override {
    in_f32([&](const View& wide) { reference::random(wide, distribution, checks::read_key(key)); },
           to);
  }
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override {
    in_f32([&](const View& wide) { reference::random_rows(wide, distribution, key, keys); }, to);
  }
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    std::vector<Widened> wide;
    std::vector<View> operands;
    for (const View& operand : in) {
      operands.push_back(wide.emplace_back(operand).view());
    }
    in_f32([&](const View& to) { reference::map(f, to, operands, scalars); }, out);
  }
  void run_reduce(Reduction reduction, const View& out, const View& in, int axis) override {
    const auto reduced = [&](const View& to, const View& from) {
      if (reduction == Reduction::argmax) {
        reference::argmax(to, from, axis);
      } else if (reduction == Reduction::max) {
        reference::max(to, from);
      } else {
        reference::sum(to, from);
      }
    };
    in_f32(reduced, out, in);
  }
  void run_running_sum(const View& out, const View& in, SumFrom from) override {
    in_f32([&](const View& to, const View& wide) { reference::running_sum(to, wide, from); }, out,
           in);
  }
  void run_topk(const View& values, const View& indices, const View& in) override {
    in_f32([&](const View& to, const View& wide) { reference::topk(to, indices, wide); }, values,
           in);
  }
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override {
    in_f32([&](const View& to, const View& x,
               const View& y) { reference::matmul(to, x, y, alpha, beta); },
           out, a, b);
  }
  void run_gather(const View& out, const View& table, const View& index) override {
    if (out.dtype == table.dtype) {
      return reference::gather(out, table, index, index_faults());
    }
    in_f32([&](const View& to,
               const View& from) { reference::gather(to, from, index, index_faults()); },
           out, table);
  }
  void run_scatter_add(const View& out, const View& source, const View& index) override {
    in_f32([&](const View& to,
               const View& from) { reference::scatter_add(to, from, index, index_faults()); },
           out, source);
  }
  void run_iota(const View& to) override {
    in_f32([](const View& wide) { reference::iota(wide); }, to);
  }
  void run_write_slots(const View& to, const View& rows, const View& at) override {
    in_f32([&](const View& cache,
               const View& from) { reference::write_slots(cache, from, at, index_faults()); },
           to, rows);
  }
  void run_reorder_rows(const View& rows, const View& parent) override {
    in_f32([&](const View& wide) { reference::reorder_rows(wide, parent, index_faults()); }, rows);
  }
};

}  // namespace

std::unique_ptr<Backend> reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace heed
