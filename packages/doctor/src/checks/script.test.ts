import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { kubectl, script } from "./script.ts";

test.each([
  ["x;touch stolen|sh;"],
  ["$(touch stolen)"],
  ["`touch stolen`"],
  ['it\'s "quoted" \\ twice'],
  ["a b\tc"],
  ["&& ! # ~ * ? [a] {a,b} < > $HOME"],
  [""],
])("%j stays one word of a shell", (word) => {
  const said = execFileSync("sh", ["-c", script([["printf", "%s", word]])], { encoding: "utf8" });
  expect(said).toBe(word.replaceAll("\t", "�"));
});

test("a line break in a name is no line of a script", () => {
  expect(script([["echo", "a\nrm -rf /\r\u2028b"]])).toBe("echo 'a�rm -rf /��b'");
});

test("lines follow each other, and commands of one line are joined by pipes", () => {
  expect(
    script([
      ["a", "b c"],
      [["d"], ["e", "$f"]],
    ]),
  ).toBe("a 'b c'\nd | e '$f'");
});

test("a name that begins with a dash is no option of kubectl", () => {
  expect(kubectl({ verb: ["patch"], namespace: "n", args: ["pods", "--kubeconfig=/tmp/x"] })).toEqual([
    "kubectl",
    "patch",
    "--namespace",
    "n",
    "--",
    "pods",
    "--kubeconfig=/tmp/x",
  ]);
  expect(kubectl({ verb: ["patch"], args: ["pods", "a"] })).toEqual(["kubectl", "patch", "pods", "a"]);
});
