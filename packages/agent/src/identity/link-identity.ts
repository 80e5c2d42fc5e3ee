import type { FairleadError } from "@fairlead/kernel";
import type { IssuedIdentity } from "./storage.ts";

/** The credentials that a link begins with. */
export type LinkIdentity = IssuedIdentity | MeshIdentity;

export interface MeshIdentity {
  readonly vouchedBy: "mesh";
  /** Empty until the hub has said it. */
  readonly cluster: string;
  /** The roles that the agent runs. The hub refuses roles that it didn't give. */
  readonly roles: readonly string[];
}

/** The part of an identity's keeper that links need. */
export interface LinkIdentityKeeper {
  /** The identity to connect with. */
  ensure(options?: { readonly signal?: AbortSignal | undefined }): Promise<LinkIdentity>;
  readonly current: LinkIdentity | undefined;
  /** IDENTITY_ROLES_MISSING when more roles were asked for than the current identity is for. */
  readonly shortfall: FairleadError | undefined;
  /** The hub said that the current identity isn't good any more. */
  reject(error: FairleadError): void;
  /** True when a token other than the spent one is there by now. */
  hasNewToken(): Promise<boolean>;
}
