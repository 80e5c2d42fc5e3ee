// Hosts and ports that gateways of several clusters claim, by what the agents say of their gateways.
import type { HubClient, ObjectFilter, ObjectItem } from "@fairlead/contract";
import type { ClaimingGateway, DuplicateAcross } from "@fairlead/doctor";
import type { CommandContext } from "../../context.ts";
import { hubCodes } from "../../hub-codes.ts";
import type { Output } from "../../output/index.ts";
import { asList, asObject, asText, listAll } from "../objects/index.ts";

export const gatewayKind = "gateways.fairlead.dev";

/** Where the caller may see no gateways there is nothing to compare, which is said. */
export async function readSharedHosts(
  { output, signal }: Pick<CommandContext, "output" | "signal">,
  client: Pick<HubClient, "listObjects">,
  filter: Pick<ObjectFilter, "cluster" | "clusterSelector">,
): Promise<DuplicateAcross[]> {
  const query = { ...filter, kind: gatewayKind, include: "object", sort: "cluster" } as const;
  try {
    const { items, next } = await listAll(client, query, { signal, limit: mostGateways });
    if (next !== undefined) output.notice(`Warning: only ${mostGateways} gateways were compared; there are more.`);
    return await findSharedHosts(items);
  } catch (thrown) {
    if (!hubCodes.is(thrown, "OBJECTS_FORBIDDEN") && !hubCodes.is(thrown, "OBJECTS_KIND_NOT_OBSERVED")) throw thrown;
    output.notice(output.safe(`Warning: gateways of clusters can't be compared: ${thrown.message}`));
    return [];
  }
}

export async function findSharedHosts(items: readonly ObjectItem[]): Promise<DuplicateAcross[]> {
  const { findDuplicatesAcross } = await import("@fairlead/doctor");
  const clusters = Map.groupBy(items, ({ cluster }) => cluster);
  return findDuplicatesAcross(
    [...clusters].map(([cluster, own]) => ({ cluster, gateways: own.map(({ object }) => readClaims(object)) })),
  );
}

function readClaims(object: unknown): ClaimingGateway {
  const { id, chosenFor, listeners } = asObject(asObject(object)["spec"]);
  return {
    id: asText(id),
    chosenFor: asList(chosenFor).map(asText),
    listeners: asList(listeners).map((each) => {
      const { host, port } = asObject(each);
      return { host: asText(host), port: Number(port) };
    }),
  };
}

/** A warning, with the way to say what is meant. */
export function describeSharedHosts(output: Output, shared: readonly DuplicateAcross[]): string {
  if (shared.length === 0) return "";
  const lines = shared.map(({ host, port, claims }) => {
    const names = claims.map(({ cluster, gateway }) => `${gateway} of ${cluster}`);
    const more = names.length - mostNames;
    const some = names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return output.safe(`${host}:${port}: ${some}`);
  });
  const more = lines.length - mostHosts;
  return [
    output.colors.yellow("Several clusters claim the same host and port:"),
    ...lines.slice(0, mostHosts).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more} more; --json has all`] : []),
    "  'fairlead gateway prefer HOST:PORT GATEWAY --cluster CLUSTER' records which serves it; in each of them, that all do.",
    "",
  ].join("\n");
}

const mostGateways = 10_000;
const mostHosts = 20;
const mostNames = 5;
