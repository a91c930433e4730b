// The likeliest words of each row: the same largest and the same losses as the primitive and the kernel
// that compute them, and one more pass over the k words that were found.
#include "heed/device/kernel/choose_words.h"

#include <algorithm>
#include <limits>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"
#include "heed/device/kernel/cross_entropy.h"
#include "heed/device/shape_format.h"

namespace heed::cpu {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

void check(const ChooseWords& call) {
  const int64_t rows = call.logits.shape[0];
  const Shape column{rows, 1};
  require(call.ids.shape == call.log_probability.shape && call.ids.is_contiguous() &&
              call.log_probability.is_contiguous() && call.most.shape == column &&
              call.loss.shape == column && call.most.is_contiguous() && call.loss.is_contiguous(),
          "choose_words: saw words {} of logits {}, needs dense [Q, k] of [Q, V]",
          to_string(call.ids.shape), to_string(call.logits.shape));
}

/// m and l of each row.
void write_losses(Backend& backend, const ChooseWords& call) {
  const int64_t rows = call.logits.shape[0];
  if (call.is_as_it_is) {
    fill(call.most, 0);
    return fill(call.loss, 0);
  }
  thread_local ScratchBuffer memory;
  const View total = dense_view(memory.of<float>(rows), DType::f32, {rows, 1});
  cross_entropy(backend, {.losses = call.loss,
                          .most = call.most,
                          .total = total,
                          .logits = call.logits,
                          .targets = sliced(call.ids, 1, 0, 1)});
}

/// One row's words, and what belongs to it.
struct WordsOfRow {
  const float* logits;
  float most;
  float loss;
  int32_t* ids;
  float* log_probability;
  int64_t count;
};

void force(const WordsOfRow& row, int64_t word) {
  std::fill_n(row.ids, row.count, static_cast<int32_t>(word));
  std::fill_n(row.log_probability, row.count, impossible);
  row.log_probability[0] = row.logits[word] - row.most - row.loss;
}

void close(const WordsOfRow& row, const View& closed, int64_t q) {
  const auto* words = closed.as<int32_t>() + q * closed.strides[0];
  for (int64_t i = 0; i < row.count; ++i) {
    for (int64_t c = 0; c < closed.shape[1]; ++c) {
      if (words[c * closed.strides[1]] == row.ids[i]) {
        row.log_probability[i] = impossible;
      }
    }
  }
}

}  // namespace

bool choose_words(Backend& backend, const ChooseWords& call) {
  check(call);
  topk(call.log_probability, call.ids, call.logits);
  write_losses(backend, call);
  const int64_t count = call.ids.shape[1];
  for (int64_t q = 0; q < call.logits.shape[0]; ++q) {
    const WordsOfRow row{call.logits.as<float>() + q * call.logits.strides[0],
                         call.most.as<float>()[q],
                         call.loss.as<float>()[q],
                         call.ids.as<int32_t>() + q * count,
                         call.log_probability.as<float>() + q * count,
                         count};
    for (int64_t i = 0; i < count; ++i) {
      row.log_probability[i] = row.log_probability[i] - row.most - row.loss;
    }
    if (call.forced.data != nullptr) {
      const int64_t word =
          checked_index(call.forced.as<int32_t>()[q * call.forced.strides[0]], -1,
                        call.logits.shape[1], Indexed::choose_words, backend.index_faults(), -1);
      if (word >= 0) {
        force(row, word);
      }
    }
    if (call.closed.data != nullptr) {
      close(row, call.closed, q);
    }
  }
  return true;
}

}  // namespace heed::cpu
