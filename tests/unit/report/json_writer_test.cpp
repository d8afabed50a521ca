#include "report/json_writer.h"

#include <gtest/gtest.h>

namespace memswell::report {
namespace {

TEST(JsonWriter, NestsObjectsAndArrays) {
  JsonWriter json;
  json.begin_object();
  json.number("bytes", std::uint64_t{18'446'744'073'709'551'615u});
  json.number("change", std::int64_t{-5});
  json.texts("command", {"a", "b"});
  json.end_object();
  EXPECT_EQ(json.take(),
            "{\n \"bytes\": 18446744073709551615,\n \"change\": -5,\n \"command\": [\n  \"a\",\n  \"b\"\n ]\n}\n");
}

TEST(JsonWriter, WritesAsciiWhateverTheNameHolds) {
  JsonWriter json;
  json.begin_array();
  json.text("caf\xe9 \x1b[31m\n\xc2\x9b é\x7f");
  json.end_array();
  EXPECT_EQ(json.take(), "[\n \"caf\\\\xe9 \\u001B[31m\\n\\u009B \\u00E9\\u007F\"\n]\n");
}

TEST(JsonWriter, KeysMayHoldAnythingToo) {
  JsonWriter json;
  json.begin_object();
  json.number("\xff\x1b\"", 1);
  json.end_object();
  EXPECT_EQ(json.take(), "{\n \"\\\\xff\\u001B\\\"\": 1\n}\n");
}

TEST(JsonWriter, WritesNullForWhatIsNoNumber) {
  JsonWriter json;
  json.begin_array();
  json.real(0.0 / 0.0);
  json.real(0.5);
  json.end_array();
  EXPECT_EQ(json.take(), "[\n null,\n 0.5\n]\n");
}

}  // namespace
}  // namespace memswell::report
