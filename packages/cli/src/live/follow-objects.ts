// A subscription for as long as someone watches: a connection that breaks is made again, and goes on from the cursor.

import {
  type DataAge,
  type KindTable,
  type LiveMessage,
  type LiveRequest,
  liveEnded,
  type ObjectFilter,
  type ObjectItem,
} from "@fairlead/contract/client";
import { Backoff, type FairleadError, isFairleadError } from "@fairlead/kernel";
import type { OpenLive } from "../connection/index.ts";
import { pause } from "../files/index.ts";
import type { LiveSocket } from "../hub/index.ts";
import { hubCodes } from "../hub-codes.ts";

/** Awaited: who is slow gets fewer messages, and the newest state of what changed meanwhile. */
export interface FollowHandler {
  onItems(items: readonly ObjectItem[], tables: readonly KindTable[]): void | Promise<void>;
  onRemoved(items: readonly ObjectKey[]): void | Promise<void>;
  /** Everything there is was said. Items that aren't in `whole`, where it is given, are gone. */
  onSynced(whole: ReadonlySet<string> | undefined): void | Promise<void>;
  onAges(clusters: readonly DataAge[]): void | Promise<void>;
  /** The hub is away; said once until it is back. */
  onAway(error: FairleadError): void;
  onBack(): void;
}

export interface ObjectKey {
  readonly cluster: string;
  readonly uid: string;
}

export function keyOf({ cluster, uid }: ObjectKey): string {
  return `${cluster}/${uid}`;
}

export interface FollowOptions {
  readonly open: OpenLive;
  readonly filter: ObjectFilter;
  readonly include?: "object" | undefined;
  readonly handler: FollowHandler;
  readonly signal: AbortSignal;
}

/** Ends by its signal, or by an error that won't pass. */
export async function followObjects(options: FollowOptions): Promise<never> {
  const { open, handler, signal } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 5_000 });
  const progress: Progress = { cursor: undefined, isAway: false };
  for (;;) {
    try {
      using socket = await open();
      await followSocket(socket, options, progress, () => backoff.reset());
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isFairleadError(thrown) || !thrown.retryable) throw thrown;
      if (hubCodes.is(thrown, "LIVE_RIGHTS_CHANGED")) {
        progress.cursor = undefined;
      } else if (!progress.isAway) {
        progress.isAway = true;
        handler.onAway(thrown);
      }
    }
    await pause(backoff.nextMs(), signal);
  }
}

interface Progress {
  /** Up to where everything was said. */
  cursor: string | undefined;
  isAway: boolean;
}

async function followSocket(
  socket: LiveSocket,
  { filter, include, handler }: FollowOptions,
  progress: Progress,
  onLevel: () => void,
): Promise<never> {
  const { cursor } = progress;
  const named = new Set<string>();
  let isLevel = false;
  const subscribe: LiveRequest = { type: "subscribe", id, filter, include, cursor };
  socket.send(subscribe);
  for await (const message of socket.messages) {
    await take(message);
    if (message.type === "items" || message.type === "removed") socket.send({ type: "credit", id, add: 1 });
  }
  throw new Error("the messages of a live connection have no end");

  async function take(message: LiveMessage): Promise<void> {
    switch (message.type) {
      case "items":
        if (!isLevel) for (const item of message.items) named.add(keyOf(item));
        return handler.onItems(message.items, message.tables ?? []);
      case "removed":
        for (const item of message.items) named.delete(keyOf(item));
        return handler.onRemoved(message.items);
      case "synced":
        progress.cursor = message.cursor;
        if (isLevel) return;
        isLevel = true;
        onLevel();
        if (progress.isAway) handler.onBack();
        progress.isAway = false;
        await handler.onSynced(cursor === undefined || message.isReset ? named : undefined);
        return named.clear();
      case "ages":
        return handler.onAges(message.clusters);
      case "error":
        throw liveEnded(message);
      case "run":
      case "runs":
      case "log":
      case "ended":
        // Messages about runs, which nobody has asked for here.
        return;
      default:
        return message satisfies never;
    }
  }
}

const id = "1";
