// A session over a link's call, until it ends.
import { createClient } from "@connectrpc/connect";
import { type Clock, repeat } from "@fairlead/kernel";
import { createLinkTransport, InventoryService, type Link } from "@fairlead/protocol";
import type { ObjectFetcher } from "../observe/index.ts";
import { inventoryErrors } from "./errors.ts";
import { createBodyFetcher } from "./fetch-bodies.ts";
import type { LocalInventory } from "./local-inventory.ts";
import type { ToHub } from "./messages.ts";
import { type SessionOptions, SyncSession } from "./session.ts";
import type { InventoryLog } from "./types.ts";

export interface CallOptions {
  readonly link: Link;
  readonly start: SessionOptions["start"];
  readonly local: LocalInventory;
  readonly fetcher: ObjectFetcher;
  readonly clock: Clock;
  readonly log: InventoryLog;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onExamineBy?: SessionOptions["onExamineBy"];
  readonly onEnd?: (session: SyncSession) => void;
}

/** Runs until the signal aborts or the hub or the link ends it; rejects with the reason. */
export async function runCall(options: CallOptions): Promise<never> {
  const { link, start, local, fetcher, clock, log, random, onEnd } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  let isScheduled = false;
  let wake: (() => void) | undefined;
  const session = new SyncSession({
    start,
    bodies: local.bodies,
    nowMs: () => clock.steadyMs(),
    wallMs: () => clock.now(),
    onWork,
    onDrift,
    onRefusal,
    onExamineBy: options.onExamineBy,
  });
  const bodies = createBodyFetcher({ session, local, fetcher, clock, log, signal });
  signal.addEventListener("abort", () => wake?.(), { once: true });
  using undo = new DisposableStack();
  every(aliveMs, () => session.aliveDue());
  // Agents that came back together don't ask together.
  every(verifyMs * (0.75 + random() / 2), () => session.verify());
  undo.defer(
    clock.after(
      welcomeMs,
      () => session.isWelcome || leaving.abort(inventoryErrors.INVENTORY_NOT_WELCOMED({ seconds: welcomeMs / 1000 })),
    ),
  );
  local.attach(session);
  try {
    signal.throwIfAborted();
    const client = createClient(InventoryService, createLinkTransport({ link }));
    for await (const { message } of client.sync(outgoing(), { signal })) session.receive(message);
    throw inventoryErrors.INVENTORY_CALL_ENDED();
  } finally {
    // A call that is left early ends by its signal alone.
    leaving.abort(inventoryErrors.INVENTORY_CALL_ENDED());
    local.detach(session);
    onEnd?.(session);
  }

  async function* outgoing(): AsyncGenerator<ToHub> {
    while (!signal.aborted) {
      const message = session.next();
      if (message) {
        yield message;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    }
  }

  function onDrift(kind: string): void {
    log.warn({ kind }, "the hub's copy of a kind isn't what it was made to be; it is compared");
  }

  function onRefusal({ code, message, hint }: { code: string; message: string; hint: string }): void {
    log.warn({ code, hint }, message);
  }

  /** Work of the same turn of the event loop goes together. */
  function onWork(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      wake?.();
      bodies.look();
    });
  }

  function every(intervalMs: number, run: () => void): void {
    undo.use(repeat({ clock, intervalMs, run, onError: (error) => leaving.abort(error) }));
  }
}

const welcomeMs = 60_000;
const aliveMs = 5_000;
const verifyMs = 10 * 60_000;
