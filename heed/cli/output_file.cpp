#include "heed/cli/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/base/error.h"

namespace heed {
namespace {

void flush_output(const char* what) {
  if (std::fflush(stdout) != 0) {
    fail(Fault::disk, "{}: cannot write ({}); is the disk full?", what, std::strerror(errno));
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) {
  if (path.empty()) {
    return;
  }
  flush_output("standard output");
  file_ = std::make_unique<AtomicFile>(path);
  before_ = Descriptor(dup(STDOUT_FILENO));
  if (!before_.is_open() || dup2(file_->descriptor(), STDOUT_FILENO) < 0) {
    fail(Fault::disk, "{}: cannot write to it ({})", path, std::strerror(errno));
  }
}

OutputFile::~OutputFile() {
  if (file_) {
    std::fflush(stdout);
    give_back();
  }
}

void OutputFile::commit() {
  if (file_) {
    flush_output("--output");
    give_back();
    file_->commit();
    file_.reset();
  }
}

void OutputFile::give_back() { dup2(before_.number(), STDOUT_FILENO); }

}  // namespace heed
