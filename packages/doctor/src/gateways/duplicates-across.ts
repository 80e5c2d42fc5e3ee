// A host and port that gateways of several clusters claim: DNS alone decides which cluster serves it. Nothing is wrong where
// people recorded what they mean by the annotation on gateways, as within a cluster.
import type { Gateway } from "./gateway.ts";

export interface ClusterGateways {
  readonly cluster: string;
  readonly gateways: readonly ClaimingGateway[];
}

/** The part of a gateway that says what it claims. */
export type ClaimingGateway = Pick<Gateway, "id" | "chosenFor"> & {
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
};

export interface DuplicateAcross {
  readonly host: string;
  readonly port: number;
  readonly claims: readonly { readonly cluster: string; readonly gateway: string }[];
}

/** By host and port. `*` says nothing. */
export function findDuplicatesAcross(clusters: readonly ClusterGateways[]): DuplicateAcross[] {
  const found = new Map<string, ClaimAcross[]>();
  for (const { cluster, gateways } of clusters.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1))) {
    for (const [key, claims] of claimsOf(gateways)) {
      const ofKey = found.get(key) ?? [];
      found.set(key, ofKey);
      for (const claim of settle(claims)) ofKey.push({ cluster, ...claim });
    }
  }
  return [...found]
    .filter(([, claims]) => new Set(claims.map(({ cluster }) => cluster)).size > 1 && !isSettled(claims))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, claims]) => ({
      ...parseKey(key),
      claims: claims.map(({ cluster, gateway }) => ({ cluster, gateway })),
    }));
}

interface ClaimInside {
  readonly gateway: string;
  readonly isChosen: boolean;
}

interface ClaimAcross extends ClaimInside {
  readonly cluster: string;
}

function claimsOf(gateways: readonly ClaimingGateway[]): Map<string, ClaimInside[]> {
  const claims = new Map<string, Map<string, ClaimInside>>();
  for (const { id, chosenFor, listeners } of gateways) {
    for (const { host, port } of listeners) {
      if (host === "*") continue;
      const key = `${host}:${port}`;
      const ofKey = claims.get(key) ?? new Map<string, ClaimInside>();
      claims.set(key, ofKey.set(id, { gateway: id, isChosen: chosenFor.includes(key) }));
    }
  }
  return new Map([...claims].map(([key, ofKey]) => [key, [...ofKey.values()]]));
}

/** The one that is chosen in a cluster claims it alone there; two that are settle nothing. */
function settle(claims: readonly ClaimInside[]): readonly ClaimInside[] {
  const chosen = claims.filter(({ isChosen }) => isChosen);
  return chosen.length === 1 ? chosen : claims.map((claim) => ({ ...claim, isChosen: false }));
}

/** True when one of the clusters was chosen to serve it, or each was. */
function isSettled(claims: readonly ClaimAcross[]): boolean {
  const chosen = claims.filter(({ isChosen }) => isChosen).length;
  return chosen === 1 || chosen === claims.length;
}

function parseKey(key: string): { readonly host: string; readonly port: number } {
  const colon = key.lastIndexOf(":");
  return { host: key.slice(0, colon), port: Number(key.slice(colon + 1)) };
}
