/* Loaded before the C library: the N-th call of a kind that heed makes on a file fails, as FAULT_AT=KIND:N says.
 *
 *   write   ENOSPC, nothing written      short   half of it is written, the next call fails with ENOSPC
 *   fsync   EIO                          rename  ENOSPC             open  ENOSPC, of files that would be made
 *
 * FAULT_FIRED names a file that is made when it happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_due(const char* kind, int* count) {
  const char* at = getenv("FAULT_AT");
  const size_t length = strlen(kind);
  if (at == NULL || strncmp(at, kind, length) != 0 || at[length] != ':' || ++*count != atoi(at + length + 1)) {
    return 0;
  }
  close((int)syscall(SYS_openat, AT_FDCWD, getenv("FAULT_FIRED"), O_WRONLY | O_CREAT, 0666));
  return 1;
}

ssize_t write(int file, const void* bytes, size_t count) {
  static int writes, shorts, is_full;
  if (file > 2) {
    if (is_full) {
      is_full = 0;
      errno = ENOSPC;
      return -1;
    }
    if (is_due("write", &writes)) {
      errno = ENOSPC;
      return -1;
    }
    if (count > 1 && is_due("short", &shorts)) {
      is_full = 1;
      count /= 2;
    }
  }
  return syscall(SYS_write, file, bytes, count);
}

int fsync(int file) {
  static int count;
  if (is_due("fsync", &count)) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fsync, file);
}

int rename(const char* from, const char* to) {
  static int count;
  if (is_due("rename", &count)) {
    errno = ENOSPC;
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
    if (is_due("open", &count)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
