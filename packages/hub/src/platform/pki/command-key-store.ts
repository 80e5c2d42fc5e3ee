// The keys of commands in the database, encrypted as the certificate authority's key is: once by each key encryption key
// that some hub still goes by.
import type { KeyObject } from "node:crypto";
import { createPrivateKey } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Changes } from "../changes/index.ts";
import type { Tables } from "../store/index.ts";
import { pkiErrors } from "./errors.ts";
import type { KeySeal } from "./key-seal.ts";

export interface KeptKey {
  readonly id: string;
  readonly publicJwk: string;
  readonly signsFrom: Date;
  readonly endsAt: Date | undefined;
  readonly privateKey: KeyObject;
}

export interface NewKey extends Pick<KeptKey, "id" | "publicJwk" | "signsFrom"> {
  readonly keyPem: string;
}

export interface CommandKeyStore {
  /** Those that were read before needn't be opened again. */
  read(known: readonly KeptKey[]): Promise<readonly KeptKey[]>;
  /** Does nothing where another hub was first. */
  addFirst(key: NewKey): Promise<void>;
  /** Ends the others. Does nothing where a key doesn't sign yet, and gives its time. */
  add(key: NewKey, times: { readonly endsAt: Date; readonly now: Date }): Promise<Date | undefined>;
}

export function createCommandKeyStore(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit">;
  readonly seal: KeySeal;
  readonly isOwnDatabase: boolean;
}): CommandKeyStore {
  const { db, changes, seal, isOwnDatabase } = options;
  const [keyId = "", previousKeyId] = seal.keyIds;

  return {
    async read(known) {
      const rows = await db.selectFrom("command_key").selectAll().execute();
      const seals = await db.selectFrom("command_key_seal").selectAll().execute();
      const keys: KeptKey[] = [];
      for (const { id, public_jwk: publicJwk, signs_from: signsFrom, ends_at } of rows) {
        const own = seals.filter(({ key }) => key === id);
        const privateKey = known.find((key) => key.id === id)?.privateKey ?? (await open(id, own));
        if (privateKey) keys.push({ id, publicJwk, signsFrom, endsAt: ends_at ?? undefined, privateKey });
      }
      return keys;
    },

    addFirst: (key) =>
      change(async (trx) => {
        const there = await trx.selectFrom("command_key").select("id").limit(1).execute();
        if (there.length === 0) await insert(trx, key);
      }),

    add: (key, { endsAt, now }) =>
      change(async (trx) => {
        const coming = await trx
          .selectFrom("command_key")
          .select("signs_from")
          .where("signs_from", ">", now)
          .executeTakeFirst();
        if (coming) return coming.signs_from;
        await trx.deleteFrom("command_key").where("ends_at", "<", now).execute();
        await trx.updateTable("command_key").set({ ends_at: endsAt }).where("ends_at", "is", null).execute();
        await insert(trx, key);
        return undefined;
      }),
  };

  async function open(id: string, seals: readonly SealRow[]): Promise<KeyObject | undefined> {
    // Everybody who could read the database had this key, so it can't be trusted any more.
    if (!isOwnDatabase && seals.some(({ key_id }) => key_id === "")) {
      await change((trx) => trx.deleteFrom("command_key").where("id", "=", id).execute());
      return undefined;
    }
    const found = [...seal.keyIds, ""].flatMap((each) => seals.find(({ key_id }) => key_id === each) ?? [])[0];
    if (found === undefined) {
      const ids = seals.map(({ key_id }) => key_id).join(", ");
      throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_WRONG({ keyId: ids, given: seal.keyIds.join(", ") });
    }
    const { keyPem } = seal.open(found.sealed_key, purposeOfKey(id));
    if (found.key_id !== keyId) await change((trx) => insertSeals(trx, id, keyPem));
    await settle(id, seals);
    return createPrivateKey(keyPem);
  }

  async function insert(trx: Transaction<Tables>, { id, publicJwk, signsFrom, keyPem }: NewKey): Promise<void> {
    const row = { id, public_jwk: publicJwk, signs_from: signsFrom, ends_at: null };
    await trx.insertInto("command_key").values(row).execute();
    await insertSeals(trx, id, keyPem);
  }

  /** Other hubs may have only the key encryption key until now, so what that encrypted stays beside it. */
  async function insertSeals(trx: Transaction<Tables>, id: string, keyPem: string): Promise<void> {
    const ids = seal.keyIds.length === 0 ? [""] : seal.keyIds;
    const rows = ids.map((each) => ({
      key: id,
      key_id: each,
      replaced_by: each === keyId ? null : keyId,
      sealed_key: each === "" ? keyPem : seal.close(keyPem, purposeOfKey(id), each),
    }));
    await trx
      .insertInto("command_key_seal")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["key", "key_id"]).doUpdateSet((eb) => ({ replaced_by: eb.ref("excluded.replaced_by") })),
      )
      .execute();
  }

  /** Removes what was encrypted by a key that nobody should need any more, or wasn't. */
  async function settle(id: string, seals: readonly SealRow[]): Promise<void> {
    if (keyId === "" || previousKeyId !== undefined) return;
    const isOver = ({ key_id, replaced_by }: SealRow): boolean => key_id === "" || replaced_by === keyId;
    const over = seals.filter(isOver).map(({ key_id }) => key_id);
    if (over.length === 0) return;
    await db.deleteFrom("command_key_seal").where("key", "=", id).where("key_id", "in", over).execute();
  }

  function change<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return changes.commit("command-keys", async (trx) => {
      await sql`lock table command_key in share row exclusive mode`.execute(trx);
      return await work(trx);
    });
  }
}

type SealRow = Tables["command_key_seal"];

/** A key is sealed for its own id: one that was put in another's place can't be opened. */
function purposeOfKey(id: string): string {
  return `command-key ${id}`;
}
