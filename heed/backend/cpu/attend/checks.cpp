#include "heed/backend/cpu/attend/checks.h"

#include "heed/base/error.h"

namespace heed::cpu {
namespace {

/// Fails unless every row of `view` is dense and the shape is `shape`.
void check(const View& view, const Shape& shape, const char* who, const char* what) {
  if (view.data == nullptr && shape.numel() != 0) {
    fail("{}: saw no {}, needs {}", who, what, to_string(shape));
  }
  if (view.shape != shape || (view.stride(-1) != 1 && shape[-1] > 1)) {
    fail("{}: saw {} {} (stride {}), needs {} with dense rows", who, what, to_string(view.shape),
         view.stride(-1), to_string(shape));
  }
}

void check_where_given(const View& view, const Shape& shape, const char* who, const char* what) {
  if (view.data != nullptr) {
    check(view, shape, who, what);
  }
}

}  // namespace

void check_step(const AttendStep& step, const char* who) {
  const Shape& query = step.score.query.shape;
  if (query.rank() != 5 || step.values.shape.rank() != 4) {
    fail("{}: saw query {} and values {}, needs [M, G, P, R, A] and [M, G, S, d]", who,
         to_string(query), to_string(step.values.shape));
  }
  const int64_t slots = step.values.shape[2];
  const int64_t width = step.values.shape[3];
  const Shape rows{query[0], query[1], query[2], query[3]};
  check(step.score.query, query, who, "query");
  check(step.score.keys, {query[0], query[1], slots, query[4]}, who, "keys");
  check(step.values, {query[0], query[1], slots, width}, who, "values");
  check(step.context, query.with(4, width), who, "context");
  for (const View* each : {&step.where.lo, &step.where.hi}) {
    if (each->shape != rows) {
      fail("{}: saw a range {}, needs {}", who, to_string(each->shape), to_string(rows));
    }
  }
  check_where_given(step.report.weights, query.with(4, slots), who, "weights");
}

void check_gradient(const AttendGradient& gradient, const char* who) {
  check_step(gradient.step, who);
  const Shape& query = gradient.step.score.query.shape;
  const Shape& values = gradient.step.values.shape;
  check(gradient.dcontext, query.with(4, values[3]), who, "dcontext");
  check_where_given(gradient.dweights, query.with(4, values[2]), who, "dweights");
  check_where_given(gradient.dquery, query, who, "dquery");
  check_where_given(gradient.dkeys, gradient.step.score.keys.shape, who, "dkeys");
  check_where_given(gradient.dvalues, values, who, "dvalues");
  check_where_given(gradient.dbias, query.with(4, values[2]), who, "dbias");
}

}  // namespace heed::cpu
