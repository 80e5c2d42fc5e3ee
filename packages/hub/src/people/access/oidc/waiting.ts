// Keeps something until its owner comes back with its key: once, at whichever hub, within its time, and never more than
// there is room for. The key is a secret that only the owner has. The database has its hash, and the value encrypted by a
// key made of that secret: who reads the database can't finish anybody's sign-in.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type Clock, createSecret } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { hashToken } from "../tokens/index.ts";

export interface Waiting<T> {
  /** Returns the key, a secret of 256 bits. */
  put(value: T, plain?: PlainFacts): Promise<string>;
  /** Only the first who comes gets it. */
  take(key: string): Promise<T | undefined>;
  /**
   * For who asks again and again. Undefined when it isn't there; `isDue` for one caller at a time: until `due` is called
   * nobody else's turn comes for a while.
   */
  peek(key: string): Promise<Turn<T> | undefined>;
  /** When the next turn may be. */
  due(key: string, next: { readonly atMs: number; readonly intervalMs: number }): Promise<void>;
}

/** Kept as they are. */
export interface PlainFacts {
  /** The provider that it is of. */
  readonly issuer?: string;
  readonly subject?: string;
  readonly sid?: string | undefined;
  /** Sooner than others. */
  readonly endsMs?: number;
  readonly intervalMs?: number;
  readonly nextMs?: number;
}

export type Turn<T> = { readonly intervalMs: number } & (
  | { readonly isDue: true; readonly value: T }
  | { readonly isDue: false }
);

export function createWaiting<T>(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly kind: "flow" | "code" | "device";
  readonly ttlMs: number;
  readonly max?: number;
}): Waiting<T> {
  const { db, clock, kind, ttlMs, max = 50_000 } = options;

  return {
    async put(value, { issuer = null, subject = null, sid = null, endsMs, intervalMs = null, nextMs } = {}) {
      const key = createSecret();
      const now = clock.now();
      await db
        .insertInto("oidc_waiting")
        .values({
          secret_sha256: hashToken(key),
          kind,
          sealed: seal(key, JSON.stringify(value)),
          ends_at: new Date(endsMs ?? now + ttlMs),
          issuer,
          subject,
          sid,
          interval_ms: intervalMs,
          next_at: nextMs === undefined ? null : new Date(nextMs),
        })
        .execute();
      await makeRoom(new Date(now));
      return key;
    },

    async take(key) {
      const row = await db
        .deleteFrom("oidc_waiting")
        .where("secret_sha256", "=", hashToken(key))
        .where("kind", "=", kind)
        .returning(["sealed", "ends_at"])
        .executeTakeFirst();
      if (!row || row.ends_at.getTime() <= clock.now()) return undefined;
      return JSON.parse(unseal(key, row.sealed)) as T;
    },

    async peek(key) {
      const now = clock.now();
      const secret_sha256 = hashToken(key);
      const row = await db
        .selectFrom("oidc_waiting")
        .select(["sealed", "interval_ms"])
        .where("secret_sha256", "=", secret_sha256)
        .where("kind", "=", kind)
        .where("ends_at", ">", new Date(now))
        .executeTakeFirst();
      if (!row) return undefined;
      const { numUpdatedRows } = await db
        .updateTable("oidc_waiting")
        .set({ next_at: new Date(now + turnMs) })
        .where("secret_sha256", "=", secret_sha256)
        .where("next_at", "<=", new Date(now))
        .executeTakeFirst();
      const intervalMs = row.interval_ms ?? 0;
      if (numUpdatedRows === 0n) return { isDue: false, intervalMs };
      return { isDue: true, intervalMs, value: JSON.parse(unseal(key, row.sealed)) as T };
    },

    async due(key, { atMs, intervalMs }) {
      await db
        .updateTable("oidc_waiting")
        .set({ next_at: new Date(atMs), interval_ms: intervalMs })
        .where("secret_sha256", "=", hashToken(key))
        .execute();
    },
  };

  /**
   * Each new sign-in removes ended ones, and the oldest when there are too many. An attacker who fills the table must
   * begin them all anew while others sign in, rather than once, to keep them out.
   */
  async function makeRoom(now: Date): Promise<void> {
    const mine = db
      .selectFrom("oidc_waiting")
      .select("secret_sha256")
      .where("kind", "=", kind)
      .limit(sweptAtOnce)
      .forUpdate()
      .skipLocked();
    const over = mine.where("ends_at", "<=", now).orderBy("ends_at");
    const tooMany = mine.orderBy("ends_at", "desc").offset(max);
    for (const each of [over, tooMany])
      await db.deleteFrom("oidc_waiting").where("secret_sha256", "in", each).execute();
  }
}

function seal(secret: string, text: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", toKey(secret), iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function unseal(secret: string, sealed: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", toKey(secret), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
}

/** Another way to derive than the hash that the database has. */
function toKey(secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "fairlead oidc waiting", 32));
}

const ivBytes = 12;
const tagBytes = 16;
/** Two rows for each that comes would do. */
const sweptAtOnce = 20;
/** Longer than the provider may take to answer. */
const turnMs = 30_000;
