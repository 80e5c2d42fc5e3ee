import { isDnsLabel } from "@fairlead/kernel";
import { isRole, type Role } from "../roles.ts";

/** The holder that a certificate vouches for: a role of a cluster's agent. */
export interface SpiffeIdentity {
  readonly trustDomain: string;
  readonly cluster: string;
  readonly role: Role;
}

export function spiffeUri(identity: SpiffeIdentity): string {
  return `spiffe://${identity.trustDomain}/cluster/${identity.cluster}/role/${identity.role}`;
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
