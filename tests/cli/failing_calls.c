/* Loaded before the C library: the N-th call of a kind that heed makes on a file fails, as FAULT_AT=KIND:N says.
 *
 *   write   nothing is written           short   half of it is written, the next call fails
 *   fsync   rename   close               open    of files that would be made
 *   read    of files                     kill    the process is killed before the N-th write, fsync, rename or open of any of these
 *
 * FAULT_ERROR is the number of the error, by default ENOSPC, and EIO for fsync, read and close. With FAULT_EVER every later call of the
 * kind fails, too. FAULT_FIRED names a file that is made when it happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_due(const char* kind, int* count) {
  const char* at = getenv("FAULT_AT");
  const size_t length = strlen(kind);
  if (at == NULL || strncmp(at, kind, length) != 0 || at[length] != ':') {
    return 0;
  }
  const int due = atoi(at + length + 1);
  const int call = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
  if (call != due) {
    return call > due && getenv("FAULT_EVER") != NULL;
  }
  syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULT_FIRED"), O_WRONLY | O_CREAT, 0666));
  return 1;
}

static void set_error(int usual) {
  const char* error = getenv("FAULT_ERROR");
  errno = error == NULL ? usual : atoi(error);
}

static void kill_if_due(void) {
  static int count;
  if (is_due("kill", &count)) {
    raise(SIGKILL);
  }
}

ssize_t write(int file, const void* bytes, size_t count) {
  static int writes, shorts, is_full;
  if (file > 2) {
    kill_if_due();
    if (is_full) {
      is_full = 0;
      set_error(ENOSPC);
      return -1;
    }
    if (is_due("write", &writes)) {
      set_error(ENOSPC);
      return -1;
    }
    if (count > 1 && is_due("short", &shorts)) {
      is_full = 1;
      count /= 2;
    }
  }
  return syscall(SYS_write, file, bytes, count);
}

static int cannot_read(int file) {
  static int reads;
  struct stat status;
  if (file <= 2 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !is_due("read", &reads)) {
    return 0;
  }
  set_error(EIO);
  return 1;
}

ssize_t read(int file, void* bytes, size_t count) {
  return cannot_read(file) ? -1 : syscall(SYS_read, file, bytes, count);
}

ssize_t pread(int file, void* bytes, size_t count, off_t from) {
  return cannot_read(file) ? -1 : syscall(SYS_pread64, file, bytes, count, from);
}

ssize_t pread64(int file, void* bytes, size_t count, off64_t from) {
  return cannot_read(file) ? -1 : syscall(SYS_pread64, file, bytes, count, from);
}

int close(int file) {
  static int closes;
  struct stat status;
  if (file > 2 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_due("close", &closes)) {
    syscall(SYS_close, file);
    set_error(EIO);
    return -1;
  }
  return (int)syscall(SYS_close, file);
}

int fsync(int file) {
  static int count;
  kill_if_due();
  if (is_due("fsync", &count)) {
    set_error(EIO);
    return -1;
  }
  return (int)syscall(SYS_fsync, file);
}

int rename(const char* from, const char* to) {
  static int count;
  kill_if_due();
  if (is_due("rename", &count)) {
    set_error(ENOSPC);
    return -1;
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open(const char* path, int flags, ...) {
  static int count;
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
    kill_if_due();
    if (is_due("open", &count)) {
      set_error(ENOSPC);
      return -1;
    }
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
