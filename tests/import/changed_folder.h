// A folder of another toolkit's model in which something is not as it should be.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/import/import.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"

namespace heed::test {

/// A copy of a folder with one file changed.
class ChangedFolder {
 public:
  explicit ChangedFolder(const std::string& of) {
    std::filesystem::copy(of, path(), std::filesystem::copy_options::recursive);
  }
  std::string path() const { return scratch_ / "model"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() + "/" + name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const { return read_file(path() + "/" + name); }
  void replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string all = text(name);
    ASSERT_NE(all.find(from), std::string::npos) << from;
    write(name, all.replace(all.find(from), from.size(), to));
  }
  void set(const std::string& name, const std::string& key, const Json& value) const {
    Json all = parse_json(text(name), name);
    write(name, all.set(key, value).write());
  }
  std::string refusal() const {
    try {
      load_any_model(path(), {&forced("cpu"), DType::f32});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file) << error.what();
      return error.what();
    }
    return "accepted";
  }

 private:
  ScratchDirectory scratch_;
};

}  // namespace heed::test
