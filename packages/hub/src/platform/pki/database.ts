// The authorities of hubs that share a database. Each change is one transaction that looks whether what it replaces is still
// there, so that of two hubs one wins, and that tells the others. Keys are there only encrypted: once by each key encryption
// key that some hub goes by, so that hubs may be given another one by one.
import type { Clock } from "@fairlead/kernel";
import { type Authority, loadAuthority, type NewAuthority } from "@fairlead/protocol/x509";
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../store/index.ts";
import type { AuthorityStore } from "./authority-store.ts";
import { pkiErrors } from "./errors.ts";
import { type KeySeal, purposeOf } from "./key-seal.ts";
import type { SharedDatabase } from "./types.ts";

export interface DatabaseStore extends AuthorityStore {
  /** Takes what a folder held, the authority and then the coming one, when there is none here. */
  adopt(authorities: readonly NewAuthority[]): Promise<boolean>;
  /** Each of them is, or was, an authority of these hubs. */
  knows(fingerprints: readonly string[]): Promise<boolean>;
  /** Notes which key encryption key follows which, and removes what was encrypted by those that nobody should need. */
  settleKeys(): Promise<void>;
}

export function createDatabaseStore({ shared, seal, clock }: Options): DatabaseStore {
  const { db, changes } = shared;
  const [keyId = "", previousKeyId] = seal.keyIds;
  /** Read once: their keys needn't be opened again, which other hubs may have encrypted anew meanwhile. */
  let loaded: ReadonlyMap<string, Authority> = new Map();

  return {
    async read() {
      const rows = await readRows(db);
      loaded = new Map(await Promise.all(rows.map(async (row) => [row.fingerprint, await load(row)] as const)));
      const [current, coming] = ["current", "coming"].map((state) => rows.find((row) => row.state === state));
      if (rows.length === 0) return undefined;
      const [leaving, next] = [current, coming].map((row) => row && loaded.get(row.fingerprint));
      if (leaving === undefined) throw pkiErrors.PKI_UNREADABLE({ place });
      return next === undefined ? { is: "single", current: leaving } : { is: "overlapping", leaving, coming: next };
    },

    create: (current) =>
      change(async (trx) => {
        await assertNoAgents(trx);
        await insert(trx, "current", current);
      }),

    adopt: ([current, coming]) =>
      change(async (trx) => {
        if (current !== undefined) await insert(trx, "current", current);
        if (coming !== undefined) await insert(trx, "coming", coming);
      }),

    addNext: ({ current }, coming) =>
      change(async (trx) => {
        await hold(trx, { fingerprint: current.fingerprint, state: "current" });
        await insert(trx, "coming", coming);
      }),

    takeOver: ({ leaving, coming }) =>
      change(async (trx) => {
        await hold(trx, { fingerprint: leaving.fingerprint, state: "current" });
        await hold(trx, { fingerprint: coming.fingerprint, state: "coming" });
        await trx.deleteFrom("authority_key").where("authority", "=", leaving.fingerprint).execute();
        for (const [{ fingerprint }, state] of [[leaving, "retired"] as const, [coming, "current"] as const]) {
          await trx.updateTable("authority").set({ state }).where("fingerprint", "=", fingerprint).execute();
        }
      }),

    follow: (reread) => changes.follow("authority", reread),

    async knows(fingerprints) {
      const rows = await db
        .selectFrom("authority")
        .select("fingerprint")
        .where("fingerprint", "in", fingerprints)
        .execute();
      return rows.length === new Set(fingerprints).size;
    },

    async settleKeys() {
      if (previousKeyId === undefined) {
        const own = db.selectFrom("authority_key").select("authority").where("key_id", "=", keyId);
        await db.deleteFrom("authority_key").where("replaced_by", "=", keyId).where("authority", "in", own).execute();
        return;
      }
      for (const [id, replacedBy] of [[keyId, null] as const, [previousKeyId, keyId] as const]) {
        await db.updateTable("authority_key").set({ replaced_by: replacedBy }).where("key_id", "=", id).execute();
      }
    },
  };

  async function load({ fingerprint, certificate_pem: certPem, keys }: Row): Promise<Authority> {
    const known = loaded.get(fingerprint);
    if (known !== undefined) return known;
    if (keys.length === 0) throw pkiErrors.PKI_UNREADABLE({ place });
    const key = seal.keyIds.flatMap((id) => keys.find(({ key_id }) => key_id === id) ?? [])[0];
    if (key === undefined) {
      const ids = keys.map(({ key_id }) => key_id).join(", ");
      throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_WRONG({ keyId: ids, given: seal.keyIds.join(", ") });
    }
    const { keyPem } = seal.open(key.sealed_key, purposeOf(certPem));
    const authority = await loadAuthority({ certPem, keyPem, clock });
    if (key.key_id !== keyId) await sealAnew({ ...authority, keyPem });
    return authority;
  }

  /** Other hubs may have only the key until now, so what that encrypted stays beside it. */
  async function sealAnew(authority: NewAuthority): Promise<void> {
    const { fingerprint } = authority;
    await changes.commit("authority", async (trx) => {
      const there = await trx
        .selectFrom("authority")
        .where("fingerprint", "=", fingerprint)
        .where("state", "<>", "retired")
        .select("fingerprint")
        .forUpdate()
        .execute();
      if (there.length > 0) await insertKeys(trx, authority);
    });
  }

  async function insert(trx: Transaction<Tables>, state: "current" | "coming", authority: NewAuthority): Promise<void> {
    const { fingerprint, caPem } = authority;
    const inserted = await trx
      .insertInto("authority")
      .values({ fingerprint, state, certificate_pem: caPem })
      .onConflict((conflict) => conflict.doNothing())
      .returning("fingerprint")
      .execute();
    if (inserted.length === 0) throw beaten;
    await insertKeys(trx, authority);
  }

  async function insertKeys(trx: Transaction<Tables>, { fingerprint, caPem, keyPem }: NewAuthority): Promise<void> {
    const rows = seal.keyIds.map((id) => ({
      authority: fingerprint,
      key_id: id,
      sealed_key: seal.close(keyPem, purposeOf(caPem), id),
      replaced_by: id === keyId ? null : keyId,
    }));
    await trx
      .insertInto("authority_key")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["authority", "key_id"])
          .doUpdateSet((eb) => ({ replaced_by: eb.ref("excluded.replaced_by") })),
      )
      .execute();
  }

  async function change(run: (trx: Transaction<Tables>) => Promise<void>): Promise<boolean> {
    try {
      await changes.commit("authority", run);
      return true;
    } catch (error) {
      if (error === beaten) return false;
      throw error;
    }
  }

  /** Theirs must be another authority, as there is none here: they would all have to enroll again. */
  async function assertNoAgents(trx: Transaction<Tables>): Promise<void> {
    const now = new Date(clock.now());
    const agent = await trx.selectFrom("identity").select("cluster").where("not_after", ">", now).executeTakeFirst();
    if (agent === undefined) return;
    throw pkiErrors.PKI_AUTHORITY_ELSEWHERE({ sign: `agents use one, such as the agent of ${agent.cluster}` });
  }
}

