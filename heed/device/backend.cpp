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
  check_held(to, "random");
  checks::random(to, key);
  if (!is_empty(to)) {
    run_random(to, distribution, key);
  }
}

void Backend::random_rows(const View& to, Distribution distribution, const RandomKey& key,
                          const View& keys) {
  check_held(to, "random_rows");
  checks::random_rows(to, keys);
  if (!is_empty(to)) {
    run_random_rows(to, distribution, key, keys);
  }
}

void Backend::map(Function f, const View& out, std::span<const View> in, MapScalars scalars) {
  check_held(out, "map");
  checks::map(f, out, in);
  if (!is_empty(out)) {
    run_map(f, out, in, scalars);
  }
}

void Backend::reduce(Reduction reduction, const View& out, const View& in) {
  check_held(in, "reduce");
  const int axis = checks::reduce(reduction, out, in);
  if (!is_empty(out)) {
    run_reduce(reduction, out, in, axis);
  }
}

void Backend::running_sum(const View& out, const View& in, SumFrom from) {
  check_held(in, "running_sum");
  checks::running_sum(out, in);
  if (!is_empty(out)) {
    run_running_sum(out, in, from);
  }
}

void Backend::topk(const View& values, const View& indices, const View& in) {
  check_held(in, "topk");
  checks::topk(values, indices, in);
  if (!is_empty(values)) {
    run_topk(values, indices, in);
  }
}

void Backend::matmul(const View& out, const View& a, const View& b, double alpha, double beta) {
  check_held(out, "matmul");
  checks::matmul(out, a, b);
  if (!is_empty(out)) {
    run_matmul(out, a, b, alpha, beta);
  }
}

void Backend::gather(const View& out, const View& table, const View& index) {
  check_held(out, "gather");
  checks::gather(out, table, index, "gather");
  if (!is_empty(out)) {
    run_gather(out, table, index);
  }
}

void Backend::scatter_add(const View& out, const View& source, const View& index) {
  check_held(out, "scatter_add");
  checks::gather(source, out, index, "scatter_add");
  checks::computed(out.dtype, "scatter_add");
  if (!is_empty(source)) {
    run_scatter_add(out, source, index);
  }
}

void Backend::iota(const View& to) {
  check_held(to, "iota");
  checks::iota(to);
  if (!is_empty(to)) {
    run_iota(to);
  }
}

void Backend::write_slots(const View& to, const View& rows, const View& at) {
  check_held(to, "write_slots");
  checks::write_slots(to, rows, at);
  if (!is_empty(rows)) {
    run_write_slots(to, rows, at);
  }
}

void Backend::reorder_rows(const View& rows, const View& parent) {
  check_held(rows, "reorder_rows");
  checks::reorder_rows(rows, parent);
  if (!is_empty(rows) && !is_empty(parent)) {
    run_reorder_rows(rows, parent);
  }
}

}  // namespace heed
