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

  void upload(const View& to, const void* host) override {
    if (to.numel() > 0) {
      std::memcpy(to.data, host, byte_count(to));
    }
  }
  void download(void* host, const View& from) override {
    if (from.numel() > 0) {
      std::memcpy(host, from.data, byte_count(from));
    }
  }
  void synchronise() override {}

  void copy(const View& to, const View& from) override {
    checks::copy(to, from);
    reference::copy(to, from);
  }
  void fill(const View& to, double value) override { reference::fill(to, value); }
  void random(const View& to, Distribution distribution, const KernelKey& key) override {
    checks::real(to.dtype, "random");
    reference::random(to, distribution, checks::read_key(key));
  }
  void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                   const View& keys) override {
    checks::random_rows(to, keys);
    reference::random_rows(to, distribution, key, keys);
  }
  void map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    checks::map(f, out, in);
    reference::map(f, out, in, scalars);
  }
  void reduce(Reduction reduction, const View& out, const View& in) override {
    const int axis = checks::reduce(reduction, out, in);
    if (reduction == Reduction::argmax) {
      reference::argmax(out, in, axis);
    } else if (reduction == Reduction::max) {
      reference::max(out, in);
    } else {
      reference::sum(out, in);
    }
  }
  void running_sum(const View& out, const View& in, SumFrom from) override {
    checks::running_sum(out, in);
    reference::running_sum(out, in, from);
  }
  void topk(const View& values, const View& indices, const View& in) override {
    checks::topk(values, indices, in);
    reference::topk(values, indices, in);
  }
  void matmul(const View& out, const View& a, const View& b, double alpha, double beta) override {
    checks::matmul(out, a, b);
    reference::matmul(out, a, b, alpha, beta);
  }
  void gather(const View& out, const View& table, const View& index) override {
    checks::gather(out, table, index, "gather");
    reference::gather(out, table, index);
  }
  void scatter_add(const View& out, const View& source, const View& index) override {
    checks::gather(source, out, index, "scatter_add");
    reference::scatter_add(out, source, index);
  }
  void iota(const View& to) override { reference::iota(to); }
  void write_slots(const View& to, const View& rows, const View& at) override {
    checks::write_slots(to, rows, at);
    reference::write_slots(to, rows, at);
  }
  void reorder_rows(const View& rows, const View& parent) override {
    checks::reorder_rows(rows, parent);
    reference::reorder_rows(rows, parent);
  }
};

}  // namespace

std::unique_ptr<Backend> reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace heed
