#include "heed/backend/reference/reference_backend.h"

#include <cstring>

#include "heed/backend/reference/primitives.h"
#include "heed/device/primitive_checks.h"

namespace heed {
namespace {

size_t byte_count(const View& view) {
  return static_cast<size_t>(view.numel()) * bytes_of(view.dtype);
}

class ReferenceBackend : public Backend {
 public:
  ReferenceBackend() : Backend(host_memory()) {}

  std::string name() const override { return "reference"; }
  bool supports(DType /*dtype*/) const override { return true; }
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
    reference::random(to, distribution, checks::read_key(key));
  }
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override {
    reference::random_rows(to, distribution, key, keys);
  }
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    reference::map(f, out, in, scalars);
  }
  void run_reduce(Reduction reduction, const View& out, const View& in, int axis) override {
    if (reduction == Reduction::argmax) {
      reference::argmax(out, in, axis);
    } else if (reduction == Reduction::max) {
      reference::max(out, in);
    } else {
      reference::sum(out, in);
    }
  }
  void run_running_sum(const View& out, const View& in, SumFrom from) override {
    reference::running_sum(out, in, from);
  }
  void run_topk(const View& values, const View& indices, const View& in) override {
    reference::topk(values, indices, in);
  }
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override {
    reference::matmul(out, a, b, alpha, beta);
  }
  void run_gather(const View& out, const View& table, const View& index) override {
    reference::gather(out, table, index, index_faults());
  }
  void run_scatter_add(const View& out, const View& source, const View& index) override {
    reference::scatter_add(out, source, index, index_faults());
  }
  void run_iota(const View& to) override { reference::iota(to); }
  void run_write_slots(const View& to, const View& rows, const View& at) override {
    reference::write_slots(to, rows, at, index_faults());
  }
  void run_reorder_rows(const View& rows, const View& parent) override {
    reference::reorder_rows(rows, parent, index_faults());
  }
};

}  // namespace

std::unique_ptr<Backend> reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace heed
