#include "heed/http/multipart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed::test::multipart_test {
namespace {

const std::string type = "multipart/form-data; boundary=\"x y\"";

std::string part(const std::string& head, const std::string& bytes) {
  return "--x y\r\n" + head + "\r\n\r\n" + bytes + "\r\n";
}

const std::string q = part("Content-Disposition: form-data; name=\"q\"", "hello");
const std::string file = part(
    "content-type: audio/wav\r\nContent-Disposition: form-data; name=file; filename=\"a "
    "\\\"b\\\".wav\"",
    std::string("\r\n--x\r\n\0--", 10));
const std::string end = "--x y--";

TEST(Multipart, IsTakenApart) {
  for (const std::string& tail : {end, end + "\r\n"}) {
    const auto parts = form_parts(type, q + file + tail);
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 2);
    EXPECT_EQ(parts->at(0).name, "q");
    EXPECT_EQ(parts->at(0).bytes, "hello");
    EXPECT_EQ(parts->at(0).file_name, "");
    EXPECT_EQ(parts->at(1).name, "file");
    EXPECT_EQ(parts->at(1).file_name, "a \"b\".wav");
    EXPECT_EQ(parts->at(1).type, "audio/wav");
    EXPECT_EQ(parts->at(1).bytes, std::string("\r\n--x\r\n\0--", 10));
  }
  EXPECT_EQ(form_parts("multipart/form-data;boundary=a", "--a--")->size(), 0);
}

TEST(Multipart, IsRefusedWhereItIsNone) {
  for (const char* const other :
       {"multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"x y", "multipart/form-data; x"}) {
    EXPECT_FALSE(form_parts(other, q + end)) << other;
  }
  for (const std::string& body :
       {std::string(), q, "\r\n" + q + end, q + "--x y-", q + end + "more", q + "--x y" + end,
        q.substr(0, q.size() - 2) + end, part("Content-Disposition: form-data", "a") + end,
        part("Content-Disposition: attachment; name=q", "a") + end, part("X: y", "a") + end,
        part("no field", "a") + end, part("", "a") + end,
        part("Content-Disposition: form-data; name=\"q", "a") + end,
        part("X: " + std::string(2000, 'x') + "\r\nContent-Disposition: form-data; name=q", "") +
            end}) {
    EXPECT_FALSE(form_parts(type, body)) << body;
  }
  EXPECT_FALSE(form_parts(type, q + q + q + end, 2));
  EXPECT_TRUE(form_parts(type, q + q + end, 2));
}

TEST(Multipart, CutAnywhereIsRefused) {
  const std::string whole = q + file + end;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_FALSE(form_parts(type, whole.substr(0, cut))) << cut;
  }
}

}  // namespace
}  // namespace heed::test::multipart_test
