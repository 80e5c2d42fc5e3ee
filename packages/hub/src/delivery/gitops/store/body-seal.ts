// Secrets of repositories lie in the database encrypted, each for its own uid: one that was put in another's place can't be
// opened. Other kinds hold no secrets, and lie there as they are.
import type { GitopsKind } from "@fairlead/protocol";
import type { KeySeal } from "../../../platform/pki/index.ts";

export interface BodySeal {
  close(json: string, of: BodyOwner): string;
  /** Throws PKI_KEY_ENCRYPTION_KEY_WRONG, PKI_KEY_ENCRYPTION_KEY_MISSING, PKI_SEALED_KEY_DAMAGED. */
  open(body: string, of: BodyOwner): string;
}

export interface BodyOwner {
  readonly kind: GitopsKind;
  readonly uid: string;
}

export function createBodySeal(seal: KeySeal): BodySeal {
  return {
    close: (json, of) => (isSecret(of) ? seal.close(json, purposeOfBody(of)) : json),
    open: (body, of) => (isSecret(of) ? seal.open(body, purposeOfBody(of)).keyPem : body),
  };
}

function isSecret({ kind }: BodyOwner): boolean {
  return kind === "repositories";
}

function purposeOfBody({ uid }: BodyOwner): string {
  return `gitops-object ${uid}`;
}
