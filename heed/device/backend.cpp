// The face of every backend: each primitive checks its views and then calls the backend's own.
#include "heed/device/backend.h"

#include "heed/base/error.h"
#include "heed/device/primitive_checks.h"

namespace heed {
namespace {

[[noreturn, gnu::noinline]] void refuse_dtype(const Backend& backend, const View& view,
                                              const char* who) {
  fail("{}: saw {} on {}, which does not hold it; use the reference backend", who,
       name_of(view.dtype), backend.name());
}

[[noreturn, gnu::noinline]] void refuse_stored(const View& view, const char* who) {
  fail("{}: saw {}, which is for storing, needs f32; cast first", who, name_of(view.dtype));
}

bool is_empty(const View& view) { return view.numel() == 0; }

}  // namespace

RawMemory& Backend::staging() {
  static auto* const memory = host_memory().release();  // outlives all that lies in it
  return *memory;
}

void Backend::check_held(const View& view, const char* who) const {
  if (!supports(view.dtype)) {
    refuse_dtype(*this, view, who);
  }
}

void Backend::check_computed(const View& view, const char* who) const {
  check_held(view, who);
  if (!is_computed(view.dtype) && !computes(view.dtype)) {
    refuse_stored(view, who);
  }
}

void Backend::check_computed(const View& view, const View& like, const char* who) const {
  if (view.dtype != like.dtype) {
    check_computed(view, who);
  }
}

void Backend::upload(const View& to, const void* host) {
  checks::contiguous(to, "upload");
  if (!is_empty(to)) {
    run_upload(to, host);
  }
}

void Backend::download(void* host, const View& from) {
  checks::contiguous(from, "download");
  if (!is_empty(from)) {
    run_download(host, from);
  }
  report_index_fault();
}

std::unique_ptr<Arrival> Backend::begin_download(void* host, const View& from) {
  checks::contiguous(from, "download");
  std::unique_ptr<Arrival> arrival = is_empty(from) ? nullptr : run_begin_download(host, from);
  if (!arrival) {
    report_index_fault();
  }
  return arrival;
}

std::unique_ptr<Arrival> Backend::run_begin_download(void* host, const View& from) {
  run_download(host, from);
  return nullptr;
}

void Backend::wait(Arrival& arrival) {
  arrival.wait();
  report_index_fault();
}

void Backend::report_index_fault() {
  if (const uint64_t fault = take_index_fault(); fault != 0) {
    fail_of_index(fault);
  }
}

void Backend::copy(const View& to, const View& from) {
  check_held(to, "copy");
  check_held(from, "copy");
  checks::copy(to, from);
  if (!is_empty(to)) {
    run_copy(to, from);
  }
}

void Backend::fill(const View& to, double value) {
  check_held(to, "fill");
  if (!is_empty(to)) {
    run_fill(to, value);
  }
}

void Backend::random(const View& to, Distribution distribution, const KernelKey& key) {
  check_computed(to, "random");
  checks::random(to, key);
  if (!is_empty(to)) {
    run_random(to, distribution, key);
  }
}

void Backend::random_rows(const View& to, Distribution distribution, const RandomKey& key,
                          const View& keys) {
  check_computed(to, "random_rows");
  checks::random_rows(to, keys);
  if (!is_empty(to)) {
    run_random_rows(to, distribution, key, keys);
  }
}

void Backend::map(Function f, const View& out, std::span<const View> in, MapScalars scalars) {
  check_computed(out, "map");
  for (const View& operand : in) {
    check_computed(operand, out, "map");
  }
  checks::map(f, out, in);
  if (!is_empty(out)) {
    run_map(f, out, in, scalars);
  }
}

void Backend::reduce(Reduction reduction, const View& out, const View& in) {
  check_computed(in, "reduce");
  check_computed(out, in, "reduce");
  const int axis = checks::reduce(reduction, out, in);
  if (!is_empty(out)) {
    run_reduce(reduction, out, in, axis);
  }
}

void Backend::running_sum(const View& out, const View& in, SumFrom from) {
  check_computed(in, "running_sum");
  check_computed(out, in, "running_sum");
  checks::running_sum(out, in);
  if (!is_empty(out)) {
    run_running_sum(out, in, from);
  }
}

void Backend::topk(const View& values, const View& indices, const View& in) {
  check_computed(in, "topk");
  check_computed(values, in, "topk");
  checks::topk(values, indices, in);
  if (!is_empty(values)) {
    run_topk(values, indices, in);
  }
}

void Backend::matmul(const View& out, const View& a, const View& b, double alpha, double beta) {
  check_computed(out, "matmul");
  check_computed(a, out, "matmul");
  check_computed(b, out, "matmul");
  checks::matmul(out, a, b);
  if (!is_empty(out)) {
    run_matmul(out, a, b, alpha, beta);
  }
}

void Backend::gather(const View& out, const View& table, const View& index) {
  check_held(out, "gather");
  check_computed(table, out, "gather");
  checks::gather(out, table, index, "gather");
  if (!is_empty(out)) {
    run_gather(out, table, index);
  }
}

void Backend::scatter_add(const View& out, const View& source, const View& index) {
  check_computed(out, "scatter_add");
  check_computed(source, out, "scatter_add");
  checks::gather(source, out, index, "scatter_add");
  if (!is_empty(source)) {
    run_scatter_add(out, source, index);
  }
}

void Backend::iota(const View& to) {
  check_computed(to, "iota");
  checks::iota(to);
  if (!is_empty(to)) {
    run_iota(to);
  }
}

void Backend::write_slots(const View& to, const View& rows, const View& at) {
  check_computed(to, "write_slots");
  check_computed(rows, to, "write_slots");
  checks::write_slots(to, rows, at);
  if (!is_empty(rows)) {
    run_write_slots(to, rows, at);
  }
}

void Backend::reorder_rows(const View& rows, const View& parent) {
  check_computed(rows, "reorder_rows");
  checks::reorder_rows(rows, parent);
  if (!is_empty(rows) && !is_empty(parent)) {
    run_reorder_rows(rows, parent);
  }
}

}  // namespace heed
