// Says which hubs there are, as this one sees them.
import type { HubMember } from "@fairlead/contract";
import type { MemberRow } from "./store.ts";

/** Without a hello as long as its agent hasn't introduced itself. */
interface CountedLink {
  readonly hello?: { readonly agentInstanceId: string } | undefined;
}

export function describeMembers(options: {
  readonly self: string;
  readonly rows: readonly MemberRow[];
  readonly linksOf: (hub: string) => readonly CountedLink[];
  readonly isLinked: (hub: string) => boolean;
}): HubMember[] {
  const { self, rows, linksOf, isLinked } = options;
  return rows.map(({ id, address, version, since, silentMs }) => ({
    id,
    address,
    version,
    silentMs,
    since: since.toISOString(),
    ...countLinks(linksOf(id)),
    reach: id === self ? "self" : isLinked(id) ? "linked" : "unlinked",
  }));
}

/** A hub that has its database alone. */
export function describeAlone(options: {
  readonly id: string;
  readonly version: string;
  readonly since: Date;
  readonly links: readonly CountedLink[];
}): HubMember {
  const { id, version, since, links } = options;
  return { id, version, since: since.toISOString(), silentMs: 0, reach: "self", ...countLinks(links) };
}

function countLinks(links: readonly CountedLink[]): Pick<HubMember, "links" | "agents"> {
  const agents = links.flatMap(({ hello }) => hello?.agentInstanceId ?? []);
  return { links: agents.length, agents: new Set(agents).size };
}
