#include "heed/cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heed::interrupt_test {
namespace {

TEST(Interrupt, TheFirstSignalSetsAFlag) {
  watch_interrupts();
  watch_interrupts();
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(interrupt_exit_code(), 0);
  raise(SIGTERM);
  EXPECT_TRUE(interrupted());
  EXPECT_EQ(interrupt_exit_code(), 143);
  unwatch_interrupts();
  EXPECT_FALSE(interrupted());
  watch_interrupts();
  raise(SIGINT);
  EXPECT_EQ(interrupt_exit_code(), 130);
  unwatch_interrupts();
}

/// How a child ends that watches and is sent both signals, or after unwatching one.
template <class Fn>
int status_of(Fn fn) {
  const pid_t child = fork();
  if (child == 0) {
    fn();
    _exit(7);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Interrupt, TheSecondEndsTheProcessAtOnce) {
  const int status = status_of([] {
    watch_interrupts();
    raise(SIGINT);
    raise(SIGINT);
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const int mixed = status_of([] {
    watch_interrupts();
    raise(SIGINT);
    raise(SIGTERM);
  });
  EXPECT_EQ(WEXITSTATUS(mixed), 143);
}

TEST(Interrupt, UnwatchedItKillsAgain) {
  const int status = status_of([] {
    watch_interrupts();
    unwatch_interrupts();
    raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Interrupt, AnIgnoredSignalStaysIgnored) {
  const int status = status_of([] {
    signal(SIGINT, SIG_IGN);
    watch_interrupts();
    raise(SIGINT);
    _exit(interrupted() ? 1 : 0);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace heed::interrupt_test
