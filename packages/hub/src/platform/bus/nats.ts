// Hints over NATS, which many hubs share. Only its core is used: what nobody hears is gone. Connections are made anew here
// and not by the client, so that files are read again, all failures get our codes, and nothing piles up meanwhile.
import type { Clock } from "@fairlead/kernel";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Connected, keepConnected } from "./keep-connected.ts";
import { connectNats } from "./nats-connection.ts";
import { type NatsFiles, parseNatsUrl, readNatsOptions } from "./nats-settings.ts";
import type { Adapter } from "./types.ts";

export interface NatsAdapterOptions extends NatsFiles {
  /** The servers of one cluster, such as tls://nats.example.com:4222. */
  readonly urls: readonly string[];
  /** Before the subjects, and another one for each set of hubs on a server. */
  readonly subjectPrefix: string;
  readonly clock: Clock;
}

export function createNatsAdapter(options: NatsAdapterOptions): Adapter {
  const { urls, subjectPrefix, clock } = options;
  const subject = `${subjectPrefix}.hints`;
  return {
    name: "nats",
    async open(events) {
      const servers = urls.map(parseNatsUrl);
      for (const server of servers) await readNatsOptions(server, options);
      let current: NatsConnection | undefined;
      // Hubs that start together don't all take the first one.
      let next = Math.floor(Math.random() * servers.length);
      const kept = await keepConnected({
        events,
        where: `at ${servers.map(({ where }) => where).join(", ")}`,
        clock,
        async connect(signal): Promise<Connected> {
          const server = servers[next % servers.length] ?? parseNatsUrl("");
          next += 1;
          const { onMessage } = events;
          const opened = await connectNats({ server, files: options, subject, onMessage, signal });
          current = opened.connection;
          return opened;
        },
      });
      return {
        async send(text) {
          // The client would keep it until it is closed.
          if (current === undefined || current.isClosed()) throw new Error("not connected");
          current.publish(subject, text);
        },
        [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
      };
    },
  };
}
