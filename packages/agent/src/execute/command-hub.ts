// The hub's calls about commands, over whatever link there is.
import { type CallOptions, type Client, createClient } from "@connectrpc/connect";
import { Backoff, type Clock, orAbort, sleep } from "@fairlead/kernel";
import { CommandService, capabilities, createLinkTransport } from "@fairlead/protocol";
import type { CurrentLink } from "../link/index.ts";

export type CommandClient = Client<typeof CommandService>;

export interface CommandHub {
  /** Undefined while no link leads to a hub that has commands. */
  readonly client: CommandClient | undefined;
  untilClient(signal: AbortSignal): Promise<CommandClient>;
  /** Calls until it is answered, over each link that comes. Rejects only with the signal's reason. */
  insist<T>(
    call: (client: CommandClient, options: CallOptions) => Promise<T>,
    signal: AbortSignal,
    onFailed?: (error: unknown) => void,
  ): Promise<T>;
}

export function createCommandHub(options: { readonly links: CurrentLink; readonly clock: Clock }): CommandHub {
  const { links, clock } = options;
  let known: { readonly link: unknown; readonly client: CommandClient } | undefined;
  const hub: CommandHub = {
    get client() {
      const { current } = links;
      if (current === undefined || !current.capabilities.includes(capabilities.commands)) return undefined;
      if (known?.link !== current.link)
        known = {
          link: current.link,
          client: createClient(CommandService, createLinkTransport({ link: current.link })),
        };
      return known.client;
    },
    async untilClient(signal) {
      const { promise, resolve } = Promise.withResolvers<CommandClient>();
      const look = (): void => {
        if (hub.client) resolve(hub.client);
      };
      const stop = links.onChange(look);
      look();
      return await orAbort(promise, signal).finally(stop);
    },
    async insist(call, signal, onFailed) {
      const backoff = new Backoff({ baseMs: 500, maxMs: 10_000 });
      for (;;) {
        const client = await hub.untilClient(signal);
        try {
          return await call(client, { signal, timeoutMs: callTimeoutMs });
        } catch (error) {
          signal.throwIfAborted();
          onFailed?.(error);
          await sleep(Math.max(minRetryMs, backoff.nextMs()), { clock, signal });
        }
      }
    },
  };
  return hub;
}

const callTimeoutMs = 30_000;
/** A link that broke is current for a moment longer. */
const minRetryMs = 100;
