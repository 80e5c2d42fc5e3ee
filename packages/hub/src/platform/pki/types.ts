import type { X509Certificate } from "node:crypto";
import type { AgentCertificateRequest, IssuedCertificate, IssuedServerCertificate } from "@fairlead/protocol/x509";
import type { Rollover } from "./rollover-state.ts";

export interface Pki {
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
  /** Makes a new CA beside the one there is; once this resolves it is on disk, and the listeners take its certificates. */
  rotate(): Promise<void>;
  /** From now on only the new CA is trusted and shown. */
  retire(): Promise<void>;
  /** The listener has done its part when its promise resolves. Returns the way to stop listening. */
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
