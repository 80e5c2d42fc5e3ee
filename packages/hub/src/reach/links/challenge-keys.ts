// The keys by which a challenge is known as one that a hub on this database gave out: random, made by the first hub
// that needs one, another each day. Somebody who reads the database learns the key of today. When the day of a
// challenge is over, its key is good for nothing.
import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface ChallengeKeys {
  /** For challenges given out at this time, milliseconds since the epoch. */
  of(issuedAt: number): Promise<Uint8Array>;
}

export function createChallengeKeys(db: Kysely<Tables>): ChallengeKeys {
  const byDay = new Map<number, Promise<Uint8Array>>();
  return {
    of(issuedAt) {
      const day = Math.floor(issuedAt / dayMs);
      const known = byDay.get(day);
      if (known !== undefined) return known;
      for (const old of byDay.keys()) if (Math.abs(old - day) > 1) byDay.delete(old);
      const key = load(db, day);
      byDay.set(day, key);
      key.catch(() => byDay.delete(day));
      return key;
    },
  };
}

async function load(db: Kysely<Tables>, day: number): Promise<Uint8Array> {
  const find = db.selectFrom("link_challenge_key").select("secret").where("day", "=", day);
  const found = await find.executeTakeFirst();
  if (found) return found.secret;
  await db
    .insertInto("link_challenge_key")
    .values({ day, secret: randomBytes(32) })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute();
  // A hub whose clock is wrong must not take the others' key away.
  await db
    .deleteFrom("link_challenge_key")
    .where("day", "<", day - keptDays)
    .execute();
  return (await find.executeTakeFirstOrThrow()).secret;
}

const dayMs = 24 * 60 * 60_000;
const keptDays = 7;
