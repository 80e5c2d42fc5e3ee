// Keeps a cluster's waiting deletions in the database. The hub that owns its sync writes them, and any hub that people
// ask confirms them.
import { createHash } from "node:crypto";
import type { HeldDeletion } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Changes } from "../../../../platform/changes/index.ts";
import type { Tables } from "../../../../platform/store/index.ts";
import type { OwnershipFence } from "../../types.ts";
import type { Leaving } from "./deletion-guard.ts";

/** For the hub that owns a cluster's sync. */
export interface DeletionHolds {
  read(): Promise<KeptDeletions>;
  /** Nothing is written once another hub owns the sync. */
  write(kept: Omit<KeptDeletions, "confirmed">): Promise<void>;
  /** Calls `reread` after confirmations. */
  follow(reread: () => Promise<void>): AsyncDisposable;
}

export interface KeptDeletions {
  readonly held: Leaving;
  readonly sinceMs: number;
  readonly letGo: readonly string[];
  readonly confirmed: readonly string[];
  /** The time of the confirmation that is taken up by this. */
  readonly confirmedAt: Date | null;
}

export const guardTopic = "gitops-guard";

export function createDeletionHolds(
  options: { readonly db: Kysely<Tables>; readonly changes: Pick<Changes, "follow"> },
  { cluster, term }: OwnershipFence,
): DeletionHolds {
  const { db, changes } = options;
  return {
    async read() {
      const row = await db.selectFrom("gitops_guard").selectAll().where("cluster", "=", cluster).executeTakeFirst();
      return {
        held: new Map((row?.held ?? []).map(({ uid, name, leftAt }) => [uid, { name, leftMs: Date.parse(leftAt) }])),
        sinceMs: row?.held_since?.getTime() ?? 0,
        letGo: row?.let_go ?? [],
        confirmed: row?.confirmed ?? [],
        confirmedAt: row?.confirmed_at ?? null,
      };
    },

    async write({ held, sinceMs, letGo, confirmedAt }) {
      const rows = [...held].map(([uid, { name, leftMs }]): HeldDeletion => {
        return { uid, name: name.slice(0, maxNameLength), leftAt: new Date(leftMs).toISOString() };
      });
      await sql`
        insert into gitops_guard (cluster, owner_term, held, digest, held_since, let_go)
        select cluster.name, lease.fence, ${JSON.stringify(rows)}::jsonb, ${digestOf([...held.keys()])},
          ${rows.length === 0 ? null : new Date(sinceMs)}::timestamptz, ${JSON.stringify(letGo)}::jsonb
        from cluster, lease
        where cluster.name = ${cluster} and lease.name = ${`gitops/${cluster}`} and lease.fence = ${String(term)}::bigint
        for share
        on conflict (cluster) do update set
          owner_term = excluded.owner_term,
          held = excluded.held,
          digest = excluded.digest,
          held_since = excluded.held_since,
          let_go = excluded.let_go,
          confirmed = case when gitops_guard.confirmed_at is not distinct from ${confirmedAt}::timestamptz
            then '[]'::jsonb else gitops_guard.confirmed end
      `.execute(db);
    },

    follow: (reread) => changes.follow(guardTopic, reread),
  };
}

/** The same for the same set; empty for none. */
function digestOf(uids: readonly string[]): string {
  if (uids.length === 0) return "";
  return createHash("sha256")
    .update(JSON.stringify([...uids].sort()))
    .digest("hex")
    .slice(0, digestDigits);
}

const digestDigits = 32;
/** The longest namespace and name in Kubernetes, with the slash. */
const maxNameLength = 317;
