// The settings that the flags of `cluster set` name, before and after the change.
import type { Cluster, PutGitopsSettingsRequest, UpdateClusterRequest } from "@fairlead/contract";
import { applyGitopsChanges, applyLabelChanges, type HubClient } from "@fairlead/contract/client";

interface SettingsChange {
  readonly update: UpdateClusterRequest | undefined;
  readonly gitops: PutGitopsSettingsRequest | undefined;
  readonly profile: string | undefined;
}

interface ForeseenSettings {
  readonly before: object;
  readonly after: object;
}

/** Reads only the settings that the change names, because each requires a right of its own. */
export async function foreseeSettings(options: {
  readonly client: HubClient;
  readonly name: string;
  readonly change: SettingsChange;
  readonly signal: AbortSignal;
}): Promise<ForeseenSettings> {
  const { client, name, change, signal } = options;
  const { update, gitops, profile } = change;
  const parts: ForeseenSettings[] = [];
  if (update) parts.push(foreseeUpdate(await client.getCluster(name, { signal }), update));
  if (gitops) {
    const { mode, mapping, rules = {} } = await client.getGitopsSettings(name, { signal });
    const before = { mode, mapping, rules };
    parts.push({ before: { gitops: before }, after: { gitops: applyGitopsChanges(before, gitops) } });
  }
  if (profile !== undefined) {
    const { profile: fitnessProfile } = await client.getProfileChoice(name, { signal });
    parts.push({ before: { fitnessProfile }, after: { fitnessProfile: profile } });
  }
  return {
    before: Object.assign({}, ...parts.map((part) => part.before)),
    after: Object.assign({}, ...parts.map((part) => part.after)),
  };
}

function foreseeUpdate({ labels, displayName, ...cluster }: Cluster, update: UpdateClusterRequest): ForeseenSettings {
  const before = { labels, displayName, protected: cluster.protected ?? false };
  const name = update.displayName;
  return {
    before,
    after: {
      labels: applyLabelChanges(labels, update.labels ?? {}),
      displayName: name === undefined ? displayName : (name ?? undefined),
      protected: update.protected ?? before.protected,
    },
  };
}