interface Options {
  readonly shared: SharedDatabase;
  readonly seal: KeySeal;
  readonly clock: Clock;
}

interface Row {
  readonly fingerprint: string;
  readonly state: string;
  readonly certificate_pem: string;
  readonly keys: readonly { readonly key_id: string; readonly sealed_key: string }[];
}

/** A single statement, so that everything is of one moment. */
async function readRows(db: Kysely<Tables>): Promise<readonly Row[]> {
  const rows = await db
    .selectFrom("authority")
    .leftJoin("authority_key", "authority_key.authority", "authority.fingerprint")
    .where("state", "<>", "retired")
    .select(["fingerprint", "state", "certificate_pem", "key_id", "sealed_key"])
    .execute();
  return [...Map.groupBy(rows, ({ fingerprint }) => fingerprint).values()].flatMap((keys) => {
    const [first] = keys;
    const held = keys.flatMap(({ key_id, sealed_key }) => (key_id && sealed_key ? [{ key_id, sealed_key }] : []));
    return first === undefined ? [] : [{ ...first, keys: held }];
  });
}

/** Throws `beaten` unless it is as said, and keeps it so until the transaction ends. */
async function hold(
  trx: Transaction<Tables>,
  { fingerprint, state }: { readonly fingerprint: string; readonly state: "current" | "coming" },
): Promise<void> {
  const held = await trx
    .selectFrom("authority")
    .where("fingerprint", "=", fingerprint)
    .where("state", "=", state)
    .select("fingerprint")
    .forUpdate()
    .execute();
  if (held.length === 0) throw beaten;
}

/** Rolls a transaction back whose hub came second. */
const beaten = new Error("another hub was first");
const place = "the database";
