import type { AgentCertificateRequest, IssuedCertificate, IssuedServerCertificate } from "@fairlead/protocol/x509";

export interface Pki {
  /** Certificate of the hub's own CA, PEM. */
  readonly caPem: string;
  /** SHA-256 of that certificate (DER), hex; travels inside join tokens. */
  readonly caFingerprint: string;
  readonly trustDomain: string;
  issueAgent(request: Omit<AgentCertificateRequest, "trustDomain">): Promise<IssuedCertificate>;
  /** Names are DNS names and IP addresses; loopback's are always added. */
  issueServer(request: {
    readonly names: readonly string[];
    readonly ttlMs?: number;
  }): Promise<IssuedServerCertificate>;
}

/** A listener's certificate that is replaced in time. */
export interface ServerCertificate extends Disposable {
  /** Key and chain, as `tls.createServer` and `setSecureContext` take them. */
  current(): IssuedServerCertificate;
}
