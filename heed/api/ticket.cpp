#include "heed/api/ticket.h"

#include <utility>

#include "heed/api/answers.h"
#include "heed/api/request_options.h"
#include "heed/api/ticket_state.h"

namespace heed {

Ticket::State::State(std::vector<std::shared_ptr<const void>> handles, SchedulerThread& thread,
                     ThreadPool& pool, Request request, RequestWatcher watcher)
    : handles_(std::move(handles)),
      thread_(thread),
      pool_(pool),
      request_(std::move(request)),
      watcher_(std::move(watcher)) {}

bool Ticket::State::is_cancelled() const {
  return is_dropped_ || request_.stop.stop_requested() ||
         (request_.deadline && std::chrono::steady_clock::now() >= *request_.deadline);
}

void Ticket::State::begin(const std::vector<const TrainedModel*>& models, AnswerOptions options) {
  const Fields& fields = models.front()->fields;
  check_texts(request_.sources, options, *fields.source);
  options.is_cancelled = [this] { return is_cancelled(); };
  std::vector<Source> sources;
  for (std::string& bytes : request_.sources) {
    sources.push_back(Source::of_bytes(std::move(bytes)));
  }
  inquiry_.emplace(models, std::move(sources), options);
  RequestJob& job = inquiry_->job();
  job.ended = [this] { end(); };
  if (watcher_.on_step) {
    job.watcher_of = [this, &job, &fields](const Piece& piece) {
      return &tellers_.emplace_back(watcher_, fields.target->vocabulary(), job, piece);
    };
  }
}

void Ticket::State::submit(const std::function<void(Inquiry& inquiry)>& prepared) noexcept {
  try {
    const UsePool use(pool_);
    while (inquiry_->prepare()) {
    }
    if (prepared) {
      prepared(*inquiry_);
    }
    hand_over();
  } catch (...) {
    fail(std::current_exception());
  }
}

void Ticket::State::hand_over() {
  {
    const std::lock_guard lock(guard_);
    is_done_ = is_let_go_ = false;
  }
  thread_.run([this](Scheduler& scheduler) { scheduler.add(inquiry_->job()); });
}

/// The watcher hears of it on the thread, as of everything else.
void Ticket::State::fail(std::exception_ptr failure) noexcept {
  failure_ = std::move(failure);
  try {
    thread_.run([this](Scheduler&) { end(); });
  } catch (...) {
    end();
  }
}

/// The last that the thread does with it.
void Ticket::State::end() {
  {
    const std::lock_guard lock(guard_);
    is_done_ = true;
    changed_.notify_all();
  }
  std::exception_ptr of_watcher;
  try {
    if (watcher_.on_done) {
      watcher_.on_done();
    }
  } catch (...) {
    of_watcher = std::current_exception();
  }
  SchedulerThread& thread = thread_;
  std::shared_ptr<State> self;
  {
    const std::lock_guard lock(guard_);
    if (!failure_) {
      failure_ = std::exchange(of_watcher, nullptr);
    }
    is_let_go_ = true;
    self = std::move(self_);
    changed_.notify_all();
  }
  if (self) {
    thread.let_go(std::move(self));
  }
}

void Ticket::State::check_may_wait() const {
  if (thread_.is_this()) {
    heed::fail(Fault::usage,
               "request: a watcher may not wait for an answer of its own engine; submit the "
               "request and go on");
  }
}

std::vector<Answer> Ticket::State::answers() {
  const UsePool use(pool_);
  return answers_of(inquiry_->joined());
}

std::vector<Answer> Ticket::State::answer() {
  check_may_wait();
  const UsePool use(pool_);
  while (inquiry_->prepare()) {
    hand_over();
    {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [this] { return is_let_go_; });
    }
    inquiry_->settle();
  }
  return answers();
}

std::vector<Replies> Ticket::State::replies() {
  {
    std::unique_lock lock(guard_);
    if (thread_.is_this() && !is_done_) {
      check_may_wait();
    }
    changed_.wait(lock, [this] { return is_let_go_ || (is_done_ && thread_.is_this()); });
    if (is_taken_) {
      heed::fail(Fault::usage, "ticket: its answers were taken; wait for them once");
    }
    is_taken_ = true;
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }
  const UsePool use(pool_);
  inquiry_->settle();
  return inquiry_->joined();
}

std::vector<Answer> Ticket::State::wait() {
  std::vector<Replies> all = replies();
  const UsePool use(pool_);
  return answers_of(std::move(all));
}

bool Ticket::State::wait_for(std::chrono::nanoseconds time) const {
  std::unique_lock lock(guard_);
  return changed_.wait_for(lock, time, [this] { return is_done_; });
}

bool Ticket::State::done() const {
  const std::lock_guard lock(guard_);
  return is_done_;
}

void Ticket::State::drop(std::shared_ptr<State> state) {
  state->cancel();
  std::unique_lock lock(state->guard_);
  if (!state->thread_.is_this()) {
    state->changed_.wait(lock, [&state] { return state->is_let_go_; });
  } else if (!state->is_let_go_) {
    state->self_ = state;
  } else {
    SchedulerThread& thread = state->thread_;
    lock.unlock();
    thread.let_go(std::move(state));
    return;
  }
  lock.unlock();
}

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this != &other) {
    drop();
    state_ = std::move(other.state_);
  }
  return *this;
}

Ticket::~Ticket() { drop(); }

void Ticket::drop() noexcept {
  if (state_) {
    State::drop(std::move(state_));
  }
}

Ticket::State& Ticket::state() const {
  if (!state_) {
    fail(Fault::usage, "ticket: there is no request behind it; take one from `submit`");
  }
  return *state_;
}

std::vector<Answer> Ticket::wait() { return state().wait(); }

bool Ticket::wait_for(std::chrono::nanoseconds time) const { return state().wait_for(time); }

bool Ticket::done() const { return state().done(); }

void Ticket::cancel() { state().cancel(); }

}  // namespace heed
