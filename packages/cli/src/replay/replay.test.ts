import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { playCast } from "./play-cast.ts";
import { createScreenFilter } from "./screen-filter.ts";

const esc = "\u001b";

async function* linesOf(...events: readonly (readonly [number, string, string])[]): AsyncGenerator<string> {
  yield JSON.stringify({ version: 2, width: 80, height: 24 });
  for (const event of events) yield JSON.stringify(event);
}

async function play(
  lines: AsyncIterable<string>,
  more: { speed?: number; maxPauseMs?: number; isTimed?: boolean } = {},
): Promise<{ shown: string; waits: number[] }> {
  const stdout = new PassThrough();
  const waits: number[] = [];
  const wait = (delayMs: number): Promise<void> => {
    waits.push(delayMs);
    return Promise.resolve();
  };
  const { signal } = new AbortController();
  const fixed = { stdout, wait, signal, remark: () => undefined };
  await playCast(lines, { isTimed: true, speed: 1, maxPauseMs: undefined, ...more, ...fixed });
  return { shown: String(stdout.read() ?? ""), waits };
}

test("what was shown is shown at its pace, and what was typed is only waited for", async () => {
  const lines = () => linesOf([1, "o", "$ "], [3, "i", "secret"], [3.5, "o", "ok"], [9.5, "r", "100x40"]);

  expect(await play(lines())).toEqual({ shown: expect.stringMatching(/^\$ ok/), waits: [1000, 2000, 500, 6000] });
  expect((await play(lines(), { speed: 2 })).waits).toEqual([500, 1000, 250, 3000]);
  expect((await play(lines(), { speed: 2, maxPauseMs: 1000 })).waits).toEqual([500, 500, 250, 500]);
  expect(await play(lines(), { isTimed: false })).toEqual({ shown: "$ ok", waits: [] });
});

test("the terminal is left as it was found, also after what can't be played", async () => {
  const { shown } = await play(linesOf([0, "o", `${esc}[?1049h${esc}[?25l`]));
  expect(shown).toContain(`${esc}[?1049l${esc}[?25h${esc}[0m`);

  const stdout = new PassThrough();
  const broken = (async function* () {
    yield '{"version":2}';
    yield "[1]";
  })();
  const options = { stdout, isTimed: true, speed: 1, maxPauseMs: undefined, remark: () => undefined };
  const { signal } = new AbortController();
  await expect(playCast(broken, { ...options, signal })).rejects.toMatchObject({ code: "CLI_RECORDING_INVALID" });
  expect(String(stdout.read())).toContain(`${esc}[?25h`);
});

test.each([
  ["nothing", []],
  ["another version", ['{"version":3}']],
  ["no JSON", ["hello"]],
])("%s is no recording", async (_, lines) => {
  await expect(play(toAsync(lines))).rejects.toMatchObject({ code: "CLI_RECORDING_INVALID" });
});

async function* toAsync(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const paints = [
  "plain text, Zürich 東京 🚢\r\n\t\b\u0007",
  `${esc}[31;1mred${esc}[0m ${esc}[38;2;1;2;3m ${esc}[4:3m`,
  `${esc}[2J${esc}[1;1H${esc}[K${esc}[10A${esc}[3;20r${esc}[4h`,
  `${esc}[?25l${esc}[?1049h${esc}[?7h${esc}[?1;25h${esc}[?2026h`,
  `${esc}7${esc}8${esc}M${esc}=${esc}>${esc}(0lqk${esc}(B${esc}#8${esc}c`,
  `${esc}[2 q${esc}[!p${esc}[s${esc}[u`,
];

test.each(paints)("%j paints, and is shown as it is", (text) => {
  expect(createScreenFilter().take(text)).toBe(text);
});

test("a link is shown", () => {
  const link = `${esc}]8;id=1;https://example.com/${esc}\\here${esc}]8;;${esc}\\`;
  expect(createScreenFilter().take(link)).toBe(link);
});

const reaches: readonly (readonly [string, string])[] = [
  ["the clipboard", `${esc}]52;c;aGVsbG8=\u0007`],
  ["the clipboard, in pieces of its own", `${esc}]52;c;?${esc}\\`],
  ["the window's title", `${esc}]0;title\u0007`],
  ["a colour that is asked for", `${esc}]11;?${esc}\\`],
  ["a file written by iTerm", `${esc}]1337;File=name=eA==:eA==\u0007`],
  ["a notification", `${esc}]777;notify;a;b\u0007`],
  ["device attributes", `${esc}[c`],
  ["secondary attributes", `${esc}[>0c`],
  ["DECID", `${esc}Z`],
  ["the cursor's place", `${esc}[6n`],
  ["a DEC status", `${esc}[?6n`],
  ["the window's size or title", `${esc}[21t`],
  ["a mode", `${esc}[?25$p`],
  ["terminal parameters", `${esc}[x`],
  ["a checksum", `${esc}[1;1;1;1;1;1*y`],
  ["the version", `${esc}[>q`],
  ["the keyboard's protocol", `${esc}[?u`],
  ["a change of the keyboard's protocol", `${esc}[>1u`],
  ["mouse reports", `${esc}[?1000h`],
  ["mouse reports among others", `${esc}[?25;1003h`],
  ["focus reports", `${esc}[?1004h`],
  ["a locked keyboard", `${esc}[2h`],
  ["the printer", `${esc}[5i`],
  ["a settings request", `${esc}P$qm${esc}\\`],
  ["a terminfo request", `${esc}P+q544e${esc}\\`],
  ["sixels", `${esc}Pq#0;2;0;0;0${esc}\\`],
  ["kitty's graphics", `${esc}_Gi=1,t=f;L2V0Yy9wYXNzd2Q=${esc}\\`],
  ["a privacy message", `${esc}^x${esc}\\`],
  ["ENQ", "\u0005"],
  ["eight-bit CSI", "\u009b6n".slice(0, 1)],
  ["eight-bit OSC", "\u009d"],
];

test.each(reaches)("%s is out of reach, also when it comes letter by letter", (_, sequence) => {
  expect(createScreenFilter().take(`a${sequence}b`)).toBe("ab");
  const filter = createScreenFilter();
  expect([..."a", ...sequence, "b"].map((letter) => filter.take(letter)).join("")).toBe("ab");
});

test("a string without an end swallows what follows, but neither memory nor the next sequence", () => {
  const filter = createScreenFilter();
  expect(filter.take(`${esc}]52;${"x".repeat(100_000)}`)).toBe("");
  expect(filter.take(`\u0007shown${esc}]0;t${esc}[31mred`)).toBe(`shown${esc}[31mred`);
});
