// Which clusters a rollout is for, and which of them can't be asked.
import { setImmediate } from "node:timers/promises";
import { type RolloutPlan, rolloutLimits } from "@fairlead/contract";
import { type FairleadError, isFairleadError, matchesLabels } from "@fairlead/kernel";
import type { Access, Principal } from "../../../people/access/index.ts";
import { parseLabelSelector } from "../../../picture/objects/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { CommandParts, FilledCommandRequest } from "../../commands/index.ts";
import { rolloutErrors } from "./errors.ts";
import { type ChosenCluster, type PlacedCluster, planWaves } from "./waves.ts";

export interface Choice {
  /** In the order of their turns. */
  readonly placed: readonly PlacedCluster[];
  readonly unusable: readonly { readonly cluster: string; readonly error: FairleadError }[];
}

type WantedRollout = RolloutPlan &
  Pick<FilledCommandRequest, "kind" | "dryRun" | "approvals" | "template"> & {
    readonly spec?: unknown;
  };

export interface Chooser {
  /** Throws ROLLOUT_CLUSTERS_TOO_MANY, ROLLOUT_WAVE_UNKNOWN, OBJECTS_SELECTOR_INVALID. */
  choose(principal: Principal, request: WantedRollout): Promise<Choice>;
}

export function createChooser(ports: {
  readonly access: Pick<Access, "may">;
  readonly clusters: Pick<Clusters, "names" | "labels">;
  readonly parts: Pick<CommandParts, "checkAll">;
}): Chooser {
  const { access, clusters, parts } = ports;
  return {
    async choose(principal, plan) {
      const meant = listMeant(principal, plan);
      const limit = rolloutLimits.clusters;
      if (meant.length > limit) throw rolloutErrors.ROLLOUT_CLUSTERS_TOO_MANY({ count: meant.length, limit });
      const check = await parts.checkAll(principal, plan);
      const usable: string[] = [];
      const unusable: { cluster: string; error: FairleadError }[] = [];
      for (const [index, cluster] of meant.entries()) {
        // Others have their turns in between.
        if (index % turnSize === turnSize - 1) await setImmediate();
        const error = await findTrouble(() => check(cluster));
        if (error) unusable.push({ cluster, error });
        else usable.push(cluster);
      }
      const leftOut = new Set(unusable.map(({ cluster }) => cluster));
      return { placed: planWaves(usable.map(withLabels), plan.waves, leftOut), unusable };
    },
  };

  function listMeant(principal: Principal, { clusters: names, selector }: RolloutPlan): string[] {
    if (names) return [...new Set(names)];
    const requirements = selector === undefined ? [] : parseLabelSelector(selector);
    const isMeant = ({ name, labels }: ChosenCluster): boolean =>
      matchesLabels(requirements, labels) &&
      access.may(principal, { verb: "list", resource: "clusters", cluster: name });
    return clusters
      .names()
      .filter(isMeant)
      .map(({ name }) => name)
      .toSorted();
  }

  function withLabels(name: string): ChosenCluster {
    return { name, labels: clusters.labels(name) ?? {} };
  }
}

async function findTrouble(check: () => Promise<void>): Promise<FairleadError | undefined> {
  try {
    await check();
    return undefined;
  } catch (thrown) {
    if (isFairleadError(thrown) && thrown.httpStatus < 500) return thrown;
    throw thrown;
  }
}

const turnSize = 200;
