// Follows a run until its end: its state after each change, and its log. Both wait for the client's credit. The log is
// read a piece at a time, so a client that takes nothing costs one piece.
import type { Command, RunSubscribeRequest } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Principal } from "../../people/access/index.ts";
import type { LogReader } from "../runs/index.ts";
import { createHints } from "./hints.ts";
import type { RunNews } from "./news.ts";
import type { Outlet } from "./outlet.ts";

export interface RunPorts {
  /** Throws COMMAND_NOT_FOUND. */
  readonly summarize: (principal: Principal, id: string) => Promise<Command>;
  readonly logs: Pick<LogReader, "read" | "readTimed">;
  readonly news: Pick<RunNews, "listen">;
  readonly clock: Clock;
}

export type FollowRunRequest = Extract<RunSubscribeRequest, { type: "follow-run" }>;

/** Resolves when all is told. Rejects with what is wrong, or when the signal aborts. */
export async function followRun(
  ports: RunPorts,
  following: {
    readonly request: FollowRunRequest;
    readonly principal: Principal;
    readonly outlet: Pick<Outlet, "send">;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { request, principal, outlet } = following;
  const { id, run, logFrom, timestamps = false } = request;
  const failed = new AbortController();
  const signal = AbortSignal.any([following.signal, failed.signal]);
  try {
    await Promise.all([tellStates(), ...(logFrom === undefined ? [] : [tellLog(logFrom)])]);
  } catch (thrown) {
    failed.abort(thrown);
    throw thrown;
  }
  await outlet.send({ type: "ended", id });

  async function tellStates(): Promise<void> {
    const { clock, news, summarize } = ports;
    const hints = createHints({ clock, everyMs: lookMs, gatherMs: 0 });
    using _listening = news.listen((changed) => {
      if (changed === undefined || changed.id === run) hints.hear();
    });
    let told = "";
    for (;;) {
      const seen = await summarize(principal, run);
      const text = stateOf(seen);
      if (text !== told) await outlet.send({ type: "run", id, run: seen });
      told = text;
      if (seen.finishedAt !== undefined) return;
      await hints.wait(signal);
    }
  }

  async function tellLog(from: number): Promise<void> {
    let offset = from;
    const reading = { command: run, offset, isFollowed: true, signal };
    for await (const read of timestamps ? ports.logs.readTimed(reading) : ports.logs.read(reading)) {
      const { bytes, at } = "bytes" in read ? read : { bytes: read, at: undefined };
      const data = Buffer.from(bytes).toString("base64");
      await outlet.send({ type: "log", id, offset, data, ...(at && { at: at.toISOString() }) });
      offset += bytes.byteLength;
    }
    signal.throwIfAborted();
  }
}

/** A log that grows is no other state. */
export function stateOf(run: Command): string {
  return JSON.stringify({ ...run, logBytes: 0 });
}

const lookMs = 5_000;
