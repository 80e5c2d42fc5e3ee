// Who may use the hub: for now one admin with a bearer token, made at the first start and shown once.
import { createHash, timingSafeEqual } from "node:crypto";
import { type Clock, createId, createSecret, systemClock, tokenPrefixes } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import { authInvalid, authRequired } from "./errors.ts";
import type { Access, Principal } from "./types.ts";

export async function openAccess(options: {
  readonly db: Kysely<Tables>;
  readonly clock?: Clock | undefined;
}): Promise<Access> {
  const { db, clock = systemClock } = options;
  const firstAdminToken = await createFirstToken(db, new Date(clock.now()));
  const rows = await db.selectFrom("admin_token").select(["name", "secret_sha256"]).execute();
  const known = rows.map((row) => ({
    hash: Buffer.from(row.secret_sha256, "hex"),
    principal: { name: row.name, admin: true } as const,
  }));

  return {
    ...(firstAdminToken === undefined ? {} : { firstAdminToken }),
    authenticate(authorization) {
      const principal = findPrincipal(known, hashToken(readBearerToken(authorization)));
      if (!principal) throw authInvalid();
      return principal;
    },
  };
}

/** In one transaction with the look for older ones, so that two hubs on one database don't both make one. */
async function createFirstToken(db: Kysely<Tables>, now: Date): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    const existing = await trx.selectFrom("admin_token").select("id").limit(1).executeTakeFirst();
    if (existing) return undefined;
    const token = tokenPrefixes.admin + createSecret();
    const row = {
      id: createId("adm"),
      name: "admin",
      secret_sha256: hashToken(token).toString("hex"),
      created_at: now,
    };
    await trx.insertInto("admin_token").values(row).execute();
    return token;
  });
}

function readBearerToken(authorization: string | undefined): string {
  const match = /^bearer +([\w-]{1,256})$/i.exec(authorization?.trim() ?? "");
  if (match?.[1] !== undefined) return match[1];
  throw authorization ? authInvalid() : authRequired();
}

/** A plain hash is enough for 256 random bits: there is nothing to guess, and it costs microseconds. */
function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function findPrincipal(known: readonly Known[], hash: Buffer): Principal | undefined {
  // Looks at all of them, so that the time tells nothing.
  let found: Principal | undefined;
  for (const one of known) if (timingSafeEqual(one.hash, hash)) found = one.principal;
  return found;
}

interface Known {
  readonly hash: Buffer;
  readonly principal: Principal;
}
