import type { Domain } from "./domains.ts";

export interface NewService {
  readonly domains: readonly Domain[];
  readonly name: string;
  readonly namespace: string;
}

export type NewServiceUrl =
  | { readonly is: "url"; readonly url: string; readonly gateway: string }
  | { readonly is: "none"; readonly why: string };

/** A wildcard gives the service a host of its own, `NAME-NAMESPACE.DOMAIN`; any other domain a path, `/NAME-NAMESPACE`. */
export function urlOfNewService({ domains, name, namespace }: NewService): NewServiceUrl {
  const shared = domains.filter(({ isShared }) => isShared);
  if (shared.length === 0) return { is: "none", why: "No gateway of the cluster has a domain for services." };
  const label = `${name}-${namespace}`;
  const isShort = label.length <= maxLabelLength;
  const [best] = shared
    .filter(({ servedBy, host }) => servedBy.is === "gateway" && (isShort || !isWildcard(host)))
    .toSorted(byUse);
  if (best?.servedBy.is !== "gateway") {
    return shared.some(({ servedBy }) => servedBy.is === "gateway")
      ? {
          is: "none",
          why: `${label} is longer than ${maxLabelLength} characters, the most that a host's label may have.`,
        }
      : { is: "none", why: "Several gateways claim each domain of the cluster, and nobody chose one." };
  }
  const { host, port, isSecure, servedBy } = best;
  const origin = isWildcard(host) ? `${label}${host.slice(1)}` : host;
  const path = isWildcard(host) ? "" : `/${label}`;
  const url = `${isSecure ? "https" : "http"}://${origin}${port === (isSecure ? 443 : 80) ? "" : `:${port}`}${path}`;
  return { is: "url", url, gateway: servedBy.id };
}

const maxLabelLength = 63;
const isWildcard = (host: string): boolean => host.startsWith("*.");

/** Domains that the profile asks for come first, then wildcards, then those with TLS. */
function byUse(a: Domain, b: Domain): number {
  return useOf(b) - useOf(a) || (a.host < b.host ? -1 : 1);
}

function useOf({ isBase, isSecure, host }: Domain): number {
  return (isBase ? 4 : 0) + (isWildcard(host) ? 2 : 0) + (isSecure ? 1 : 0);
}
