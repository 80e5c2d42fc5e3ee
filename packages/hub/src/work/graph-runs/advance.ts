// Takes a run a step further: begins the nodes whose turn it is, as far as there is room, and cancels what is to be.
import { type Clock, type FairleadError, isFairleadError, toFairleadError } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { AbsentAsker, Access, Principal } from "../../people/access/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { CommandParts } from "../commands/index.ts";
import { createFullQueues } from "./full-queues.ts";
import { createNodePart, mostOf } from "./node-part.ts";
import type { GraphRunPort, NodeTurn } from "./port.ts";
import { type GraphRunRow, toTroubleColumns } from "./rows.ts";
import type { GraphRunStore } from "./store.ts";
import type { Advance } from "./work.ts";

export function createAdvance<Row extends GraphRunRow>(ports: {
  readonly db: Kysely<Tables>;
  readonly port: GraphRunPort<Row>;
  readonly store: GraphRunStore<Row>;
  readonly parts: Pick<CommandParts, "create" | "cancel">;
  readonly access: Pick<Access, "recall" | "refuseAbsent">;
  readonly clock: Clock;
}): Advance {
  const { db, port, store, parts, access, clock } = ports;
  const { tables } = port;
  const nodes = sql.table(tables.node);
  const runOf = sql.ref(`node.${tables.runOf}`);
  const full = createFullQueues(clock);

  return async (id, signal) => {
    const settled = await store.settle({ id });
    if (!settled || settled.after.is === "ended") return "done";
    const { row, after } = settled;
    if (after.is === "running" && row.cancellation === null) return await beginSome(row, signal);
    full.forget(id);
    return row.cancellation === null ? "done" : await cancelSome(row, signal);
  };

  async function beginSome(row: Row, signal: AbortSignal): Promise<"more" | "done"> {
    const { id } = row;
    const turns = await listTurns(row);
    if (turns.length === 0) return "done";
    const asker = JSON.parse(row.asker) as AbsentAsker;
    const asking = access.refuseAbsent(asker) ?? access.recall(asker) ?? port.errors.requesterGone(row);
    if (isFairleadError(asking) && port.stopsWithRequester) {
      await store.settle({ id, event: { type: "requester-gone", error: asking }, actor: "hub" });
      return "more";
    }
    const begin = isFairleadError(asking) ? async () => asking : await openBegin(row, asking);
    let hasFailed = false;
    for (const turn of turns) {
      if (signal.aborted) return "done";
      const error = await begin(turn);
      if (!error) continue;
      const { place } = turn;
      if (error.retryable) full.refuse(id, place);
      else await store.happenToNode({ id, place, event: port.eventOf(error), trouble: toTroubleColumns(error) });
      hasFailed = true;
    }
    // What couldn't be begun leaves its room to others.
    return hasFailed || turns.length === stepSize ? "more" : "done";
  }

  async function listTurns(row: Row): Promise<NodeTurn[]> {
    const { id } = row;
    const room = Math.min(stepSize, mostOf(port, row) - (await port.countRunning(db, row)));
    if (room <= 0) return [];
    const { upTo, places } = full.skipped(id);
    const { rows } = await sql<NodeTurn>`
      select place, cluster from ${nodes} as node
      where ${runOf} = ${id} and state = 'waiting' and ${port.isTurn(row)}
        and place > ${upTo} and place <> all (${places}::integer[])
      order by place limit ${room}
    `.execute(db);
    if (rows.length < room) full.endPass(id);
    return rows;
  }

  /** The function gives why a node can't be begun. */
  async function openBegin(
    row: Row,
    principal: Principal,
  ): Promise<(turn: NodeTurn) => Promise<FairleadError | undefined>> {
    const { id } = row;
    const toRequest = await port.openRequests(row, principal);
    return async (turn) => {
      try {
        await parts.create(principal, await toRequest(turn), createNodePart(port, { id, place: turn.place }));
        return undefined;
      } catch (thrown) {
        if (isStoreFailure(thrown)) throw thrown;
        return toFairleadError(thrown);
      }
    };
  }

  async function cancelSome(row: Row, signal: AbortSignal): Promise<"more" | "done"> {
    const { id, cancellation, by_whom: by } = row;
    const isWanted =
      cancellation === "forced" ? sql`coalesce(cancellation, 'graceful') = 'graceful'` : sql`cancellation is null`;
    const { rows } = await sql<{ id: string }>`
      select command.id from ${nodes} as node join command on command.id = node.command
      where ${runOf} = ${id} and node.state = 'running' and finished_at is null and ${isWanted}
      order by place limit ${stepSize}
    `.execute(db);
    for (const command of rows) {
      if (signal.aborted) return "done";
      await parts.cancel(command.id, { actor: by ?? "hub", reason: port.cancelReason });
    }
    return rows.length > 0 ? "more" : "done";
  }
}

/** How many nodes are begun, or commands cancelled, before other runs have their turns. */
const stepSize = 16;
