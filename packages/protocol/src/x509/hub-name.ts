import { x509Errors } from "./errors.ts";
import { isTrustDomain } from "./spiffe.ts";

/** A hub among those that share a database. */
export interface HubName {
  readonly trustDomain: string;
  /** Made by `createId("hub")`. */
  readonly id: string;
}

/** Throws PKI_NAME_INVALID. */
export function hubUri(hub: HubName): string {
  if (!isHubName(hub)) throw x509Errors.PKI_NAME_INVALID({ name: JSON.stringify(toHost(hub)) });
  return `spiffe://${hub.trustDomain}/hub/${hub.id}`;
}

/** The name by which another hub knows this one's TLS server, wherever it is. Throws PKI_NAME_INVALID. */
export function hubHost(hub: HubName): string {
  if (!isHubName(hub)) throw x509Errors.PKI_NAME_INVALID({ name: JSON.stringify(toHost(hub)) });
  return toHost(hub);
}

/** Undefined unless the text is exactly what `hubUri` writes for a hub. */
export function parseHubUri(uri: string): HubName | undefined {
  const [, trustDomain = "", id = ""] = /^spiffe:\/\/([^/]+)\/hub\/([^/]+)$/.exec(uri) ?? [];
  const hub = { trustDomain, id };
  return isHubName(hub) ? hub : undefined;
}

/** A trust domain may be as long as a DNS name, and the host is one with something before it. */
function isHubName(hub: HubName): boolean {
  const isHubId = /^hub_[0-9a-hjkmnp-tv-z]{26}$/.test(hub.id);
  return isHubId && isTrustDomain(hub.trustDomain) && toHost(hub).length <= 253;
}

/** With a hyphen for the underscore an id is a DNS label, and no two ids become the same one. */
function toHost({ trustDomain, id }: HubName): string {
  return `${id.replace("_", "-")}.hub.${trustDomain}`;
}
