// Opens the engine for one kind of run.
import type { Clock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Access } from "../../people/access/index.ts";
import type { Leases } from "../../platform/leases/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { CommandParts } from "../commands/index.ts";
import { createAdvance } from "./advance.ts";
import type { GraphRunNews } from "./news.ts";
import type { GraphRunPort } from "./port.ts";
import type { GraphRunRow } from "./rows.ts";
import { createGraphRunStore, type GraphRunStore } from "./store.ts";
import { startGraphRunWork } from "./work.ts";

export interface GraphRunPorts {
  /** For what people ask: what agents do goes first. */
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require" | "recall" | "refuseAbsent">;
  readonly parts: CommandParts;
  readonly news: GraphRunNews;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface GraphRunEngine<Row> extends AsyncDisposable {
  readonly store: GraphRunStore<Row>;
}

export function openGraphRuns<Row extends GraphRunRow>(
  ports: GraphRunPorts,
  { port, forget }: { readonly port: GraphRunPort<Row>; readonly forget: () => Promise<unknown> },
): GraphRunEngine<Row> {
  const { db, access, parts, news, leases, clock, log } = ports;
  const store = createGraphRunStore(db, port);
  const work = startGraphRunWork({
    name: `${port.is}s`,
    listDue: store.listDue,
    advance: createAdvance({ db, port, store, parts, access, clock }),
    forget,
    news,
    leases,
    clock,
    log,
  });
  return { store, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() };
}
