// The CPU backend with a watch: every primitive and every kernel slot is counted and timed, and every
// product is remembered so that a step's products can be run again alone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/device/backend.h"
#include "heed/device/kernel/packed.h"

namespace heed::bench {

struct Watched {
  std::string name;
  int64_t calls = 0;
  double seconds = 0;
};

/// One product as it was asked for: where its operands lay does not matter, their strides do.
struct Asked {
  View out;
  View a;
  View b;
  double alpha = 1;
  double beta = 0;
  std::optional<Precision> packed = {};  // b was packed beforehand, for products in this precision
};

/// Passes everything on to `inner`, which must outlive it.
class TimedBackend : public Backend {
 public:
  explicit TimedBackend(Backend& inner);

  std::string name() const override { return "timed"; }
  bool supports(DType dtype) const override { return inner_.supports(dtype); }
  void synchronise() override { inner_.synchronise(); }
  const Kernels& kernels() const override { return timed_; }

  void start_over();
  /// What ran since, the longest first.
  std::vector<Watched> table() const;
  const std::vector<Asked>& products() const { return products_; }

 protected:
  void run_upload(const View& to, const void* host) override { inner_.upload(to, host); }
  void run_download(void* host, const View& from) override { inner_.download(host, from); }
  void run_copy(const View& to, const View& from) override;
  void run_fill(const View& to, double value) override;
  void run_random(const View& to, Distribution distribution, const KernelKey& key) override;
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override;
  void run_reduce(Reduction reduction, const View& out, const View& in, int axis) override;
  void run_topk(const View& values, const View& indices, const View& in) override;
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override;
  void run_gather(const View& out, const View& table, const View& index) override;
  void run_scatter_add(const View& out, const View& source, const View& index) override;
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override {
    inner_.random_rows(to, distribution, key, keys);
  }
  void run_running_sum(const View& out, const View& in, SumFrom from) override {
    inner_.running_sum(out, in, from);
  }
  void run_iota(const View& to) override { inner_.iota(to); }
  void run_write_slots(const View& to, const View& rows, const View& at) override {
    inner_.write_slots(to, rows, at);
  }
  void run_reorder_rows(const View& rows, const View& parent) override {
    inner_.reorder_rows(rows, parent);
  }

 private:
  template <class Call>
  static bool run_timed(Backend& backend, const Call& call);
  template <class Body>
  void time(const char* name, const Body& body);
  /// What the replay must know of a call beside its time.
  template <class Call>
  void remember(const Call& /*call*/) {}
  void remember(const PackStep& step);
  void remember(const PackedProduct& product);
  void remember(const PackedProducts& call);

  Backend& inner_;
  Kernels timed_;
  std::map<std::string, Watched> watched_;
  std::vector<Asked> products_;
  std::map<const void*, Precision> packed_as_;
};

}  // namespace heed::bench
