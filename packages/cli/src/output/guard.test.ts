import type { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createTestTerminal } from "../testing/cli.fixture.ts";
import { guardLine, guardText } from "./guard.ts";
import { createOutput } from "./index.ts";

const evil = "\u001b]52;c;aGk=\u0007\u001b]8;;http://evil\u001b\\x\u001b[2J\u009b1A\u202e\r\u001b[8mhidden";

test("colours, line breaks and tabs stay, and nothing else that steers a terminal", () => {
  expect(guardText("\u001b[31mred\u001b[39m\n\ta\u001b[2Jb")).toBe("\u001b[31mred\u001b[39m\n\ta�[2Jb");
  expect(guardLine("a\n\u001b[2mb\u001b[22m\tc")).toBe("a�\u001b[2mb\u001b[22m�c");
});

test.each([
  [
    "a table",
    (output: ReturnType<typeof createOutput>) => output.answer({}, () => output.table(["A"], [[evil], [`a\nb`]])),
  ],
  ["an answer", (output: ReturnType<typeof createOutput>) => output.answer({}, () => `${evil}\n`)],
  ["a printed part", (output: ReturnType<typeof createOutput>) => output.print(evil)],
  ["printed JSON", (output: ReturnType<typeof createOutput>) => output.printJson(JSON.stringify({ evil }))],
  ["a remark", (output: ReturnType<typeof createOutput>) => output.remark(evil)],
  ["a notice", (output: ReturnType<typeof createOutput>) => output.notice(evil)],
])("whatever a command forgets, %s can't steer a terminal", (_what, write) => {
  const { terminal, stdout, stderr } = createTestTerminal("/nowhere", { isTTY: true });
  write(createOutput(terminal, { isJson: false, isWide: false, hasHeadings: true }));
  const text = `${read(stdout)}${read(stderr)}`;
  expect(text).toContain("hidden");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that must not be there
  expect(text.replaceAll(/\u001b\[(?:2|22)m/g, "")).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

test("a program reads what is there", () => {
  const { terminal, stdout } = createTestTerminal("/nowhere", { isTTY: true });
  createOutput(terminal, { isJson: true, isWide: false, hasHeadings: true }).answer({ evil }, () => "");
  const text = read(stdout);
  expect(text).not.toMatch(/[\u007f-\u009f\u202e]/);
  expect(JSON.parse(text)).toEqual({ evil });
});

function read(stream: PassThrough): string {
  return String(stream.read() ?? "");
}
