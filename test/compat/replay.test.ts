// This version still says and understands everything that the released ones do.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "./replayer.ts";
import { scenarios } from "./scenarios/index.ts";
import { type Entry, readTranscript, type SideName, type Transcript } from "./transcript.ts";

const versions = readdirSync(import.meta.dirname).filter((name) => /^v\d+\.\d+$/.test(name));

it("has a transcript of each scenario by the newest version, in which every kind of frame occurs", () => {
  const newest = versions.sort().at(-1) ?? "";
  const names = readdirSync(join(import.meta.dirname, newest)).map((file) => file.replace(".jsonl", ""));
  expect(names.sort()).toEqual(scenarios.map(({ name }) => name).sort());
  const said = names.flatMap((name) =>
    read(newest, name).entries.flatMap((entry) => ("says" in entry ? entry.says : [])),
  );
  const kinds = new Set(said.map((says) => says.split(" ")[0]));
  for (const kind of [
    "SETTINGS",
    "OPEN",
    "HEAD",
    "DATA",
    "END",
    "TRAILERS",
    "RESET",
    "WINDOW",
    "PING",
    "PONG",
    "GOAWAY",
    "ACK",
    "RESUME",
  ]) {
    expect(kinds).toContain(kind);
  }
});

describe.each(versions)("%s", (version) => {
  const files = readdirSync(join(import.meta.dirname, version));
  const parts = files.flatMap((file) => {
    const transcript = read(version, file.replace(".jsonl", ""));
    return transcript.head.sides.map((side) => ({ name: transcript.head.transcript, side, transcript }));
  });
  it.each(parts)("$name, as the $side", ({ transcript, side }) => replay(transcript, side));
});

describe("a replay fails", () => {
  it.each<[string, SideName, string, (entry: Entry) => Entry | undefined, RegExp]>([
    [
      "another code",
      "agent",
      "resets",
      (entry) => swap(entry, "agent", "07000000000000020006", "0006", "0007"),
      /RESET.*code 7.*code 6/,
    ],
    [
      "another offset",
      "agent",
      "flow-control",
      (entry) => swap(entry, "agent", "04000000000000020000000000010000", "010000", "010001"),
      /DATA.*at 65537.*at 65536/,
    ],
    [
      "a frame that doesn't come",
      "hub",
      "get",
      (entry) => swap(entry, "hub", "0201000000000002", "0201000000000002", "0e00000000000002"),
      /expected.*type 14/,
    ],
    [
      "a frame too many",
      "hub",
      "get",
      (entry) => (isFrame(entry, "hub", "0201000000000004") ? undefined : entry),
      /nobody expected OPEN/,
    ],
    [
      "another close",
      "hub",
      "hostile-text",
      (entry) => ("closed" in entry ? { ...entry, code: 1000 } : entry),
      /close with 1000/,
    ],
    [
      "something else seen",
      "hub",
      "get",
      (entry) => ("sees" in entry && entry.what.includes("head 304") ? { ...entry, what: "nothing" } : entry),
      /expected to see/,
    ],
  ])("at %s", async (_, side, name, change, message) => {
    const { head, entries } = read("v0.1", name);
    const changed: Transcript = { head, entries: entries.flatMap((entry) => change(entry) ?? []) };
    expect(changed.entries).not.toEqual(entries);
    await expect(replay(changed, side)).rejects.toThrow(message);
  });
});

function read(version: string, name: string): Transcript {
  return readTranscript(join(import.meta.dirname, version, `${name}.jsonl`));
}

function isFrame(entry: Entry, from: SideName, start: string): boolean {
  return "frame" in entry && entry.frame === from && entry.hex.startsWith(start);
}

/** The same frame with other bytes. */
function swap(entry: Entry, from: SideName, start: string, before: string, after: string): Entry {
  if (!("frame" in entry) || !isFrame(entry, from, start)) return entry;
  const at = entry.hex.lastIndexOf(before, start.length);
  return { ...entry, hex: entry.hex.slice(0, at) + after + entry.hex.slice(at + before.length) };
}
