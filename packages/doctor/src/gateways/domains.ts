import type { GatewayPreference } from "../profiles/index.ts";
import { findDuplicates } from "./duplicates.ts";
import type { Gateway, Listener } from "./gateway.ts";
import { covers, rankOf } from "./host.ts";

/** A domain of the cluster, and the gateway that serves it. */
export interface Domain {
  /** `*.apps.example.com`, or one host. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The profile asks for it. */
  readonly isBase: boolean;
  /** New services may use it: it belongs to a gateway, not to one application's Ingress. */
  readonly isShared: boolean;
  readonly servedBy:
    | { readonly is: "gateway"; readonly id: string }
    /** Several claim it, and nobody chose. */
    | { readonly is: "contested"; readonly ids: readonly string[] };
}

export interface DomainsOptions {
  readonly preferences?: readonly GatewayPreference[];
  /** A gateway for `*` serves these, too. */
  readonly baseDomains?: readonly string[];
}

/** Each domain once, by the port that browsers try first; ordered by host. */
export function domainsOf(
  gateways: readonly Gateway[],
  { preferences = [], baseDomains = [] }: DomainsOptions = {},
): Domain[] {
  const routes = gateways.flatMap((gateway) =>
    gateway.listeners.filter(({ protocol }) => isWeb(protocol)).map((listener) => ({ gateway, listener })),
  );
  const byHost = Map.groupBy(routes, ({ listener }) => listener.host);
  const duplicates = new Map(
    findDuplicates(gateways, preferences).map((duplicate) => [`${duplicate.host}:${duplicate.port}`, duplicate]),
  );
  const hosts = new Set([...byHost.keys(), ...baseDomains].filter((host) => host !== "*"));
  return [...hosts].toSorted().flatMap((host) => {
    const own = byHost.get(host) ?? findCovering(byHost, host);
    const [best] = own.toSorted(byPreferredPort);
    if (!best) return [];
    const duplicate = duplicates.get(`${best.listener.host}:${best.listener.port}`);
    const isContested = duplicate !== undefined && duplicate.preferred === undefined;
    return [
      {
        host,
        port: best.listener.port,
        isSecure: isSecure(best.listener),
        isBase: baseDomains.includes(host),
        isShared: best.gateway.kind !== "ingress",
        servedBy: isContested
          ? { is: "contested", ids: duplicate.claims.map(({ gateway }) => gateway.id) }
          : { is: "gateway", id: duplicate?.preferred ?? best.gateway.id },
      } satisfies Domain,
    ];
  });
}

interface Route {
  readonly gateway: Gateway;
  readonly listener: Listener;
}

const isWeb = (protocol: string): boolean => ["HTTP", "HTTPS", "HTTP2", "GRPC", "GRPC-WEB", "TLS"].includes(protocol);
const isSecure = ({ protocol, tls }: Listener): boolean =>
  tls !== undefined || protocol === "HTTPS" || protocol === "TLS";

/** The routes of the most specific wildcard that takes the domain. */
function findCovering(byHost: ReadonlyMap<string, readonly Route[]>, domain: string): readonly Route[] {
  const [best] = [...byHost]
    .map(([host, routes]) => ({ host, routes: routes.filter(({ gateway }) => covers(host, domain, gateway.kind)) }))
    .filter(({ routes }) => routes.length > 0)
    .toSorted((a, b) => rankOf(b.host) - rankOf(a.host));
  return best?.routes ?? [];
}

function byPreferredPort(a: Route, b: Route): number {
  return portRank(a.listener) - portRank(b.listener) || a.listener.port - b.listener.port;
}

function portRank(listener: Listener): number {
  if (isSecure(listener)) return listener.port === 443 ? 0 : 1;
  return listener.port === 80 ? 2 : 3;
}
