// A transcript is a file of lines: the first says what it is, and each of the others is one thing that happened, in order.
import { readFileSync } from "node:fs";
import type { LinkLimits } from "@fairlead/protocol";
import { readFrame } from "./frames.ts";

export type SideName = "hub" | "agent";

export interface TranscriptHead {
  readonly transcript: string;
  readonly about: string;
  readonly protocol: "fairlead.link.v1";
  /** The sides whose part later versions play; the other one was a script that breaks the rules, or is of no interest. */
  readonly sides: readonly SideName[];
  readonly limits: Partial<LinkLimits>;
  /** Whether whoever gets bytes gives their credit back at once; otherwise only `consume` does. */
  readonly consumesAtOnce: boolean;
}

/** Each payload byte of the acts is the same, so that transcripts of bulk stay small. */
export interface Fill {
  readonly byte: string;
  readonly times: number;
}

export type Act =
  | { readonly do: "begin" }
  | { readonly do: "open"; readonly open: object }
  | { readonly do: "respond"; readonly stream: number; readonly head: object }
  | { readonly do: "write"; readonly stream: number; readonly fill: Fill }
  | { readonly do: "end"; readonly stream: number; readonly trailers?: readonly string[] }
  | { readonly do: "reset"; readonly stream: number; readonly code: number; readonly message?: string }
  | { readonly do: "consume"; readonly stream: number; readonly bytes: number }
  | { readonly do: "ping" }
  | { readonly do: "hello" }
  | { readonly do: "go-away"; readonly message: object }
  | { readonly do: "close" };

export type Entry =
  /** Something that this side's user does, maybe in one turn with the next. `session` counts the transcript's links. */
  | { readonly act: SideName; readonly session: number; readonly what: Act; readonly inOneTurn?: true }
  /** The clocks of both sides move. */
  | { readonly tick: number }
  /** The agent (or somebody else's) opens a connection, numbered from 0. */
  | { readonly dialled: number; readonly by: "agent" | "stranger" }
  /** A frame of one side; `lost` ones never arrived. */
  | ({ readonly frame: SideName; readonly on: number; readonly says: string; readonly lost?: true } & FrameBytes)
  | { readonly text: SideName; readonly on: number; readonly message: string }
  /** A side closed a connection; 1006 is without a word. */
  | { readonly closed: SideName; readonly on: number; readonly code: number; readonly reason: string }
  /** The network ended a connection under both. */
  | { readonly cut: number }
  /** The side's user got to see this. */
  | { readonly sees: SideName; readonly session: number; readonly what: string };

export interface FrameBytes {
  readonly hex: string;
  /** Follows the bytes in `hex`. */
  readonly tail?: Fill;
}

export interface Transcript {
  readonly head: TranscriptHead;
  readonly entries: readonly Entry[];
}

export function formatTranscript({ head, entries }: Transcript): string {
  return [head, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function readTranscript(file: string): Transcript {
  const [head, ...entries] = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  return { head: head as TranscriptHead, entries: entries as Entry[] };
}

export function toFrameBytes(message: Buffer): FrameBytes {
  const last = message.at(-1) ?? 0;
  let from = message.byteLength;
  while (from > 0 && message[from - 1] === last) from--;
  const times = message.byteLength - from;
  if (times < 32) return { hex: message.toString("hex") };
  return { hex: message.toString("hex", 0, from), tail: { byte: toHexByte(last), times } };
}

export function fromFrameBytes({ hex, tail }: FrameBytes): Buffer {
  const start = Buffer.from(hex, "hex");
  return tail ? Buffer.concat([start, fillBytes(tail)]) : start;
}

export function fillBytes({ byte, times }: Fill): Buffer {
  return Buffer.alloc(times, Number.parseInt(byte, 16));
}

/** For readers of a transcript; nothing depends on it. */
export function sayFrame(message: Buffer): string {
  const { name, stream, fin, says, json } = readFrame(message);
  const parts = [name, stream > 0 ? `stream ${stream}` : "", fin ? "fin" : "", says, json ? JSON.stringify(json) : ""];
  return parts.filter((part) => part !== "").join(" ");
}

function toHexByte(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
