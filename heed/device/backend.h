// A backend: a few mandatory primitives over Views, plus optional fused kernels behind typed slots.
// It knows nothing about gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heed/device/caching_allocator.h"
#include "heed/device/functions.h"
#include "heed/device/index_fault.h"
#include "heed/device/kernel_key.h"
#include "heed/device/kernels.h"
#include "heed/device/view.h"

namespace heed {

enum class Reduction : uint8_t { sum, max, argmax };
enum class SumFrom : uint8_t { begin, end };
enum class Distribution : uint8_t {
  uniform,  // (0, 1), the same 23-bit numbers in every element type
  normal,   // mean 0, variance 1
};

/// A download that has begun (Backend::begin_download). Its end waits as well.
class Arrival {
 public:
  virtual ~Arrival() = default;
  virtual void wait() = 0;
};

/// Two numbers that a map may use; each function says what they mean.
struct MapScalars {
  double a = 0;
  double b = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// "cpu", "reference", "cuda:0".
  virtual std::string name() const = 0;
  virtual bool supports(DType dtype) const = 0;
  /// Whether primitives compute with elements of a type that it supports; others are only stored. In
  /// bf16 a result is that of f32, rounded.
  virtual bool computes(DType dtype) const { return is_computed(dtype) && supports(dtype); }

  CachingAllocator& allocator() { return allocator_; }
  /// Returns unused memory to the system: what the allocator keeps for reuse and the backend's own
  /// workspace. Must not be called from inside a parallel loop.
  virtual void trim() { allocator_.trim(); }

  // The primitives. A wrong view is an Error here, for every backend alike. Calls may run later than
  // they are made, in their order; a wrong index is reported by the next download.

  void upload(const View& to, const void* host);  // `to` is contiguous
  /// Host memory that `upload` reads best and `begin_download` fills: on a GPU, pages that stay where
  /// they are. What is freed is not given out again before uploads from it are over. Used from several
  /// threads.
  virtual RawMemory& staging();
  /// Waits for all calls before it. `from` is contiguous.
  void download(void* host, const View& from);
  /// The same without waiting: `host`, memory of `staging`, has the values after `wait`, which waits
  /// for calls before this one only. Until then `from` stays as it is. Null: they are there already.
  std::unique_ptr<Arrival> begin_download(void* host, const View& from);
  void wait(Arrival& arrival);
  virtual void synchronise() = 0;

  // Where both are computed with, operands in f32 and bf16 may meet; the result has its own type.

  /// to ← from, casting and following strides; shapes are equal.
  void copy(const View& to, const View& from);
  void fill(const View& to, double value);
  /// Element e (row-major) is drawn with counter e, so the numbers do not depend on chunks.
  void random(const View& to, Distribution distribution, const KernelKey& key);
  /// to [r, h, n] with keys i32 [r, 3]: row r is drawn with key.step = keys[r, 0] + 2³² keys[r, 1]
  /// and key.stream + 2³² keys[r, 2], its element (h, j) with counter 2²⁴ h + j. So a row's numbers
  /// depend on its keys only, not on the other rows or the width.
  void random_rows(const View& to, Distribution distribution, const RandomKey& key,
                   const View& keys);
  /// out ← f(in…): operands have out's shape (broadcast beforehand) and element type.
  void map(Function f, const View& out, std::span<const View> in, MapScalars scalars);
  /// Each axis of out has the length of in's or 1; those of length 1 are reduced. argmax reduces
  /// one axis into i32; ties go to the lower index.
  void reduce(Reduction reduction, const View& out, const View& in);
  /// out[…, j] ← Σ in[…, i] along the last axis, over i ≤ j, or over i ≥ j for sums from the end. out
  /// may be in.
  void running_sum(const View& out, const View& in, SumFrom from);
  /// The k largest of the last axis, descending, ties to the lower index; indices are i32. The last
  /// axis of values and indices is k.
  void topk(const View& values, const View& indices, const View& in);
  /// out[…, m, n] ← alpha · a[…, m, k] b[…, k, n] + beta · out; batch axes are equal (broadcast by
  /// stride 0).
  void matmul(const View& out, const View& a, const View& b, double alpha, double beta);
  /// out[b, n, d] ← table[b, index[b, n], d]; an index of −1 gives zeros, and so does a wrong one.
  /// Views have exactly these axes.
  void gather(const View& out, const View& table, const View& index);
  /// out[b, index[b, n], d] += source[b, n, d], in the order of n for any number of threads; an
  /// index of −1 adds nothing, nor does a wrong one.
  void scatter_add(const View& out, const View& source, const View& index);
  /// The last axis counts 0, 1, 2, …
  void iota(const View& to);
  /// to[q, g, at[q], d] ← rows[q, g, d]: writes one slot for each row of a cache, and none where the
  /// slot is wrong. Views have exactly these axes.
  void write_slots(const View& to, const View& rows, const View& at);
  /// rows[q, g, d] ← the old rows[parent[q], g, d], in place, for every q that has a parent; there
  /// may be fewer parents than rows. A row with a wrong parent stays as it is.
  void reorder_rows(const View& rows, const View& parent);

