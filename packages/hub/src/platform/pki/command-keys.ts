// The keys by which agents know that a command is these hubs'. They are in the database, so that all hubs on it sign by the
// same one. A key is given out for a while before it signs, and for a while after: agents hear of keys when they link,
// enroll and renew.
import { generateKeyPairSync } from "node:crypto";
import { type Clock, createTurns } from "@fairlead/kernel";
import { CompactSign, calculateJwkThumbprint, exportJWK } from "jose";
import type { Kysely } from "kysely";
import type { Changes } from "../changes/index.ts";
import type { Tables } from "../store/index.ts";
import { createCommandKeyStore, type KeptKey, type NewKey } from "./command-key-store.ts";
import { pkiErrors } from "./errors.ts";
import type { KeySeal } from "./key-seal.ts";

export interface CommandKeys extends AsyncDisposable {
  /** All that are given out now, the one that signs first. */
  list(): readonly PublishedKey[];
  /** As JWS in compact form (RFC 7515), with `type` in its header. */
  sign(payload: string, type: string): Promise<string>;
  /** Makes a key that follows the one that signs. Throws PKI_COMMAND_KEY_COMING. */
  rotate(): Promise<void>;
}

export interface PublishedKey {
  /** RFC 7638. */
  readonly id: string;
  readonly publicJwk: string;
  readonly signsFrom: Date;
  /** Undefined: until another one follows. */
  readonly endsAt: Date | undefined;
}

export async function openCommandKeys(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit" | "follow">;
  readonly seal: KeySeal;
  /** The database is this hub's alone, so a key may lie there as it is. */
  readonly isOwnDatabase: boolean;
  /** All agents hear of a key within this. */
  readonly spreadMs: number;
  readonly clock: Clock;
}): Promise<CommandKeys | undefined> {
  const { db, changes, seal, isOwnDatabase, spreadMs, clock } = options;
  if (seal.keyIds.length === 0 && !isOwnDatabase) return undefined;
  const store = createCommandKeyStore({ db, changes, seal, isOwnDatabase });
  let keys: readonly KeptKey[] = [];
  const inTurn = createTurns();
  await read();
  if (keys.length === 0) {
    await store.addFirst(await makeKey(clock.now()));
    await read();
  }
  const following = changes.follow("command-keys", read);

  return {
    list: () => toOrder(listCurrent(keys, clock.now()), clock.now()),
    async sign(payload, type) {
      const key = toOrder(keys, clock.now())[0] as KeptKey;
      return await new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: "EdDSA", kid: key.id, typ: type })
        .sign(key.privateKey);
    },
    async rotate() {
      const nowMs = clock.now();
      const coming = await makeKey(nowMs + spreadMs);
      const before = await store.add(coming, { endsAt: new Date(nowMs + 2 * spreadMs), now: new Date(nowMs) });
      if (before) throw pkiErrors.PKI_COMMAND_KEY_COMING({ signsFrom: before.toISOString() });
      await read();
    },
    async [Symbol.asyncDispose]() {
      await following[Symbol.asyncDispose]();
    },
  };

  /** Reads in turn, so that an older reading never replaces a newer one. */
  function read(): Promise<void> {
    return inTurn(async () => {
      keys = await store.read(keys);
    });
  }
}

function listCurrent(keys: readonly KeptKey[], nowMs: number): readonly KeptKey[] {
  return keys.filter(({ endsAt }) => endsAt === undefined || endsAt.getTime() > nowMs);
}

/** The one that signs is the newest of those whose time has come. */
function toOrder(keys: readonly KeptKey[], nowMs: number): readonly KeptKey[] {
  const newestFirst = keys.toSorted((one, other) => other.signsFrom.getTime() - one.signsFrom.getTime());
  const signing = newestFirst.find(({ signsFrom }) => signsFrom.getTime() <= nowMs) ?? newestFirst.at(-1);
  return [...newestFirst.filter((key) => key === signing), ...newestFirst.filter((key) => key !== signing)];
}

async function makeKey(signsFromMs: number): Promise<NewKey> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = { ...(await exportJWK(publicKey)), alg: "EdDSA", use: "sig" };
  const id = await calculateJwkThumbprint(jwk);
  return {
    id,
    publicJwk: JSON.stringify({ ...jwk, kid: id }),
    signsFrom: new Date(signsFromMs),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
