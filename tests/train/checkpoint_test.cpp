#include "heed/train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/train/run_folder.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/full_disk.h"

namespace heed::checkpoint_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SafetensorsFile numbered(int number) {
  SafetensorsFile file;
  file.metadata["number"] = std::to_string(number);
  file.tensors.push_back({"x", DType::u8, {4}, "abcd"});
  return file;
}

TEST(Checkpoints, KeepTheNewest) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 3);
  EXPECT_FALSE(checkpoints.newest());
  for (int step = 10; step <= 60; step += 10) {
    checkpoints.save(step, numbered(step));
  }
  EXPECT_THAT(list_directory(scratch.path()),
              ElementsAre("step-00000040.safetensors", "step-00000050.safetensors",
                          "step-00000060.safetensors"));
  const auto found = checkpoints.newest();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, scratch / "step-00000060.safetensors");
  EXPECT_EQ(found->file.metadata.at("number"), "60");
  EXPECT_TRUE(found->refused.empty());
}

TEST(Checkpoints, AFolderThatWasDeletedIsMadeAgain) {
  const ScratchDirectory scratch;
  make_directory(scratch / "run/checkpoints");
  const Checkpoints checkpoints(scratch / "run/checkpoints", 3);
  checkpoints.save(1, numbered(1));
  std::filesystem::remove_all(scratch / "run/checkpoints");
  checkpoints.save(2, numbered(2));
  EXPECT_EQ(checkpoints.newest()->file.metadata.at("number"), "2");
  std::filesystem::remove_all(scratch / "run");
  EXPECT_THROW(checkpoints.save(3, numbered(3)), Error) << "a run that was deleted stays deleted";
}

TEST(Checkpoints, KeepAtLeastTwo) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 0);
  for (int step = 1; step <= 4; ++step) {
    checkpoints.save(step, numbered(step));
  }
  EXPECT_EQ(list_directory(scratch.path()).size(), 2U);
}

TEST(Checkpoints, GoByNumberNotBySpelling) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 2);
  checkpoints.save(99999999, numbered(1));
  checkpoints.save(100000000, numbered(2));
  write_atomically(scratch / "step-7.safetensors", "not ours");
  write_atomically(scratch / "step-00000007.safetensors.bak", "not ours");
  EXPECT_EQ(checkpoints.newest()->file.metadata.at("number"), "2");
}

TEST(Checkpoints, PassOverWhatIsNotWhole) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 2);
  checkpoints.save(1, numbered(1));
  checkpoints.save(2, numbered(2));
  const std::string newest = scratch / "step-00000002.safetensors";
  const std::string bytes = read_file(newest);
  write_atomically(newest, bytes.substr(0, bytes.size() - 1));
  const auto found = checkpoints.newest();
  EXPECT_EQ(found->file.metadata.at("number"), "1");
  ASSERT_EQ(found->refused.size(), 1U);
  EXPECT_THAT(found->refused.front(), HasSubstr("step-00000002.safetensors"));

  write_atomically(scratch / "step-00000001.safetensors", "");
  try {
    checkpoints.newest();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    EXPECT_THAT(error.what(), HasSubstr("2 checkpoints, and none is whole"));
  }
}

TEST(Checkpoints, ACorruptLaterOneDoesNotPushOutAWholeOne) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 2);
  write_atomically(scratch / "step-00000009.safetensors", "corrupt");
  for (const int step : {2, 4, 6}) {
    checkpoints.save(step, numbered(step));
  }
  EXPECT_THAT(list_directory(scratch.path()),
              ElementsAre("step-00000004.safetensors", "step-00000006.safetensors",
                          "step-00000009.safetensors"));
}

TEST(Checkpoints, AWriteThatFailsAnywhereLeavesTheOldOnes) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 2);
  for (const int step : {1, 2}) {
    checkpoints.save(step, numbered(step));
  }
  const auto before = list_directory(scratch.path());
  const size_t size = format_safetensors(numbered(3)).size();
  for (size_t room = 0; room < size; room += 7) {
    const test::FullDisk full(room);
    try {
      checkpoints.save(3, numbered(3));
      FAIL() << room;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::disk);
      EXPECT_THAT(error.what(), HasSubstr("step-00000003.safetensors: cannot write it"));
    }
    EXPECT_EQ(list_directory(scratch.path()), before) << room;
    EXPECT_EQ(checkpoints.newest()->file.metadata.at("number"), "2");
  }
  checkpoints.save(3, numbered(3));
  EXPECT_EQ(checkpoints.newest()->file.metadata.at("number"), "3");
}

