#include "tests/support/log_backend/log_backend.h"

#include <fmt/format.h>

#include <cstring>

#include "heed/device/shape_format.h"

namespace heed::test {
namespace {

class LogBackend : public Backend {
 public:
  explicit LogBackend(int device) : Backend(host_memory()), device_(device) {}

  std::string name() const override { return fmt::format("log:{}", device_); }
  bool supports(DType dtype) const override { return dtype != DType::f64; }
  void synchronise() override { fmt::print(stderr, "synchronise\n"); }

 protected:
  void run_upload(const View& to, const void* /*host*/) override { say("upload", to); }
  /// Zeros, so that nobody reads memory that was never written.
  void run_download(void* host, const View& from) override {
    say("download", from);
    std::memset(host, 0, static_cast<size_t>(from.numel()) * bytes_of(from.dtype));
  }
  void run_copy(const View& to, const View& /*from*/) override { say("copy", to); }
  void run_fill(const View& to, double /*value*/) override { say("fill", to); }
  void run_random(const View& to, Distribution /*distribution*/,
                  const KernelKey& /*key*/) override {
    say("random", to);
  }
  void run_random_rows(const View& to, Distribution /*distribution*/, const RandomKey& /*key*/,
                       const View& /*keys*/) override {
    say("random_rows", to);
  }
  void run_map(Function /*f*/, const View& out, std::span<const View> /*in*/,
               MapScalars /*scalars*/) override {
    say("map", out);
  }
  void run_reduce(Reduction /*reduction*/, const View& out, const View& /*in*/, int axis) override {
    say(axis < 0 ? "reduce" : "argmax", out);
  }
  void run_running_sum(const View& out, const View& /*in*/, SumFrom /*from*/) override {
    say("running_sum", out);
  }
  void run_topk(const View& values, const View& /*indices*/, const View& /*in*/) override {
    say("topk", values);
  }
  void run_matmul(const View& out, const View& /*a*/, const View& /*b*/, double /*alpha*/,
                  double /*beta*/) override {
    say("matmul", out);
  }
  void run_gather(const View& out, const View& /*table*/, const View& /*index*/) override {
    say("gather", out);
  }
  void run_scatter_add(const View& out, const View& /*source*/, const View& /*index*/) override {
    say("scatter_add", out);
  }
  void run_iota(const View& to) override { say("iota", to); }
  void run_write_slots(const View& to, const View& /*rows*/, const View& /*at*/) override {
    say("write_slots", to);
  }
  void run_reorder_rows(const View& rows, const View& /*parent*/) override {
    say("reorder_rows", rows);
  }

 private:
  static void say(const char* what, const View& written) {
    fmt::print(stderr, "{} {}\n", what, to_string(written.shape));
  }

  int device_;
};

}  // namespace

std::unique_ptr<Backend> log_backend(int device) { return std::make_unique<LogBackend>(device); }

}  // namespace heed::test
