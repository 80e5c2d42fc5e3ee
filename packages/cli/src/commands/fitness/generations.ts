// With which generation of its profile each cluster is to be examined, as the hub says.
import { type HubClient, whyOutdated } from "@fairlead/contract/client";
import { asObject } from "../objects/index.ts";

export interface Generations {
  /** Why what was found with this says nothing any more. `examinedWith` as the cluster's agent wrote it. */
  whyOutdated(cluster: string, examinedWith: unknown): string | undefined;
}

export async function readGenerations(
  client: Pick<HubClient, "listProfileChoices">,
  signal: AbortSignal,
): Promise<Generations> {
  const { items } = await client.listProfileChoices({ signal });
  const asked = new Map(items.map(({ cluster, generation }) => [cluster, generation]));
  return {
    whyOutdated: (cluster, examinedWith) =>
      whyOutdated({ made: asObject(examinedWith)["generation"], asked: asked.get(cluster) ?? 0 }),
  };
}
