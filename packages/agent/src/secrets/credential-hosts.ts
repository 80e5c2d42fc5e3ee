// To which hosts a Secret may go as a credential: to those that it names itself, or that the policy of the cluster names for
// it. Whoever may ask for a command could otherwise send any Secret of the cluster to a server of their own. Pure.
import { type CredentialRule, type HostAndPort, isLoopbackHost, matchesHost } from "../policy/index.ts";
import { secretErrors } from "./errors.ts";

export interface CredentialPlace extends HostAndPort {
  /** By TLS, or by SSH. */
  readonly isEncrypted: boolean;
}

/** Throws SECRET_HOST_NOT_ALLOWED, SECRET_HOST_UNENCRYPTED. */
export function requireHost(options: {
  /** `NAMESPACE/NAME` */
  readonly secret: string;
  /** The hosts that the Secret names. */
  readonly annotation: string | undefined;
  readonly rules: readonly CredentialRule[];
  readonly place: CredentialPlace;
}): void {
  const { secret, annotation = "", rules, place } = options;
  const host = place.port === undefined ? place.host : `${place.host}:${place.port}`;
  if (!place.isEncrypted && !isLoopbackHost(place.host)) throw secretErrors.SECRET_HOST_UNENCRYPTED({ secret, host });
  const own = annotation.split(",").map((pattern) => pattern.trim());
  const ruled = rules.filter((rule) => rule.secret === secret).flatMap(({ hosts }) => hosts);
  if ([...own, ...ruled].some((pattern) => pattern !== "" && matchesHost(pattern, place))) return;
  throw secretErrors.SECRET_HOST_NOT_ALLOWED({ secret, host });
}

/** Throws for what is no URL. */
export function placeOfUrl(text: string): CredentialPlace {
  const { protocol, hostname, port } = new URL(text);
  const known = port === "" ? defaultPorts[protocol] : Number(port);
  return { host: hostname, isEncrypted: protocol !== "http:", ...(known !== undefined && { port: known }) };
}

const defaultPorts: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "ssh:": 22 };

export const hostsAnnotation = "fairlead.dev/hosts";
