// Judges which hosts the programs of commands reach. Pure.
import { isIP } from "node:net";
import { hostOfAddress } from "./address-pattern.ts";
import { type HostAndPort, matchesHost, namesLiterally, normalHost } from "./host-pattern.ts";
import type { Policy } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export type HostVerdict =
  /** `isLocal`: it may be on the agent's own machine, since a list names this address (or localhost) with its port. */
  { readonly allowed: true; readonly isLocal: boolean } | Extract<Verdict, { readonly allowed: false }>;

/** Without a rule about the network all hosts are allowed; what charts and git may come from is so in any case. */
export function judgeHost({ execute }: Policy, target: HostAndPort): HostVerdict {
  const allow = execute?.network?.hosts.allow;
  const sources = [
    ...(execute?.charts?.repositories.allow.flatMap((pattern) => hostOfAddress(pattern) ?? []) ?? []),
    ...(execute?.git?.hosts.allow.filter((pattern) => !/^[*.]*$/.test(pattern)) ?? []),
  ];
  const listed = [...(allow ?? []), ...sources];
  const isLocal = couldBeLocal(target) && listed.some((pattern) => namesLiterally(pattern, target));
  if (allow === undefined || listed.some((pattern) => matchesHost(pattern, target))) return { allowed: true, isLocal };
  const name = target.port === undefined ? target.host : `${target.host}:${target.port}`;
  return { allowed: false, rule: "execute.network.hosts.allow", reason: `${name} isn't in it` };
}

/** Other names lead wherever those who answer for them want. */
function couldBeLocal({ host }: HostAndPort): boolean {
  const name = normalHost(host) ?? "";
  return isIP(name) !== 0 || name === "localhost";
}
