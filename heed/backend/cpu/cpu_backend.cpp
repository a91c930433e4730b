#include "heed/backend/cpu/cpu_backend.h"

#include <cstring>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/thread_pool.h"
#include "heed/device/primitive_checks.h"

namespace heed {
namespace {

size_t byte_count(const View& view) {
  return static_cast<size_t>(view.numel()) * bytes_of(view.dtype);
}

class CpuBackend : public Backend {
 public:
  CpuBackend() : Backend(host_memory()) {}

  std::string name() const override { return "cpu"; }
  bool supports(DType dtype) const override { return dtype != DType::f64; }
  void synchronise() override {}
  void trim() override {
    thread_pool().run_on_every_thread(cpu::ScratchBuffer::release_all);
    Backend::trim();
  }
  const Kernels& kernels() const override { return cpu::kernels; }

 protected:
  void run_upload(const View& to, const void* host) override {
    std::memcpy(to.data, host, byte_count(to));
  }
  void run_download(void* host, const View& from) override {
    std::memcpy(host, from.data, byte_count(from));
  }
  void run_copy(const View& to, const View& from) override { cpu::copy(to, from); }
  void run_fill(const View& to, double value) override { cpu::fill(to, value); }
  void run_random(const View& to, Distribution distribution, const KernelKey& key) override {
    cpu::random(to, distribution, checks::read_key(key));
  }
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override {
    cpu::random_rows(to, distribution, key, keys);
  }
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    cpu::map(f, out, in, scalars);
  }
  void run_reduce(Reduction reduction, const View& out, const View& in, int axis) override {
    if (reduction == Reduction::argmax) {
      cpu::argmax(out, in, axis);
    } else if (reduction == Reduction::max) {
      cpu::max(out, in);
    } else {
      cpu::sum(out, in);
    }
  }
  void run_running_sum(const View& out, const View& in, SumFrom from) override {
    cpu::running_sum(out, in, from);
  }
  void run_topk(const View& values, const View& indices, const View& in) override {
    cpu::topk(values, indices, in);
  }
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override {
    cpu::matmul(out, a, b, static_cast<float>(alpha), static_cast<float>(beta));
  }
  void run_gather(const View& out, const View& table, const View& index) override {
    cpu::gather(out, table, index, index_faults());
  }
  void run_scatter_add(const View& out, const View& source, const View& index) override {
    cpu::scatter_add(out, source, index, index_faults());
  }
  void run_iota(const View& to) override { cpu::iota(to); }
  void run_write_slots(const View& to, const View& rows, const View& at) override {
    cpu::write_slots(to, rows, at, index_faults());
  }
  void run_reorder_rows(const View& rows, const View& parent) override {
    cpu::reorder_rows(rows, parent, index_faults());
  }
};

}  // namespace

std::unique_ptr<Backend> cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace heed
