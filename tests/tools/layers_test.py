"""tools/layers.py catches what it is there to catch: each case is a small tree with one fault, or with none."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import layers  # noqa: E402

LINES = """
heed_layer(base            THIRD fmt zlib)
heed_layer(device          base)
heed_layer(backend/plain   device base)
heed_layer(backend/fast    device base THIRD hwy)
heed_layer(backend/all     backend/plain backend/fast device base)
heed_layer(backend/cuda    device base THIRD cuda)
heed_layer(text            base)
heed_layer(media           base)
heed_layer(ops             device
           base)  # heed_layer(nothing ops)
"""


def faults(files, lines=LINES):
    """What layers.py says of a tree that holds `files` and the base's error.h."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {"CMakeLists.txt": lines, "heed/base/error.h": "#include <string>\n", **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return "\n".join(layers.check(root)[0])


class Layers(unittest.TestCase):
    def accepts(self, files, **how):
        self.assertEqual(faults(files, **how), "")

    def refuses(self, files, *words, **how):
        said = faults(files, **how)
        for word in words:
            self.assertIn(word, said)

    def test_arrows_on_the_line_are_allowed(self):
        self.accepts({
            "heed/device/view.h": '#include "heed/base/error.h"\n#include <vector>\n#include <sys/mman.h>\n',
            "heed/device/view.cpp": '#include "heed/device/view.h"\n',
            "heed/ops/add.h": '#include "heed/device/view.h"\n#include "heed/base/error.h"\n',
            "heed/base/zip.cpp": "#include <zlib.h>\n#include <fmt/core.h>\n#include <arm_neon.h>\n",
            "heed/backend/fast/run.cpp": "#include <hwy/highway.h>\n",
            "heed/backend/cuda/run.cu": "#include <cuda_runtime.h>\n",
        })

    def test_upward(self):
        self.refuses({"heed/device/view.h": "", "heed/base/a.h": '#pragma once\n\n#include "heed/device/view.h"\n'},
                     "heed/base/a.h:3: base may not include heed/device/view.h (its line allows nothing)")

    def test_what_only_the_command_line_may_do(self):
        lines = LINES + "heed_layer(cli base)\n"
        for call in ('std::getenv("HOME")', "environ", "std::cerr << 1", 'fmt::print("x")', 'std::fprintf(stderr, "x")', "std::puts(text)",
                     "_exit(1)", "std::abort()", "write(STDERR_FILENO, text, 1)"):
            self.refuses({"heed/base/a.cpp": f"\n\nvoid f() {{ {call}; }}\n"}, "heed/base/a.cpp:3: ", "only cli", lines=lines)
            self.accepts({"heed/cli/a.cpp": f"void f() {{ {call}; }}\n"}, lines=lines)
        self.accepts({"heed/base/a.cpp": 'void f() { say("getenv, std::cerr"); snprintf(text, 8, "x"); take.output(2); }  // getenv\n'})

    def test_headers_for_programs_only_list_others(self):
        lines = LINES + "heed_layer(cli base)\n"
        self.accepts({"heed/heed.h": '// For programs.\n#pragma once\n\n#include "heed/base/error.h"\n'}, lines=lines)
        self.refuses({"heed/heed.h": "int f();\n"}, "heed/heed.h: saw `int f();`", lines=lines)
        self.refuses({"heed/heed.h": "#include <string>\n"}, "heed/heed.h: saw `#include <string>`", lines=lines)
        self.refuses({"heed/heed.h": '#include "heed/cli/a.h"\n', "heed/cli/a.h": ""}, "of layers below cli", lines=lines)
        self.refuses({"heed/heed.h": '#include "heed/base/absent.h"\n'}, "heed/heed.h: saw", lines=lines)
        self.refuses({"heed/heed.cpp": "int f();\n"}, "heed/heed.cpp: this folder has no heed_layer line", lines=lines)

    def test_siblings(self):
        self.refuses({"heed/backend/fast/a.h": "", "heed/backend/plain/b.cpp": '#include "heed/backend/fast/a.h"\n'},
                     "heed/backend/plain/b.cpp:1: backend/plain may not include heed/backend/fast/a.h")
        self.refuses({"heed/text/a.h": "", "heed/media/b.h": '#include "heed/text/a.h"\n'}, "media may not include heed/text/a.h")
        self.refuses({}, "backend/fast names its sibling backend/plain",
                     lines="heed_layer(backend/plain)\nheed_layer(backend/fast backend/plain)\n")

    def test_third_party_in_angle_brackets_and_in_quotes(self):
        for header, owner in [("fmt/core.h", "fmt"), ("nlohmann/json.hpp", "nlohmann"), ("zlib.h", "zlib"),
                              ("hwy/highway.h", "hwy"), ("utf8proc.h", "utf8proc"),
                              ("toml++/toml.h", "toml"), ("cuda_runtime.h", "cuda")]:
            for spelling in (f"<{header}>", f'"{header}"'):
                self.refuses({"heed/ops/a.cpp": f"#include {spelling}\n"}, f"ops may not include {header} of {owner}")

    def test_unknown_third_party(self):
        self.refuses({"heed/ops/a.cpp": "#include <gtest/gtest.h>\n"}, "belongs to no library")
        self.refuses({"heed/ops/a.cpp": "#include <Eigen/Dense>\n"}, "belongs to no library")
        self.refuses({"heed/ops/a.cpp": "#include <openblas.h>\n"}, "belongs to no library")

    def test_spellings_that_hide(self):
        device = {"heed/device/view.h": ""}
        hidden = ['#  include   "heed/device/view.h"', '\t#include"heed/device/view.h"', '#include \\\n "heed/device/view.h"',
                  '/* x */ #include "heed/device/view.h"', '#include /* x */ "heed/device/view.h"  // y',
                  '#include_next "heed/device/view.h"', '#import "heed/device/view.h"',
                  '#if __has_include("heed/device/view.h")\n#endif']
        for line in hidden:
            self.refuses({**device, "heed/base/a.h": line + "\n"}, "base may not include heed/device/view.h")
        self.refuses({**device, "heed/base/a.h": "#include <heed/device/view.h>\n"}, "written with quotes")
        self.refuses({**device, "heed/base/a.h": '#include "../device/view.h"\n'}, "ours are written")
        self.refuses({**device, "heed/base/a.h": '#include "heed/base/../device/view.h"\n'}, "does not exist")
        self.refuses({"heed/base/a.cpp": '#define WHAT "heed/device/view.h"\n#include WHAT\n'}, "spell the header out")
        self.refuses({"heed/base/a.cpp": "import <vector>;\n"}, "imports a module")

    def test_comments_and_strings_are_no_includes(self):
        self.accepts({"heed/base/a.cpp": '// #include <hwy/highway.h>\n/*\n#include <hwy/highway.h>\n*/\n'
                                         'auto s = R"(\n#include <gtest/gtest.h>\n)";\nauto t = "/*";\n#include <string>\n'})
        self.refuses({"heed/base/a.cpp": 'auto t = "/*";\n#include <hwy/highway.h>\nauto u = "*/";\n'}, "heed/base/a.cpp:2:")

    def test_missing_header(self):
        self.refuses({"heed/base/a.h": '#include "heed/base/gone.h"\n'}, "does not exist")

    def test_folders_without_a_line(self):
        self.refuses({"heed/extra/a.h": ""}, "heed/extra/a.h: this folder has no heed_layer line")
        self.refuses({"heed/a.cpp": ""}, "heed/a.cpp: this folder has no heed_layer line")

    def test_sources_in_disguise(self):
        self.refuses({"heed/base/a.hpp": "#include <hwy/highway.h>\n"}, "heed/base/a.hpp: sources end in")
        self.refuses({"heed/base/a.cu": ""}, "only backend/cuda holds CUDA sources")

    def test_headers_that_device_code_shares(self):
        self.refuses({"heed/base/error.h": "#include <fmt/core.h>\n", "heed/device/shape.h": '#include "heed/base/error.h"\n',
                      "heed/device/view.h": '#include "heed/device/shape.h"\n'},
                     "heed/device/shape.h: device code shares it, and it reaches fmt/core.h by way of heed/base/error.h",
                     "heed/device/view.h: device code shares it, and it reaches fmt/core.h by way of heed/device/shape.h → heed/base/error.h")
        self.accepts({"heed/base/error.h": "#include <fmt/core.h>\n", "heed/device/shape.h": "#include <array>\n",
                      "heed/device/shape_format.h": '#include "heed/base/error.h"\n#include "heed/device/shape.h"\n'})

    def test_lines(self):
        self.refuses({}, "names ops, which no earlier heed_layer line declares", lines="heed_layer(base ops)\nheed_layer(ops base)\n")
        self.refuses({}, "names THIRD magic", lines="heed_layer(base THIRD magic)\n")
        self.refuses({}, "links a layer by hand", lines=LINES + "target_link_libraries(heed_base PUBLIC heed_ops)\n")

    def test_tests_in_a_namespace_of_their_own(self):
        self.accepts({"tests/ops/cast_test.cpp": "namespace heed::test::cast_test {\n", "tests/ops/sum_test.cpp": "namespace heed::sum_test {\n"})
        self.refuses({"tests/ops/cast_test.cpp": "namespace heed::test {\nnamespace {\n"}, "open heed::test::cast_test")

    def test_table_of_floors(self):
        head = "# A page\n\n| layer | lives here | may include | third party |\n|---|---|---|---|\n"
        lines = "heed_layer(base THIRD fmt)\nheed_layer(ops base)\n"
        good = head + "| `base` | errors | – | fmt |\n| `ops` | operators | base | – |\n\nmore\n"
        self.accepts({"docs/architecture.md": good}, lines=lines)
        stale = head + "| `base` | errors | – | – |\n| `gone` | dust | base | – |\n| `ops` | operators | base | – |\n\nmore\n"
        self.refuses({"docs/architecture.md": stale}, "docs/architecture.md: its table of floors", lines=lines)
        self.assertEqual(layers.document(stale, layers.parse_lines(lines)), good)


if __name__ == "__main__":
    unittest.main()
