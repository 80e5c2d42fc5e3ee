// The hub's own server, watched: when it ends without being asked to, it is started again until it runs.
import { sleep } from "@fairlead/kernel";
import type { ClientConfig } from "pg";
import { readDownReason } from "../errors.ts";
import { isProcessAlive } from "../folder/process-mark.ts";
import { endServer } from "./end-server.ts";
import { type Launch, readReason } from "./launch.ts";
import { nextServerState, type ServerEvent, type ServerState } from "./server-state.ts";
import { type Started, startOrAdopt } from "./start.ts";

export interface PostgresServer {
  readonly connection: ClientConfig;
  readonly state: ServerState;
  /** Ends the server, after its clients. */
  stop(): Promise<void>;
  /** Lets it run on, for another hub. */
  leave(): void;
}

export async function runServer(
  starting: Launch,
  options: { readonly onChange?: ((state: ServerState) => void) | undefined } = {},
): Promise<PostgresServer> {
  const { onChange } = options;
  const end = new AbortController();
  let state: ServerState = { kind: "starting" };
  let current = await start();
  apply({ kind: "ran", process: current.process });
  const watching = watch();

  return {
    connection: current.connection,
    get state() {
      return state;
    },
    async stop() {
      apply({ kind: "stop" });
      end.abort();
      await watching;
      if (state.kind !== "stopping") return;
      await endServer(current.process);
      current.guard[Symbol.dispose]();
      apply({ kind: "ended", reason: "asked to" });
    },
    leave() {
      apply({ kind: "leave" });
      current.guard[Symbol.dispose]();
      end.abort();
    },
  };

  function apply(event: ServerEvent): void {
    const next = nextServerState(state, event);
    if (next === state) return;
    state = next;
    onChange?.(state);
  }

  async function watch(): Promise<void> {
    while (!end.signal.aborted) {
      if (state.kind === "running") await look(current);
      else if (state.kind === "down") await tryAgain(state.attempt);
      else return;
    }
  }

  async function start(): Promise<Run> {
    const exit = new AbortController();
    const started = await startOrAdopt(starting, { onExit: () => exit.abort(), signal: end.signal });
    return { ...started, isOver: AbortSignal.any([end.signal, exit.signal]) };
  }

  /** A server that was taken over isn't this process's child, so it is looked at now and then. */
  async function look({ process, guard, isOver }: Run): Promise<void> {
    await pause(watchMs, isOver);
    if (end.signal.aborted || (await isProcessAlive(process))) return;
    guard[Symbol.dispose]();
    apply({ kind: "ended", reason: await readReason(starting.places) });
  }

  async function tryAgain(attempt: number): Promise<void> {
    await pause(Math.min(firstRetryMs * 2 ** attempt, lastRetryMs), end.signal);
    if (end.signal.aborted) return;
    try {
      current = await start();
    } catch (error) {
      apply({ kind: "failed", reason: readDownReason(error) });
      return;
    }
    apply({ kind: "ran", process: current.process });
    if (state.kind === "running") return;
    // It came up while the hub let go of it: a hub that stops ends it, one that leaves it leaves it.
    if (state.kind === "stopped") await endServer(current.process);
    current.guard[Symbol.dispose]();
  }
}

interface Run extends Started {
  /** Aborts when the server ended that this hub started, or when the hub wants nothing more of it. */
  readonly isOver: AbortSignal;
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, { signal }).catch(() => undefined);
}

const watchMs = 500;
const firstRetryMs = 50;
const lastRetryMs = 5_000;
