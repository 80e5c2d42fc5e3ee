// A connection that listens. It must lead to the server itself: behind a pooler that hands connections round, LISTEN
// seems to work and nothing is ever heard. So this hub counts as listening only when it has heard itself, and it tries
// again when nobody has said anything for a while.
import { type Clock, onAbort, repeat, sleep } from "@fairlead/kernel";
import { Client, type ClientConfig } from "pg";
import { busErrors } from "./errors.ts";
import type { Connected } from "./keep-connected.ts";
import { proofPrefix } from "./message.ts";

export async function listen(options: {
  readonly config: ClientConfig;
  readonly channel: string;
  /** Says something on the channel, by another connection. */
  readonly say: (text: string) => Promise<void>;
  readonly onMessage: (text: string) => void;
  readonly clock: Clock;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}): Promise<Connected> {
  const { config, channel, say, onMessage, clock, silenceMs, signal } = options;
  await using undo = new AsyncDisposableStack();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  undo.use(onAbort(signal, over.reject));
  const client = new Client({ ...config, ...listenerDefaults });
  client.on("error", over.reject).on("end", () => over.reject(new Error("the connection ended")));
  // A server that doesn't answer doesn't answer a farewell either.
  undo.defer(() => void client.connection.stream.destroy());
  let heard = 0;
  let proof: { readonly text: string; readonly resolve: (isHeard: true) => void } | undefined;
  client.on("notification", ({ payload = "" }) => {
    heard += 1;
    if (payload === proof?.text) proof.resolve(true);
    else if (!payload.startsWith(proofPrefix)) onMessage(payload);
  });
  const start = async (): Promise<void> => {
    await client.connect();
    await client.query(`listen ${channel}`);
    await hearOneself();
  };
  await Promise.race([start(), over.promise]);

  let before = heard;
  const run = async (): Promise<void> => {
    if (heard === before) await hearOneself();
    before = heard;
  };
  undo.use(repeat({ clock, intervalMs: silenceMs, run, onError: over.reject }));
  const owned = undo.move();
  return { over: over.promise, [Symbol.asyncDispose]: () => owned.disposeAsync() };

  async function hearOneself(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    proof = { text: proofPrefix + crypto.randomUUID(), resolve };
    await say(proof.text);
    const isHeard = await Promise.race([promise, sleep(answerMs, { clock, signal }).then(() => false)]);
    if (!isHeard) throw busErrors.BUS_DEAF();
  }
}

const listenerDefaults: ClientConfig = {
  application_name: "fairlead-hub bus",
  connectionTimeoutMillis: 5_000,
  query_timeout: 5_000,
  keepAlive: true,
};
const answerMs = 2_000;
