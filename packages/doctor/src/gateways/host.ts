// Which hosts a listener takes. Istio and the Gateway API let `*` stand for any number of labels, an Ingress for one.
import type { Gateway } from "./gateway.ts";

/** The listener's host takes the domain, and every host below it when the domain is a wildcard. */
export function covers(host: string, domain: string, kind: Gateway["kind"]): boolean {
  if (host === "*" || host === domain) return true;
  if (!host.startsWith("*.")) return false;
  const isWildcard = domain.startsWith("*.");
  const below = isWildcard ? domain.slice(2) : domain;
  const suffix = host.slice(1);
  if (!below.endsWith(suffix)) return false;
  const rest = below.slice(0, -suffix.length);
  return kind === "ingress" ? !isWildcard && !rest.includes(".") : rest !== "";
}

/** The more labels a host has, the earlier proxies choose it; a whole host comes before any wildcard. */
export function rankOf(host: string): number {
  if (host === "*") return 0;
  return host.split(".").length + (host.startsWith("*.") ? 0 : 1000);
}
