import { isDnsLabel } from "@fairlead/kernel";
import { isRole, type Role } from "../roles.ts";
import { x509Errors } from "./errors.ts";

/** The holder that a certificate vouches for: a role of a cluster's agent. */
export interface SpiffeIdentity {
  readonly trustDomain: string;
  readonly cluster: string;
  readonly role: Role;
}

/** Throws PKI_NAME_INVALID: a name with a slash in it could look like somebody else's. */
export function spiffeUri(identity: SpiffeIdentity): string {
  const uri = `spiffe://${identity.trustDomain}/cluster/${identity.cluster}/role/${identity.role}`;
  if (parseSpiffeUri(uri)?.cluster !== identity.cluster) {
    throw x509Errors.PKI_NAME_INVALID({ name: JSON.stringify(identity.cluster) });
  }
  return uri;
}

/** Undefined unless the text is exactly what `spiffeUri` writes: no other path, port, query, case or escape. */
export function parseSpiffeUri(uri: string): SpiffeIdentity | undefined {
  const match = /^spiffe:\/\/([^/]+)\/cluster\/([^/]+)\/role\/([^/]+)$/.exec(uri);
  if (!match) return undefined;
  const [, trustDomain = "", cluster = "", role = ""] = match;
  if (!isTrustDomain(trustDomain) || !isDnsLabel(cluster) || !isRole(role)) return undefined;
  return { trustDomain, cluster, role };
}

/** Dot-separated DNS labels, as the SPIFFE standard narrows them for us. */
export function isTrustDomain(name: string): boolean {
  return name.length <= 253 && name.split(".").every(isDnsLabel);
}
