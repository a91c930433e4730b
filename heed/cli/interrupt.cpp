#include "heed/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace heed {
namespace {

constexpr std::array<int, 2> watched{SIGINT, SIGTERM};

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may use nothing else");

bool watching = false;
std::array<struct sigaction, 2> before{};

extern "C" void heed_catch_interrupt(int number) {
  if (caught.exchange(number) != 0) {
    _exit(128 + number);
  }
}

}  // namespace

void watch_interrupts() {
  if (watching) {
    return;
  }
  watching = true;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    sigaction(watched[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) {
      continue;
    }
    struct sigaction action {};
    action.sa_handler = heed_catch_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(watched[i], &action, nullptr);
  }
}

bool interrupted() { return caught.load(std::memory_order_relaxed) != 0; }

int interrupt_exit_code() {
  const int number = caught.load();
  return number == 0 ? 0 : 128 + number;
}

void unwatch_interrupts() {
  if (watching) {
    for (std::size_t i = 0; i < watched.size(); ++i) {
      sigaction(watched[i], &before[i], nullptr);
    }
  }
  watching = false;
  caught.store(0);
}

}  // namespace heed
