// Authorities that the hub was given by files, for one that keeps nothing. It changes nothing in them.
import { readFile } from "node:fs/promises";
import { type Clock, isFairleadError } from "@fairlead/kernel";
import { type Authority, loadAuthority } from "@fairlead/protocol/x509";
import type { AuthorityStore } from "./authority-store.ts";
import { pkiErrors } from "./errors.ts";

export interface GivenFiles {
  readonly current: GivenPair;
  /** The one that follows: agents renew under it. */
  readonly next?: GivenPair | undefined;
}

export interface GivenPair {
  readonly certFile: string;
  readonly keyFile: string;
}

export function createGivenStore({ current, next }: GivenFiles, clock: Clock): AuthorityStore {
  return {
    async read() {
      const leaving = await readPair(current, clock);
      if (next === undefined) return { is: "single", current: leaving };
      const coming = await readPair(next, clock);
      if (coming.fingerprint === leaving.fingerprint) return { is: "single", current: leaving };
      return { is: "overlapping", leaving, coming };
    },
    create: () => Promise.reject(pkiErrors.PKI_GIVEN()),
    addNext: () => Promise.reject(pkiErrors.PKI_GIVEN()),
    takeOver: () => Promise.reject(pkiErrors.PKI_GIVEN()),
  };
}

async function readPair({ certFile, keyFile }: GivenPair, clock: Clock): Promise<Authority> {
  try {
    const [certPem, keyPem] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    return await loadAuthority({ certPem, keyPem, clock });
  } catch (cause) {
    // Other messages of the key reader may quote the key.
    const isCoded = isFairleadError(cause) || (cause instanceof Error && "code" in cause);
    const reason = isFairleadError(cause) ? cause.message : isCoded ? String(cause.code) : "it isn't one";
    throw pkiErrors.PKI_GIVEN_UNUSABLE({ certFile, keyFile, reason: reason.replace(/\.$/, "") });
  }
}
