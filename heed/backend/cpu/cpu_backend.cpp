#include "heed/backend/cpu/cpu_backend.h"

#include <cstring>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"
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
  void trim() override {
    thread_pool().run_on_every_thread(cpu::ScratchBuffer::release_all);
    Backend::trim();
  }

  void copy(const View& to, const View& from) override {
    enter("copy", to, from);
    checks::copy(to, from);
    cpu::copy(to, from);
  }
  void fill(const View& to, double value) override {
    enter("fill", to, to);
    cpu::fill(to, value);
  }
  void random(const View& to, Distribution distribution, const KernelKey& key) override {
    enter("random", to, to);
    checks::real(to.dtype, "random");
    cpu::random(to, distribution, checks::read_key(key));
  }
  void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                   const View& keys) override {
    enter("random_rows", to, to);
    checks::random_rows(to, keys);
    cpu::random_rows(to, distribution, key, keys);
  }
  void map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    enter("map", out, out);
    checks::map(f, out, in);
    cpu::map(f, out, in, scalars);
  }
  void reduce(Reduction reduction, const View& out, const View& in) override {
    enter("reduce", out, in);
    const int axis = checks::reduce(reduction, out, in);
    if (reduction == Reduction::argmax) {
      cpu::argmax(out, in, axis);
    } else if (reduction == Reduction::max) {
      cpu::max(out, in);
    } else {
      cpu::sum(out, in);
    }
  }
  void running_sum(const View& out, const View& in, SumFrom from) override {
    enter("running_sum", out, in);
    checks::running_sum(out, in);
    cpu::running_sum(out, in, from);
  }
  void topk(const View& values, const View& indices, const View& in) override {
    enter("topk", values, in);
    checks::topk(values, indices, in);
    cpu::topk(values, indices, in);
  }
  void matmul(const View& out, const View& a, const View& b, double alpha, double beta) override {
    enter("matmul", out, a);
    checks::matmul(out, a, b);
    cpu::matmul(out, a, b, static_cast<float>(alpha), static_cast<float>(beta));
  }
  void gather(const View& out, const View& table, const View& index) override {
    enter("gather", out, table);
    checks::gather(out, table, index, "gather");
    cpu::gather(out, table, index);
  }
  void scatter_add(const View& out, const View& source, const View& index) override {
    enter("scatter_add", out, source);
    checks::gather(source, out, index, "scatter_add");
    checks::computed(out.dtype, "scatter_add");
    cpu::scatter_add(out, source, index);
  }
  void iota(const View& to) override {
    enter("iota", to, to);
    checks::computed(to.dtype, "iota");
    cpu::iota(to);
  }
  void write_slots(const View& to, const View& rows, const View& at) override {
    enter("write_slots", to, rows);
    checks::write_slots(to, rows, at);
    cpu::write_slots(to, rows, at);
  }
  void reorder_rows(const View& rows, const View& parent) override {
    enter("reorder_rows", rows, parent);
    checks::reorder_rows(rows, parent);
    cpu::reorder_rows(rows, parent);
  }

  const Kernels& kernels() const override { return cpu::kernels; }

 private:
  static void enter(const char* who, const View& a, const View& b) {
    if (a.dtype == DType::f64 || b.dtype == DType::f64) {
      refuse_f64(who);
    }
  }
  [[noreturn, gnu::noinline]] static void refuse_f64(const char* who) {
    fail("{}: saw f64 on cpu, needs f32 or i32; use the reference backend", who);
  }
};

}  // namespace

std::unique_ptr<Backend> cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace heed
