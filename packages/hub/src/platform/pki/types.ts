import type { X509Certificate } from "node:crypto";
import type { AgentCertificateRequest, IssuedCertificate, IssuedServerCertificate } from "@fairlead/protocol/x509";
import type { Kysely } from "kysely";
import type { Changes } from "../changes/index.ts";
import type { Tables } from "../store/index.ts";
import type { Rollover } from "./rollover-state.ts";

/** For hubs that have one authority together. */
export interface SharedDatabase {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit" | "follow">;
}

/** Ends when it is disposed of: it doesn't follow other hubs any more. */
export interface Pki extends AsyncDisposable {
  /** Certificates of the hub's own CAs, PEM: one, or two while one follows another. The one that is shown comes first. */
  readonly caPem: string;
  /** SHA-256 of the CA's certificate (DER) whose chain the listeners show, hex; travels inside join tokens. */
  readonly caFingerprint: string;
  /** Fingerprints of all in `caPem`, in its order. */
  readonly caFingerprints: readonly string[];
  readonly trustDomain: string;
  readonly rollover: Rollover;
  /** The fingerprint of the CA, one of those trusted now, that signed the certificate; undefined when none did. */
  issuerOf(certificate: X509Certificate): string | undefined;
  issueAgent(request: Omit<AgentCertificateRequest, "trustDomain">): Promise<AgentCertificate>;
  /** Names are DNS names and IP addresses; loopback's are always added. */
  issueServer(request: {
    readonly names: readonly string[];
    readonly ttlMs?: number;
  }): Promise<IssuedServerCertificate>;
  /**
   * A key and certificate by which this hub is known to the others, as client and as server; they are kept nowhere. Like a
   * listener's it is to be issued again in time, and when the hub's CA changes.
   */
  issueHub(request: { readonly id: string; readonly ttlMs?: number }): Promise<IssuedServerCertificate>;
  /** The id of the hub whose certificate this is; undefined unless one of the CAs that are trusted now signed it for one. */
  hubOf(certificate: X509Certificate): string | undefined;
  /** Makes a new CA beside the one there is; once this resolves it is kept, and the listeners take its certificates. */
  rotate(): Promise<void>;
  /** From now on only the new CA is trusted and shown. */
  retire(): Promise<void>;
  /** Takes over what other hubs have changed until now, rather than within a second. */
  refresh(): Promise<void>;
  /** Called for changes by other hubs, too. The listener has done its part when its promise resolves. Returns the way to stop listening. */
  onChanged(listener: () => Promise<void>): () => void;
}

export interface AgentCertificate extends IssuedCertificate {
  /** The fingerprint of the CA that signed it. */
  readonly issuer: string;
}

/** A listener's certificate that is replaced in time. */
export interface ServerCertificate extends Disposable {
  /** Key and chain, as `tls.createServer` and `setSecureContext` take them. */
  current(): IssuedServerCertificate;
}
