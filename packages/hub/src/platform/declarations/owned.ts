// The things that files have declared so far, in the database and in memory. Every hub on the database follows them.
import { type Kysely, sql } from "kysely";
import type { Changes } from "../changes/index.ts";
import type { Tables } from "../store/index.ts";
import type { DeclaredTask } from "./part.ts";
import type { DeclaredKind, OwnedThing } from "./types.ts";

export interface Owned extends AsyncDisposable {
  find(kind: DeclaredKind, name: string): OwnedThing | undefined;
  list(): readonly OwnedThing[];
  /** The content that is in force. */
  readonly inForce: InForce | undefined;
  reread(): Promise<void>;
  /** The content of these files is in force from now on. */
  settle(set: { readonly digest: string } & Pick<DeclaredTask, "guard">): Promise<void>;
  /** This hub's files have what is in force. Says so now and then, for hubs whose files are others. */
  confirm(): Promise<void>;
}

export interface InForce {
  readonly digest: string;
  /** When a hub said last that its files have it, by the database's clock. */
  readonly confirmedMs: number;
}

export async function openOwned(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit" | "follow">;
  /** Clusters that were declared until now. */
  readonly onWithdrawn: (clusters: readonly string[]) => void;
}): Promise<Owned> {
  const { db, changes, onWithdrawn } = options;
  let things: ReadonlyMap<string, OwnedThing> = new Map();
  let inForce: InForce | undefined;
  await reread();
  const following = changes.follow("declarations", reread);

  return {
    find: (kind, name) => things.get(`${kind} ${name}`),
    list: () => [...things.values()],
    get inForce() {
      return inForce;
    },
    reread,
    async settle({ digest, guard }) {
      await changes.commit("declarations", async (trx) => {
        await guard(trx);
        await trx
          .insertInto("declaration_set")
          .values({ id: true, digest, applied_at: sql<Date>`now()` })
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ digest, applied_at: sql<Date>`now()` }))
          .execute();
      });
    },
    async confirm() {
      await db
        .updateTable("declaration_set")
        .set({ applied_at: sql<Date>`now()` })
        .where("digest", "=", inForce?.digest ?? "")
        .where("applied_at", "<", sql<Date>`now() - make_interval(secs => ${confirmEveryMs / 1_000})`)
        .execute();
    },
    [Symbol.asyncDispose]: () => following[Symbol.asyncDispose](),
  };

  async function reread(): Promise<void> {
    const rows = await db.selectFrom("declaration").selectAll().execute();
    const set = await db.selectFrom("declaration_set").select(["digest", "applied_at"]).executeTakeFirst();
    const before = things;
    things = new Map(
      rows.map(({ kind, name, file, withdrawn_at }) => [
        `${kind} ${name}`,
        { kind: kind as DeclaredKind, name, file, withdrawnMs: withdrawn_at?.getTime() },
      ]),
    );
    inForce = set && { digest: set.digest, confirmedMs: set.applied_at.getTime() };
    const withdrawn = [...things].filter(
      ([key, { withdrawnMs }]) => withdrawnMs !== undefined && before.get(key)?.withdrawnMs === undefined,
    );
    if (withdrawn.length > 0) onWithdrawn(withdrawn.map(([, { name }]) => name));
  }
}

const confirmEveryMs = 10_000;

/** In the transaction that makes these kinds what the files say. */
export async function saveOwned(
  trx: Kysely<Tables>,
  kinds: readonly DeclaredKind[],
  things: readonly Pick<OwnedThing, "kind" | "name" | "file">[],
): Promise<void> {
  const text = JSON.stringify(things.map(({ kind, name, file }) => ({ kind, name, file })));
  const wanted = sql`jsonb_to_recordset(${text}::jsonb) as wanted (kind text, name text, file text)`;
  await sql`
    delete from declaration where kind = any(${[...kinds]}::text[])
    and not exists (select from ${wanted} where wanted.kind = declaration.kind and wanted.name = declaration.name)
  `.execute(trx);
  await sql`
    insert into declaration (kind, name, file) select kind, name, file from ${wanted}
    on conflict (kind, name) do update set file = excluded.file, withdrawn_at = null
    where declaration.file <> excluded.file or declaration.withdrawn_at is not null
  `.execute(trx);
}
