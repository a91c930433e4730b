// A backend that passes everything on and lists what it was asked: each primitive and each kernel with
// its shapes, strides, scalars and buffers, and what crosses between host and device. Two steps that
// could be one recorded graph have the same list.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/device/backend.h"

namespace heed::test {

struct Recording {
  std::vector<std::string> calls;  // uploads and downloads among them
  int64_t uploads = 0;
  int64_t downloads = 0;  // that were waited for
  int64_t copies = 0;
  int64_t written = 0;  // bytes; of a kernel, those of its first result only
};

/// Empty where both made the same calls, else the first in which they differ.
std::string first_difference(const Recording& a, const Recording& b);

class RecordingBackend : public Backend {
 public:
  /// `inner` must outlive it.
  explicit RecordingBackend(Backend& inner, int64_t steps_ahead = 0,
                            std::unique_ptr<RawMemory> memory = host_memory());

  /// From now on it offers no kernel for this call, so that operators compose it.
  template <class Call>
  void hide() {
    recorded_.set<Call>(nullptr);
  }

  /// What it was asked since the last call. Buffers are numbered in the order in which the calls name
  /// them first, so that it does not matter which of two buffers that take turns a step began with.
  Recording take();

  std::string name() const override { return "recording"; }
  bool supports(DType dtype) const override { return inner_.supports(dtype); }
  bool computes(DType dtype) const override { return inner_.computes(dtype); }
  int64_t steps_ahead() const override { return steps_ahead_; }
  int64_t gathered_rows() const override { return inner_.gathered_rows(); }
  const Kernels& kernels() const override { return recorded_; }
  void synchronise() override { inner_.synchronise(); }

 protected:
  void run_upload(const View& to, const void* host) override;
  void run_download(void* host, const View& from) override;
  std::unique_ptr<Arrival> run_begin_download(void* host, const View& from) override;
  void run_copy(const View& to, const View& from) override;
  void run_fill(const View& to, double value) override;
  void run_random(const View& to, Distribution distribution, const KernelKey& key) override;
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override;
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override;
  void run_reduce(Reduction reduction, const View& out, const View& in, int axis) override;
  void run_running_sum(const View& out, const View& in, SumFrom from) override;
  void run_topk(const View& values, const View& indices, const View& in) override;
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override;
  void run_gather(const View& out, const View& table, const View& index) override;
  void run_scatter_add(const View& out, const View& source, const View& index) override;
  void run_iota(const View& to) override;
  void run_write_slots(const View& to, const View& rows, const View& at) override;
  void run_reorder_rows(const View& rows, const View& parent) override;

 private:
  class CountedArrival;

  template <class Call>
  static bool run_recorded(Backend& backend, const Call& call);
  void wrote(const View& view) {
    recording_.written += view.numel() * static_cast<int64_t>(bytes_of(view.dtype));
  }
  /// Writes down a call; each argument in its own way.
  template <class... Arguments>
  void list(const char* name, const Arguments&... arguments);

  Backend& inner_;
  int64_t steps_ahead_;
  Kernels recorded_;
  std::vector<const void*> buffers_;
  Recording recording_;
};

}  // namespace heed::test
