import type { ClusterIdentity, CreateJoinTokenRequest } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import type { Pki } from "../../platform/pki/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../clusters/index.ts";
import type { IdentityStore } from "./identity-store.ts";

/** A peer that the hub knows: by a certificate that it issued and still stands by, or by the word of a mesh. */
export interface AgentIdentity {
  readonly cluster: string;
  readonly roles: Role[];
  /** Tells agents apart: a hash of the certificate's key, or of the mesh's name for them. */
  readonly keyThumbprint: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** Undefined without a certificate, as `issuer`. */
  readonly serial: string | undefined;
  /** The fingerprint of the authority that signed the certificate. */
  readonly issuer: string | undefined;
}

/** A peer by its certificate. */
export type CertifiedAgent = AgentIdentity & { readonly serial: string; readonly issuer: string };

export interface IssuedJoinToken {
  /** The whole token; shown once, only its hash is kept. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The answer to an enrollment. */
export interface Enrollment {
  readonly cluster: string;
  readonly roles: Role[];
  readonly certificateChainPem: string;
  readonly caPem: string;
  readonly trustDomain: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

export interface EnrollOptions {
  readonly token: string;
  readonly csrDer: Uint8Array;
  readonly roles: readonly Role[];
  /** For the cluster's events. */
  readonly remoteAddress: string;
}

export interface Renewal {
  readonly certificateChainPem: string;
  readonly caPem: string;
  /** Stands for the peer from now on, in its next renewal too. */
  readonly peer: CertifiedAgent;
}

export interface RevokedEvent {
  readonly cluster: string;
  /** Undefined: all of them. */
  readonly roles?: readonly Role[];
}

export interface WantedJoinToken extends CreateJoinTokenRequest {
  readonly cluster: string;
}

export interface Identity extends Disposable {
  createJoinToken(wanted: WantedJoinToken): Promise<IssuedJoinToken>;
  /** Throws ENROLL_*. */
  enroll(options: EnrollOptions): Promise<Enrollment>;
  /** A new certificate for the peer's same cluster and roles, for its same key or another. */
  renew(options: { readonly peer: AgentIdentity; readonly csrDer: Uint8Array }): Promise<Renewal>;
  /** The agent has stored this certificate of its own. */
  confirm(options: { readonly peer: AgentIdentity; readonly serial: string }): Promise<void>;
  /** Lists the agents whose certificates are good now. */
  listHolders(): Promise<CertificateHolder[]>;
  /** Throws IDENTITY_UNKNOWN, IDENTITY_REVOKED, IDENTITY_EXPIRED or IDENTITY_NOT_YET_VALID. */
  authenticatePeer(certDer: Uint8Array): Promise<CertifiedAgent>;
  /** Lists an identity per key, newest first. */
  list(cluster: string): Promise<ClusterIdentity[]>;
  /** Roles of the identities that are good now, by cluster. */
  listRoles(): Promise<ReadonlyMap<string, Role[]>>;
  /** Whether the cluster has or had an agent for it, of those that weren't revoked since. */
  hasHadRole(cluster: string, role: Role): Promise<boolean>;
  /** All clusters of which that is true. */
  listHavingHadRole(role: Role): Promise<ReadonlySet<string>>;
  /** The room that holds links cuts them then. Returns the way to stop listening. */
  onRevoked(listener: (event: RevokedEvent) => void): () => void;
}

/** An agent, by what it may go by. */
export interface CertificateHolder {
  readonly cluster: string;
  readonly roles: readonly Role[];
  readonly keyThumbprint: string;
  /** Fingerprints of the authorities that signed its certificates; an empty one for an authority that isn't known. */
  readonly issuers: ReadonlySet<string>;
}

/** The steps of this room share this. */
export interface IdentityContext {
  readonly db: Kysely<Tables>;
  readonly identities: IdentityStore;
  readonly pki: Pki;
  readonly clusters: Clusters;
  readonly clock: Clock;
  /** Life of an agent's certificate. */
  readonly certificateTtlMs: number;
  /** Undefined where nothing is declared by files. */
  readonly declared?: DeclaredGuard | undefined;
}