  /// How many decoding steps a search is ahead of what the host has read of it. With 1, the host reads
  /// what a step chose while the next one runs; hypotheses that have ended are computed once more.
  /// Where the host waits for nothing, it reads each step at once.
  virtual int64_t steps_ahead() const { return 0; }

  /// How many rows of the gradients of a weight's products are gathered before they are multiplied,
  /// where a weight is multiplied again and again: a taller product is not faster. The default is that
  /// of CPUs (2048 × 1024 on a Neoverse-N1: 27 GFLOP/s with 64 rows, 34.5 with 256, 36 with 512).
  virtual int64_t gathered_rows() const { return 512; }

  /// The fused kernels that this backend offers; a decorator of a backend replaces them.
  virtual const Kernels& kernels() const { return no_kernels; }
  template <class Call>
  bool offers() const {
    return kernels().template of<Call>() != nullptr;
  }
  /// Runs the backend's own kernel for this call. Returns false if there is none or it declines;
  /// then nothing was written, and the caller composes the result from primitives.
  template <class Call>
  bool run_fused(const Call& call) {
    const Kernel<Call> kernel = kernels().template of<Call>();
    return kernel != nullptr && kernel(*this, call);
  }

  /// Where kernels that run on the CPU write down a wrong index.
  IndexFaults& index_faults() { return index_faults_; }

 protected:
  explicit Backend(std::unique_ptr<RawMemory> memory) : allocator_(std::move(memory)) {}

  // What a backend computes: the primitives above, with views that are checked and of types that it
  // supports. What is written has elements.
  virtual void run_upload(const View& to, const void* host) = 0;
  virtual void run_download(void* host, const View& from) = 0;
  virtual std::unique_ptr<Arrival> run_begin_download(void* host, const View& from);
  virtual void run_copy(const View& to, const View& from) = 0;
  virtual void run_fill(const View& to, double value) = 0;
  virtual void run_random(const View& to, Distribution distribution, const KernelKey& key) = 0;
  virtual void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                               const View& keys) = 0;
  virtual void run_map(Function f, const View& out, std::span<const View> in,
                       MapScalars scalars) = 0;
  /// `axis` is the one that argmax reduces, −1 for the others.
  virtual void run_reduce(Reduction reduction, const View& out, const View& in, int axis) = 0;
  virtual void run_running_sum(const View& out, const View& in, SumFrom from) = 0;
  virtual void run_topk(const View& values, const View& indices, const View& in) = 0;
  virtual void run_matmul(const View& out, const View& a, const View& b, double alpha,
                          double beta) = 0;
  virtual void run_gather(const View& out, const View& table, const View& index) = 0;
  virtual void run_scatter_add(const View& out, const View& source, const View& index) = 0;
  virtual void run_iota(const View& to) = 0;
  virtual void run_write_slots(const View& to, const View& rows, const View& at) = 0;
  virtual void run_reorder_rows(const View& rows, const View& parent) = 0;
  /// The word of a wrong index, after a download; it is 0 from then on.
  virtual uint64_t take_index_fault() { return index_faults_.take(); }

 private:
  static constexpr Kernels no_kernels{};
  void report_index_fault();
  /// An Error if the view's elements are of a type that this backend does not hold.
  void check_held(const View& view, const char* who) const;
  /// The same if it does not compute with them.
  void check_computed(const View& view, const char* who) const;
  /// The same where they are not of a type that was checked already.
  void check_computed(const View& view, const View& like, const char* who) const;

  CachingAllocator allocator_;
  IndexFaults index_faults_;
};

}  // namespace heed
