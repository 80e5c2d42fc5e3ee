// Ends or frees commands whose time is over or whose cluster is gone. Any hub may do it, even twice.
import type { FairleadError } from "@fairlead/kernel";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { claimableStates, heldStates, mayHaveBegunSql, waitingStates } from "./claims.ts";
import { commandErrors } from "./errors.ts";
import type { CommandStore, Happening } from "./store.ts";

export interface Sweep {
  /** Frees the ended leases of one cluster, or of all. */
  freeLeases(cluster?: string): Promise<void>;
  /** Ends commands that nobody claimed, or nobody approved, in time. */
  endOverdue(): Promise<void>;
  /** Ends the commands of clusters that were removed, revoked or replaced. */
  withdraw(): Promise<void>;
}

export function createSweep({ db, store }: { readonly db: Kysely<Tables>; readonly store: CommandStore }): Sweep {
  return {
    async freeLeases(cluster) {
      const isWanted = cluster === undefined ? sql`true` : sql`cluster = ${cluster}`;
      const due = sql<{ id: string }>`
        select id from command
        where state in ${heldStates} and lease_until <= clock_timestamp() and ${isWanted} limit ${roundSize}
      `;
      await inRounds(due, ({ id }) => ({
        id,
        event: { type: "lease-ended" },
        actor: "hub",
        reason: "the agent wasn't heard of",
        holds: (row) => row.is_lease_over,
        outcome: ({ is, lapses }) =>
          is === "ended" ? toOutcome(commandErrors.COMMAND_LEASES_LOST({ claims: lapses })) : undefined,
      }));
    },

    async endOverdue() {
      const due = sql<{ id: string; by_far: boolean }>`
        select id, ${mayHaveBegunSql} as by_far from command
        where finished_at is null and state in ${claimableStates} and deadline_at <= clock_timestamp()
          and (not ${mayHaveBegunSql} or greatest(deadline_at, lease_until) <= clock_timestamp() - interval '1 hour')
        limit ${roundSize}
      `;
      await inRounds(due, ({ id, by_far: byFar }) => ({
        id,
        event: { type: "deadline-passed", byFar },
        actor: "hub",
        outcome: () => toOutcome(byFar ? commandErrors.COMMAND_ABANDONED() : commandErrors.COMMAND_DEADLINE_PASSED()),
      }));
      const unapproved = sql<{ id: string }>`
        select id from command
        where state in ${waitingStates} and approval_until <= clock_timestamp() limit ${roundSize}
      `;
      await inRounds(unapproved, ({ id }) => ({
        id,
        event: { type: "approval-expired" },
        actor: "hub",
        outcome: ({ gate }) =>
          toOutcome(
            gate?.planEpoch === undefined
              ? commandErrors.COMMAND_PLANNING_UNAPPROVED()
              : commandErrors.COMMAND_APPROVAL_EXPIRED(),
          ),
      }));
    },

    async withdraw() {
      const due = sql<{ id: string; reason: string }>`
        select command.id, case
          when cluster.name is null or cluster.incarnation <> command.incarnation then 'the cluster was removed'
          when cluster.revoked_at is not null then 'the cluster was revoked'
          else 'another cluster has the name now'
        end as reason
        from command left join cluster on cluster.name = command.cluster
        where finished_at is null and (
          cluster.name is null or cluster.incarnation <> command.incarnation or cluster.revoked_at is not null
          or command.cluster_uid <> cluster.kube_system_uid
        ) limit ${roundSize}
      `;
      await inRounds(due, ({ id, reason }) => ({
        id,
        event: { type: "withdrawn" },
        actor: "hub",
        reason,
        outcome: () => toOutcome(commandErrors.COMMAND_WITHDRAWN({ reason })),
      }));
    },
  };

  async function inRounds<Row>(due: RawBuilder<Row>, toHappening: (row: Row) => Happening): Promise<void> {
    for (;;) {
      const { rows } = await due.execute(db);
      for (const row of rows) await store.happen(toHappening(row));
      if (rows.length < roundSize) return;
    }
  }
}

function toOutcome({ code, message, hint }: FairleadError): { code: string; message: string; hint?: string } {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

const roundSize = 200;
