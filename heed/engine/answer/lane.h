// Requests that share a search: those whose pieces are under way in it, and those that wait for it. Who
// may share is decided by models, strategy, decoders and mean; a search that nobody can join
// (batch_search.h) is shared by requests whose options are all the same, from its beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "heed/engine/answer/search_job.h"
#include "heed/search/batch_search.h"

namespace heed {

class Lane {
 public:
  /// Hypotheses under way at most; a group that has more is searched by itself. More do not make a step
  /// cheaper for each, but longer for all.
  static constexpr int64_t most_hypotheses = 1024;

  /// Who must not be there when a group is let in, because it failed beside them.
  enum class Alone { no, in_lane, in_engine };
  /// Pieces of one job, which are let in together.
  struct Group {
    SearchJob* job = nullptr;
    std::vector<PieceToSearch> pieces;
    Alone alone = Alone::no;
    int64_t first = 0;             // the number of its first piece in the search
    std::vector<bool> found = {};  // of its pieces
  };
  /// A job whose group is not here any more: all of it was found, or it failed.
  struct Gone {
    SearchJob* job;
    std::exception_ptr failure;
  };

  explicit Lane(const SearchPlan& plan);

  bool takes(const SearchPlan& plan) const;
  void wait(Group group) { waiting_.push_back(std::move(group)); }
  bool is_empty() const { return waiting_.empty() && under_way_.empty(); }
  bool is_under_way() const { return !under_way_.empty(); }
  /// Whether those who wait first wait until nothing else is under way anywhere, or whether that is so.
  bool needs_engine() const {
    return !waiting_.empty() && waiting_.front().alone == Alone::in_engine;
  }
  bool has_engine() const {
    return !under_way_.empty() && under_way_.front().alone == Alone::in_engine;
  }

  /// Those whose jobs do not go on leave.
  void let_out();
  /// Those who wait come in, as far as there is room. Returns the number of pieces. `are_others` says
  /// whether other lanes have something under way.
  size_t let_in(bool are_others);
  /// Takes a step of the search, if there is one, and hands out what it has found.
  void step(bool are_others);
  std::vector<Gone> take_gone() { return std::exchange(gone_, {}); }

 private:
  std::vector<Group> admissible();
  bool has_room(const Group& group, int64_t hypotheses, size_t rows, bool is_first) const;
  int64_t hypotheses_under_way() const;
  size_t most_rows() const;
  void begin(std::vector<Group>& groups);
  void watch(const Group& group);
  bool leaves(Group& group);
  void cancel(const Group& group);
  void fail_before(std::vector<Group> groups, const std::exception_ptr& why, bool are_others);
  void fail(Group group, const std::exception_ptr& why, bool are_others);
  void fail_all(const std::exception_ptr& why, bool are_others);
  void hand_out();
  void hand_out_open(OpenSearch& search, Group& group);
  void rest_if_empty();

  SearchPlan plan_;
  bool is_open_;
  std::deque<Group> waiting_;
  std::list<Group> under_way_;  // in the order in which they came; a job of null has left
  std::unique_ptr<BatchSearch> search_;
  std::vector<Gone> gone_;
};

}  // namespace heed
