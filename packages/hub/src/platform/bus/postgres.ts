// Hints by LISTEN and NOTIFY of the database that the hubs share. NOTIFY goes through the hub's other connections, in short
// statements of its own: in a transaction of somebody else it would hold up other commits.
import type { Clock } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { ClientConfig } from "pg";
import type { Tables } from "../store/index.ts";
import { busErrors } from "./errors.ts";
import { keepConnected } from "./keep-connected.ts";
import { listen } from "./postgres-listener.ts";
import type { Adapter } from "./types.ts";

export interface PostgresAdapterOptions {
  /** For NOTIFY. */
  readonly db: Kysely<Tables>;
  /**
   * For LISTEN. Asked again for each try, as passwords change. Throws for an address that can never work. Undefined where
   * nothing leads to the server itself: then this hub is heard, and hears nothing.
   */
  readonly connection: (() => Promise<ClientConfig>) | undefined;
  readonly clock: Clock;
  /** For as long nobody may have said anything before this hub sees if it still hears itself. */
  readonly silenceMs?: number | undefined;
}

export function createPostgresAdapter(options: PostgresAdapterOptions): Adapter {
  const { db, connection, clock, silenceMs = 15_000 } = options;
  return {
    name: "postgres",
    async open(events) {
      if (connection === undefined) {
        events.onState({ kind: "away", error: busErrors.BUS_DEAF(), sinceMs: clock.now() });
        return { send: say, async [Symbol.asyncDispose]() {} };
      }
      await connection();
      const { onMessage } = events;
      const kept = await keepConnected({
        events,
        where: "of the database",
        clock,
        connect: async (signal) =>
          listen({ config: await connection(), channel, say, onMessage, clock, silenceMs, signal }),
      });
      return { send: say, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
    },
  };

  async function say(text: string): Promise<void> {
    await sql`select pg_notify(${channel}, ${text})`.execute(db);
  }
}

/** In the one database, so it is told from nobody else's. */
const channel = "fairlead_hints";