TEST(Checkpoints, DifferencesNameTheirPath) {
  const Json a = parse_json(R"({"x": 1, "part": {"kind": "gru", "width": 8}, "gone": true})", "a");
  const Json b = parse_json(R"({"x": 1, "part": {"kind": "gru", "width": 9}, "new": 2.5})", "b");
  EXPECT_THAT(differences(a, b), ElementsAre("part.width was 8, is 9", "gone was true, is null",
                                             "new was null, is 2.5"));
  EXPECT_TRUE(differences(a, a).empty());
}

TEST(RunFolder, IsHeldByOneAtATime) {
  const ScratchDirectory scratch;
  const std::string run = scratch / "runs/one";
  {
    const RunFolder folder(run);
    EXPECT_TRUE(directory_exists(folder.checkpoints()));
    try {
      const RunFolder second(run);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      EXPECT_THAT(error.what(), HasSubstr(run));
    }
    EXPECT_THROW(set_aside(run), Error);
  }
  write_atomically(run + "/.model.safetensors.77-1.tmp", "half");
  const RunFolder again(run);
  EXPECT_FALSE(file_exists(run + "/.model.safetensors.77-1.tmp"));
}

TEST(RunFolder, IsHeldEvenIfItsLockIsDeleted) {
  const ScratchDirectory scratch;
  const RunFolder folder(scratch / "run");
  ASSERT_EQ(::unlink((scratch / "run/lock").c_str()), 0);
  EXPECT_THROW(RunFolder(scratch / "run"), Error);
}

TEST(RunFolder, IsRemovedIfItWasMadeForNothing) {
  const ScratchDirectory scratch;
  RunFolder(scratch / "run").give_up();
  EXPECT_FALSE(directory_exists(scratch / "run"));
  make_directory(scratch / "old");
  RunFolder(scratch / "old").give_up();  // somebody else's
  EXPECT_TRUE(directory_exists(scratch / "old"));
  RunFolder used(scratch / "used");
  write_atomically(used.model(), "a model");
  used.give_up();
  EXPECT_TRUE(file_exists(used.model()));
}

TEST(RunFolder, IsSetAsideUnderAFreeName) {
  const ScratchDirectory scratch;
  const std::string run = scratch / "run";
  EXPECT_EQ(set_aside(run), "");
  for (const char* number : {".1", ".2"}) {
    make_directory(run);
    write_atomically(run + "/note", number);
    EXPECT_EQ(set_aside(run + "/"), run + number);
    EXPECT_FALSE(directory_exists(run));
    EXPECT_EQ(read_file(run + number + "/note"), number);
  }
}

/// A checkpoint that cannot be read back is treated as one that cannot be written: training goes on.
TEST(Checkpoints, WhatCannotBeReadBackIsAFaultOfTheDisk) {
  const ScratchDirectory scratch;
  const Checkpoints checkpoints(scratch.path(), 2);
  checkpoints.save(1, numbered(1));
  const std::string path = scratch / "step-00000002.safetensors";
  const auto spoilt = [&](const std::function<void()>& spoil) -> std::string {
    watch_saves([&](SavePoint /*point*/) {
      if (file_exists(path)) {  // renamed, and not yet read back
        spoil();
      }
    });
    try {
      checkpoints.save(2, numbered(2));
    } catch (const Error& error) {
      watch_saves({});
      EXPECT_EQ(error.fault(), Fault::disk) << error.what();
      EXPECT_FALSE(file_exists(path));
      return error.what();
    }
    watch_saves({});
    return "";
  };
  EXPECT_EQ(spoilt([] {}), "");
  ::unlink(path.c_str());
  EXPECT_THAT(spoilt([&] { ::unlink(path.c_str()); }), HasSubstr("cannot be read back"));
  EXPECT_THAT(spoilt([&] { EXPECT_EQ(::truncate(path.c_str(), 9), 0); }),
              HasSubstr("read back other bytes"));
  EXPECT_EQ(checkpoints.newest()->file.metadata.at("number"), "1");
}

}  // namespace
}  // namespace heed::checkpoint_test
