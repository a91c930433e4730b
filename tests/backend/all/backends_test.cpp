// Backends by name: those of the program, and those in libraries beside it, which are this test
// program's own: libheed_log.so, libheed_other_build.so and libheed_nothing.so.
#include "heed/backend/all/backends.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "heed/base/error.h"
#include "heed/device/backend_library.h"
#include "heed/device/out_of_memory.h"
#include "heed/tensor/tensor.h"

namespace heed::test::backends_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

std::string library(const std::string& kind) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         ("libheed_" + kind + ".so");
}

bool is_open(const std::string& kind) {
  void* opened = ::dlopen(library(kind).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (opened != nullptr) {
    ::dlclose(opened);
  }
  return opened != nullptr;
}

template <class Body>
std::string logged(const Body& body) {
  ::testing::internal::CaptureStderr();
  body();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Backends, AreTheSameOneEachTime) {
  EXPECT_EQ(&find_backend("cpu"), &find_backend("cpu"));
  EXPECT_NE(&find_backend("cpu"), &find_backend("reference"));
  EXPECT_NE(make_backend("cpu").get(), &find_backend("cpu"));
  EXPECT_EQ(find_backend("reference").name(), "reference");
}

TEST(Backends, HaveTheLimitThatWasSetBeforeTheyWereMade) {
  limit_backends(1 << 20);
  EXPECT_EQ(find_backend("log:1").allocator().statistics().limit_bytes, 1 << 20);
  EXPECT_EQ(find_backend("cpu").allocator().statistics().limit_bytes, 1 << 20);
  EXPECT_EQ(make_backend("cpu")->allocator().statistics().limit_bytes, 0);
  limit_backends(0);
  EXPECT_EQ(find_backend("log:1").allocator().statistics().limit_bytes, 0);
}

TEST(Backends, SayWhatIsWrongWithAName) {
  for (const char* name : {"cpu", "reference", "log", "log:0", "log:1", "other_build"}) {
    EXPECT_EQ(fault_of_backend(name), "");
  }
  EXPECT_THAT(fault_of_backend("cpuu"),
              AllOf(HasSubstr("unknown \"cpuu\"; choose one of cpu, reference"),
                    HasSubstr("did you mean \"cpu\"?")));
  for (const char* name : {"cuda", "cuda:0", "cuda:17"}) {
    EXPECT_THAT(fault_of_backend(name),
                HasSubstr("there is no libheed_cuda.so beside the program"));
  }
  EXPECT_EQ(fault_of_backend("cpu:0"), "there is one cpu; leave :0 out");
  for (const char* name : {"log:", "log:x", "log:1x", "log:-1", "log:99999999999"}) {
    EXPECT_THAT(fault_of_backend(name), HasSubstr("has no number behind the colon")) << name;
  }
  for (const char* name : {"", ":", "../log", "/log", "LOG", "lo"}) {
    EXPECT_THAT(fault_of_backend(name), HasSubstr("unknown")) << name;
  }
  try {
    find_backend("abacus");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_THAT(error.what(), HasSubstr("backend: unknown \"abacus\""));
  }
}

TEST(Backends, InLibrariesAreOpenedWhenAskedFor) {
  EXPECT_THAT(backend_names(), AllOf(Contains("cpu"), Contains("log"), Contains("nothing")));
  EXPECT_EQ(fault_of_backend("nothing"), "");
  EXPECT_FALSE(is_open("nothing")) << "names are known without opening anything";
  EXPECT_THAT([] { find_backend("nothing"); },
              ThrowsMessage<Error>(HasSubstr("libheed_nothing.so is not a library of a backend")));
  Backend& log = find_backend("log");
  EXPECT_TRUE(is_open("log"));
  EXPECT_EQ(log.name(), "log:0");
  EXPECT_EQ(&log, &find_backend("log:0"));
  EXPECT_NE(&log, &find_backend("log:1"));
  EXPECT_EQ(find_backend("log:1").name(), "log:1");
}

TEST(Backends, OfLibrariesComputeAndThrowAcrossTheBorder) {
  Backend& log = find_backend("log");
  EXPECT_EQ(logged([&] {
              const Tensor x = Tensor::full({2, 3}, 1, {&log, DType::f32});
              EXPECT_EQ(x.clone().values<float>(), std::vector<float>(6, 0));
            }),
            "fill [2, 3]\ncopy [2, 3]\ndownload [2, 3]\n");
  try {
    find_backend("log:2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "log: there are devices 0 and 1, not 2; choose one of them");
    EXPECT_EQ(error.fault(), Fault::usage);
  }
  const std::unique_ptr<Backend> own = make_backend("log");
  own->allocator().set_limit(100);
  EXPECT_THROW(own->allocator().allocate(1 << 20), OutOfMemory);
}

TEST(Backends, OfAnotherBuildAreRefused) {
  EXPECT_THAT(
      [] { find_backend("other_build"); },
      ThrowsMessage<Error>(AllOf(HasSubstr("libheed_other_build.so belongs to another build of "
                                           "heed (of-last-year, not "),
                                 HasSubstr("install the two together"))));
}

TEST(Backends, ThatAreMissingAreListedWithTheReason) {
  std::map<std::string, std::string> missing;
  for (const FoundBackend& one : look_for_backends()) {
    missing[one.name] = one.missing;
  }
  EXPECT_EQ(missing.at("cpu"), "");
  EXPECT_EQ(missing.at("log"), "");
  EXPECT_EQ(missing.at("cuda"), "there is no libheed_cuda.so beside the program");
  EXPECT_THAT(missing.at("other_build"), HasSubstr("another build"));
  EXPECT_THAT(missing.at("nothing"), HasSubstr("is not a library of a backend"));
}

TEST(Backends, HaveANumberOfTheirBuild) {
  EXPECT_EQ(std::string(backend_build()).size(), 12U);
  EXPECT_THAT([] { open_backend_library("/nowhere/libheed_x.so", 0); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot open /nowhere/libheed_x.so"),
                                         HasSubstr("choose another backend"))));
}

}  // namespace
}  // namespace heed::test::backends_test
