import { expect, test } from "vitest";
import { type EndedLog, judgeLog } from "./judge-log.ts";

const mark = "\n[fairlead] The log ends here: its disk takes no more (ENOSPC).\n";
const numbered = (...numbers: number[]): string =>
  numbers.map((each) => `x (local-exec): numbered ${each} of 4\n`).join("");

function judge(text: string, more: Partial<EndedLog> = {}): string | undefined {
  const deed = { numberedLines: 4, lastLine: /^done$/ };
  return judgeLog({ text, logBytes: Buffer.byteLength(text), state: "succeeded", claims: 1, deed, ...more });
}

test("a log is whole when its lines are all there, and when it says what is missing", () => {
  expect(judge(`${numbered(1, 2, 3, 4)}done\n`)).toBeUndefined();
  expect(judge(`${numbered(1, 2)}x (local-exec): numbered 3 o${mark}`)).toBeUndefined();
  expect(judge(numbered(1, 2), { state: "cancelled" })).toBeUndefined();
  expect(judge("", { state: "cancelled", claims: 0 })).toBeUndefined();
  expect(judge(`${numbered(1, 2, 3, 4)}done\ntofu: the plan couldn't be removed\n`)).toBeUndefined();
});

test("a claim that goes on may begin anew, and no other log has a line twice", () => {
  const twice = `${numbered(1, 2, 1, 2, 3, 4)}done\n`;
  expect(judge(twice, { claims: 2 })).toBeUndefined();
  const quoted = `${numbered(1)}': signal: interrupt. Output: numbered 1 of 4\n${numbered(1, 2, 3, 4)}done\n`;
  expect(judge(quoted, { claims: 2 })).toBeUndefined();
  expect(judge(twice)).toBe("has the numbered line 1 2 times for 1 claims");
  expect(judge(`${numbered(1, 2, 2, 3, 4)}done\n`)).toBe("has the numbered line 2 after 2");
});

test("a log that lacks something and doesn't say so isn't whole", () => {
  expect(judge(`${numbered(1, 2, 4)}done\n`)).toBe("has the numbered line 4 after 2");
  expect(judge(`${numbered(1, 2, 3)}done\n`)).toBe("has 3 of 4 numbered lines");
  expect(judge(numbered(1, 2, 3, 4))).toBe('ends with "x (local-exec): numbered 4 of 4"');
  expect(judge(`${numbered(1, 2, 3, 4)}do`)).toBe("ends within a line");
  expect(judge("")).toBe("has 0 of 4 numbered lines");
  expect(judge("", { deed: { lastLine: /^done$/ } })).toBe('ends with ""');
  expect(judge(`${numbered(1, 2, 3, 4)}done\n`, { logBytes: 9_000 })).toMatch(/^has \d+ bytes, and not 9000$/);
  expect(judge(`${numbered(1, 3)}${mark}`)).toBe("has the numbered line 3 after 1");
});
