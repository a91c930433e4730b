"""plot_test.py HEED: the numbers of runs drawn over their steps."""
import os
import pty
import subprocess
import unittest
import xml.dom.minidom

from cli import ENVIRONMENT, HEED, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Plot(Cli):
    def titles(self, svg):
        return [node.firstChild.data for node in xml.dom.minidom.parseString(svg).getElementsByTagName("text") if node.getAttribute("class") == "title"]

    def test_a_run(self):
        svg, _ = self.heed("plot", "run")
        self.assertEqual(self.titles(svg)[:2], ["loss", "valid_loss"])
        self.assertNotIn("learning_rate", svg)
        self.assertEqual(svg.count("<title>run, step "), svg.count("<circle"))
        self.heed("plot", "run", "--svg", "drawn.svg")
        self.assertEqual((self.folder / "drawn.svg").read_text(encoding="utf-8"), svg)
        rates, _ = self.heed("plot", "run/metrics.jsonl", "--only", "learning_rate,loss")
        self.assertEqual(self.titles(rates), ["learning_rate", "loss"])

    def test_rewards_of_two_runs(self):
        lines = ['{"step":10,"loss":2.5}', '{"step":10,"objective":"self_critical","objective_loss":0.5,"weight":1.0,"reward":-0.25}',
                 '{"step":20,"loss":null}', '{"step":20,"objective":"self_critical","objective_loss":0.25,"weight":1.0,"reward":-0.125}', '{"step":30,"lo']
        (self.folder / "a").mkdir()
        (self.folder / "a/metrics.jsonl").write_text("\n".join(lines))
        svg, _ = self.heed("plot", "a", "run")
        self.assertEqual(self.titles(svg)[:3], ["loss", "self_critical", "self_critical reward"])
        self.assertIn("<title>a, step 20: -0.125</title>", svg)
        self.assertEqual(self.heed("plot", "--list", "a")[0],
                         "a\tloss\tstep 10\t2.5\na\tself_critical\tstep 20\t0.25\na\tself_critical reward\tstep 20\t-0.125\n")

    def test_over_another_number(self):
        (self.folder / "by-length").write_text('{"length":4.5,"bleu":30,"sentences":7}\n{"length":12,"bleu":21.5,"sentences":3}\n')
        svg, _ = self.heed("plot", "by-length", "--over", "length", "--only", "bleu")
        self.assertEqual(self.titles(svg), ["bleu"])
        self.assertIn("<title>by-length, length 4.5: 30</title>", svg)
        self.assertIn(">length →</text>", svg)
        self.assertEqual(self.heed("plot", "by-length", "--over", "length", "--only", "bleu", "--list")[0], "by-length\tbleu\tlength 12\t21.5\n")
        self.fails(3, 'by-length:1: "size" is missing', "plot", "by-length", "--over", "size")

    def test_names_and_terminals(self):
        self.fails(2, "plot: --svg: this writes an SVG file; call it x.svg", "plot", "run", "--svg", "x.png")
        self.assertFalse((self.folder / "x.png").exists())
        leader, follower = pty.openpty()
        done = subprocess.run([HEED, "plot", "run"], cwd=self.folder, stdout=follower, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=60, check=False)
        os.close(follower)
        os.close(leader)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"heed: plot: the drawing is an SVG file, which is no text for a terminal; add --svg FILE\n"))

    def test_faults(self):
        self.fails(2, "plot: there is nothing to draw; name the folder of a run", "plot")
        self.fails(3, "absent: cannot open", "plot", "absent")
        self.fails(2, 'unknown "lose"; choose one of', "plot", "run", "--only", "lose")
        self.fails(2, "plot: 8 runs are too many; draw at most 7", "plot", *["run"] * 8)
        (self.folder / "no").write_text("\n")
        self.fails(3, "no:1:", "plot", "no")
        (self.folder / "none").write_text("")
        self.fails(3, "none: there are no numbers to draw yet; train for some more steps", "plot", "none")
        (self.folder / "steps").write_text('{"loss":1}\n')
        self.fails(3, 'steps:1: "step" is missing; add it', "plot", "steps")


if __name__ == "__main__":
    unittest.main()
