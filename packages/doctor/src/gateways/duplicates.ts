import type { GatewayPreference } from "../profiles/index.ts";
import type { Gateway, Listener } from "./gateway.ts";

/** A host and port that several gateways claim: by DNS alone nobody can tell which one serves it. */
export interface Duplicate {
  readonly host: string;
  readonly port: number;
  readonly claims: readonly Claim[];
  /** The id of the gateway that people chose. */
  readonly preferred?: string;
}

export interface Claim {
  readonly gateway: Gateway;
  readonly listener: Listener;
}

export function findDuplicates(
  gateways: readonly Gateway[],
  preferences: readonly GatewayPreference[] = [],
): Duplicate[] {
  return [...groupClaims(gateways).values()].flatMap((group) => {
    const claims = findRivals(group);
    const [first] = claims;
    if (!first) return [];
    const { host, port } = first.listener;
    const preferred = preferences.find(
      (each) => each.host === host && each.port === port && claims.some(({ gateway }) => gateway.id === each.gateway),
    )?.gateway;
    return [{ host, port, claims, ...(preferred !== undefined && { preferred }) }];
  });
}

/** By host and port, in the order of both. */
function groupClaims(gateways: readonly Gateway[]): Map<string, Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const gateway of gateways) {
    for (const listener of gateway.listeners) {
      const key = keyOf(listener);
      const group = groups.get(key);
      if (group) group.push({ gateway, listener });
      else groups.set(key, [{ gateway, listener }]);
    }
  }
  return new Map([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const keyOf = ({ host, port }: { readonly host: string; readonly port: number }): string => `${host}:${port}`;

/** Keeps one claim for each gateway with a rival. Ingresses of one class may share a proxy and a host, but no path. */
function findRivals(group: readonly Claim[]): Claim[] {
  const claims = [...new Map(group.map((claim) => [claim.gateway.id, claim])).values()];
  if (new Set(claims.map(({ gateway }) => proxyOf(gateway))).size > 1) return claims;
  return claims.filter((claim) => claims.some((other) => other !== claim && shareUrl(claim, other)));
}

function proxyOf({ kind, id, className }: Gateway): string {
  return kind === "ingress" ? `class ${className ?? ""}` : id;
}

function shareUrl(a: Claim, b: Claim): boolean {
  return a.listener.urlPaths?.some((path) => b.listener.urlPaths?.includes(path)) ?? false;
}
