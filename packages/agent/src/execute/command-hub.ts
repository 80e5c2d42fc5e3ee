// The hub's calls about commands, over whatever link there is.
import { type CallOptions, type Client, createClient } from "@connectrpc/connect";
import { Backoff, type Clock, orAbort, sleep } from "@fairlead/kernel";
import {
  type AppendLogRequest,
  type AppendLogResponse,
  CommandService,
  capabilities,
  createLinkTransport,
  type ReportAllResponse,
  type ReportRequest,
  type ReportResponse,
} from "@fairlead/protocol";
import type { CurrentLink } from "../link/index.ts";
import type { MaskedBytes, MaskedText } from "../redact/index.ts";

/** Takes nothing for the hub that wasn't masked. */
export type CommandClient = Omit<Client<typeof CommandService>, "report" | "reportAll" | "appendLog"> & {
  report(request: MaskedReport, options?: CallOptions): Promise<ReportResponse>;
  reportAll(request: { readonly reports: MaskedReport[] }, options?: CallOptions): Promise<ReportAllResponse>;
  appendLog(request: MaskedChunk, options?: CallOptions): Promise<AppendLogResponse>;
};

export type MaskedReport = Fields<ReportRequest, "message" | "hint" | "resultJson"> & {
  readonly message: MaskedText;
  readonly hint: MaskedText;
  readonly resultJson: MaskedBytes;
};

type MaskedChunk = Fields<AppendLogRequest, "chunk"> & { readonly chunk: MaskedBytes };

type Fields<Message, Masked extends keyof Message> = Partial<Omit<Message, Masked | "$typeName" | "$unknown">>;

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
