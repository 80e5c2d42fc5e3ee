// The way to the Redis of the cluster's Argo CD: one connection for reads and channels (RESP3), which comes back by itself.
// Nothing waits in it for a connection: who asks while there is none is told so at once.
import { readFile } from "node:fs/promises";
import { type Clock, orAbort, reasonOf } from "@fairlead/kernel";
import type { Logger } from "pino";
import type { ArgoRedisConfig } from "../config/index.ts";
import { resourceTreeErrors } from "./errors.ts";

export interface ArgoRedis extends Disposable {
  /** At most so many bytes, from the first one on. Undefined: there is no such key. */
  readBeginning(key: string, mostBytes: number, signal: AbortSignal): Promise<Buffer | undefined>;
  /** Resolves when the channel is listened to. It is taken up again with each new connection, and told of then. */
  listen(channel: string, onPublished: () => void): Promise<Disposable>;
}

export async function openArgoRedis(
  config: ArgoRedisConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<ArgoRedis> {
  // Loaded by those that use it: it takes memory.
  const { createClient, RESP_TYPES } = await import("@redis/client");
  const { host, port, username, passwordFile, tls } = config;
  const ca = tls?.caFile === undefined ? undefined : await read(tls.caFile);
  let failure: unknown;
  const client = createClient({
    RESP: 3,
    socket: {
      host,
      port,
      connectTimeout: connectMs,
      socketTimeout: silenceMs,
      ...(tls ? { tls: true, ...(ca !== undefined && { ca }) } : {}),
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000),
    },
    ...(passwordFile !== undefined && {
      credentialsProvider: {
        type: "async-credentials-provider" as const,
        credentials: async () => ({
          password: (await read(passwordFile)).trimEnd(),
          ...(username !== undefined && { username }),
        }),
      },
    }),
    pingInterval: silenceMs / 3,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 1_024,
    maintNotifications: "disabled",
  });
  const listeners = new Set<() => void>();
  let loggedAt = Number.NEGATIVE_INFINITY;
  client.on("error", (error: unknown) => {
    failure = error;
    if (clock.steadyMs() - loggedAt < 60_000) return;
    loggedAt = clock.steadyMs();
    log.warn({ err: error, host, port }, "the Redis of Argo CD can't be reached");
  });
  client.on("ready", () => {
    failure = undefined;
    // Nobody knows what was published in between.
    for (const tell of listeners) tell();
  });
  client.connect().catch((error: unknown) => {
    failure = error;
  });

  return {
    async readBeginning(key, mostBytes, signal) {
      const reading = client.sendCommand(["GETRANGE", key, "0", String(mostBytes - 1)], {
        typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer },
      });
      // Its failure may come when nobody waits any more.
      reading.catch(() => undefined);
      const value: unknown = await orAbort(reading, signal).catch((error: unknown) => {
        throw signal.aborted ? error : unreadable(failure ?? error);
      });
      if (!Buffer.isBuffer(value)) throw unreadable(new Error("its answer isn't a value"));
      // Redis gives an empty value for a key that isn't there. Argo CD writes none.
      return value.length === 0 ? undefined : value;
    },

    async listen(channel, onPublished) {
      if (!client.isReady) throw unreadable(failure ?? new Error("there is no connection yet"));
      const tell = (): void => onPublished();
      try {
        await client.subscribe(channel, tell);
      } catch (error) {
        throw unreadable(error);
      }
      listeners.add(tell);
      return {
        [Symbol.dispose]() {
          listeners.delete(tell);
          if (client.isOpen) client.unsubscribe(channel, tell).catch(() => undefined);
        },
      };
    },

    [Symbol.dispose]: () => client.destroy(),
  };
}

async function read(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw resourceTreeErrors.RESOURCE_TREE_FILE_UNREADABLE({ file, reason: reasonOf(error), cause: error });
  });
}

function unreadable(cause: unknown): Error {
  return resourceTreeErrors.RESOURCE_TREE_REDIS_FAILED({ reason: reasonOf(cause), cause });
}

const connectMs = 5_000;
const silenceMs = 30_000;
