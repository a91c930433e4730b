// A backend that passes everything on and counts what crosses between host and device.
#pragma once

#include "heed/device/backend.h"

namespace heed::test {

struct Traffic {
  int64_t uploads = 0;
  int64_t downloads = 0;
  int64_t copies = 0;
  int64_t calls = 0;  // of all primitives
  bool operator==(const Traffic&) const = default;
};

class CountingBackend : public Backend {
 public:
  explicit CountingBackend(Backend& inner, int64_t steps_between_reads = 1)
      : Backend(host_memory()), inner_(inner), steps_between_reads_(steps_between_reads) {}

  /// What crossed since the last call.
  Traffic take() { return std::exchange(traffic_, {}); }

  std::string name() const override { return "counting"; }
  bool supports(DType dtype) const override { return inner_.supports(dtype); }
  int64_t steps_between_reads() const override { return steps_between_reads_; }
  const Kernels& kernels() const override { return inner_.kernels(); }
  void synchronise() override { inner_.synchronise(); }
  void upload(const View& to, const void* host) override {
    ++traffic_.uploads;
    inner_.upload(to, host);
  }
  void download(void* host, const View& from) override {
    ++traffic_.downloads;
    inner_.download(host, from);
  }
  void copy(const View& to, const View& from) override {
    ++traffic_.copies;
    counted().copy(to, from);
  }
  void fill(const View& to, double value) override { counted().fill(to, value); }
  void random(const View& to, Distribution distribution, const RandomKey& key) override {
    counted().random(to, distribution, key);
  }
  void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                   const View& keys) override {
    counted().random_rows(to, distribution, key, keys);
  }
  void map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    counted().map(f, out, in, scalars);
  }
  void reduce(Reduction reduction, const View& out, const View& in) override {
    counted().reduce(reduction, out, in);
  }
  void topk(const View& values, const View& indices, const View& in) override {
    counted().topk(values, indices, in);
  }
  void matmul(const View& out, const View& a, const View& b, double alpha, double beta) override {
    counted().matmul(out, a, b, alpha, beta);
  }
  void gather(const View& out, const View& table, const View& index) override {
    counted().gather(out, table, index);
  }
  void scatter_add(const View& out, const View& source, const View& index) override {
    counted().scatter_add(out, source, index);
  }
  void iota(const View& to) override { counted().iota(to); }
  void write_slots(const View& to, const View& rows, const View& at) override {
    counted().write_slots(to, rows, at);
  }
  void reorder_rows(const View& rows, const View& parent) override {
    counted().reorder_rows(rows, parent);
  }

 private:
  Backend& counted() {
    ++traffic_.calls;
    return inner_;
  }

  Backend& inner_;
  int64_t steps_between_reads_;
  Traffic traffic_;
};

}  // namespace heed::test
