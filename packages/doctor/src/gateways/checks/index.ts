import type { ClusterCheck } from "../../checks/index.ts";
import { baseDomainsCovered } from "./base-domains.ts";
import { classExists } from "./class-exists.ts";
import { duplicateHosts } from "./duplicate-hosts.ts";
import { hasAddress, programmed, selectorMatches } from "./serving.ts";
import { port443Tls, tlsSecret } from "./tls.ts";

/** In the order of their ids. */
export const gatewayChecks: readonly ClusterCheck[] = [
  hasAddress,
  baseDomainsCovered,
  classExists,
  duplicateHosts,
  port443Tls,
  programmed,
  selectorMatches,
  tlsSecret,
];
