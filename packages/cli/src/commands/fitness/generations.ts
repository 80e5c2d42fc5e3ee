// With which generation of its profile each cluster is to be examined, as the hub says.
import { type HubClient, whyOutdated } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import { asObject } from "../objects/index.ts";

export interface Generations {
  /** Why what was found with this says nothing any more. `examinedWith` as the cluster's agent wrote it. */
  whyOutdated(cluster: string, examinedWith: unknown): string | undefined;
}

export async function readGenerations(
  client: Pick<HubClient, "listProfileChoices">,
  signal: AbortSignal,
): Promise<Generations> {
  const asked = await readAsked(client, signal);
  return {
    whyOutdated: (cluster, examinedWith) =>
      whyOutdated({ made: asObject(examinedWith)["generation"], asked: asked.get(cluster) ?? 0 }),
  };
}

async function readAsked(
  client: Pick<HubClient, "listProfileChoices">,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  try {
    const { items } = await client.listProfileChoices({ signal });
    return new Map(items.map(({ cluster, generation }) => [cluster, generation]));
  } catch (thrown) {
    // A hub of the version before asks for nothing.
    if (isFairleadError(thrown) && thrown.httpStatus === 404) return new Map();
    throw thrown;
  }
}
