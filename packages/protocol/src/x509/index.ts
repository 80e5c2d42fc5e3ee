export {
  type AgentCertificateRequest,
  type Authority,
  backdatedMs,
  createAuthority,
  type HubCertificateRequest,
  type IssuedCertificate,
  type IssuedServerCertificate,
  loadAuthority,
  type NewAuthority,
  type ServerCertificateRequest,
} from "./authority.ts";
export { type ProvenKey, readCsr } from "./csr.ts";
export {
  type CertificateDescription,
  type CertificateTime,
  certificateTime,
  describeCertificate,
  parseCertificate,
  readHubIdentity,
} from "./describe.ts";
export { type HubName, hubHost, hubUri } from "./hub-name.ts";
export { keyThumbprint } from "./keys.ts";
export { type CertificateRequest, createCsr } from "./make-csr.ts";
export { isTrustDomain, parseSpiffeUri, type SpiffeIdentity, spiffeUri } from "./spiffe.ts";
