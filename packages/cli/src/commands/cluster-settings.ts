// What `cluster set` would change: the settings that its flags name, as they are and as they would be.
import type { Cluster, GitopsSettings, PutGitopsSettingsRequest, UpdateClusterRequest } from "@fairlead/contract";
import type { HubClient } from "@fairlead/contract/client";

export interface SettingsChange {
  readonly update: UpdateClusterRequest;
  readonly gitops: PutGitopsSettingsRequest | undefined;
  readonly profile: string | undefined;
}

interface ForeseenSettings {
  readonly before: object;
  readonly after: object;
}

/** Reads what the flags are about, and nothing else: each has rights of its own. */
export async function foreseeSettings(options: {
  readonly client: HubClient;
  readonly name: string;
  readonly change: SettingsChange;
  readonly signal: AbortSignal;
}): Promise<ForeseenSettings> {
  const { client, name, change, signal } = options;
  const { update, gitops, profile } = change;
  const cluster = await client.getCluster(name, { signal });
  const settings = gitops && (await client.getGitopsSettings(name, { signal }));
  const choice = profile === undefined ? undefined : await client.getProfileChoice(name, { signal });
  const parts = [
    foreseeUpdate(cluster, update),
    ...(settings && gitops ? [foreseeGitops(settings, gitops)] : []),
    ...(choice ? [{ before: { fitnessProfile: choice.profile }, after: { fitnessProfile: profile } }] : []),
  ];
  return {
    before: Object.assign({}, ...parts.map((part) => part.before)),
    after: Object.assign({}, ...parts.map((part) => part.after)),
  };
}

function foreseeUpdate(cluster: Cluster, update: UpdateClusterRequest): ForeseenSettings {
  const { displayName } = update;
  const before = { labels: cluster.labels, displayName: cluster.displayName, protected: cluster.protected ?? false };
  const labels = Object.entries({ ...cluster.labels, ...update.labels }).filter(([, value]) => value !== null);
  return {
    before,
    after: {
      labels: Object.fromEntries(labels),
      displayName: displayName === undefined ? before.displayName : (displayName ?? undefined),
      protected: update.protected ?? before.protected,
    },
  };
}

/** Another mode takes the mapping back to the usual one, as on the hub. */
function foreseeGitops(settings: GitopsSettings, change: PutGitopsSettingsRequest): ForeseenSettings {
  const { mode, mapping, rules } = settings;
  const nextMode = change.mode ?? mode;
  const kept = nextMode === "managed" ? mapping : "namespace";
  return {
    before: { gitops: { mode, mapping, rules } },
    after: { gitops: { mode: nextMode, mapping: change.mapping ?? kept, rules: { ...rules, ...change.rules } } },
  };
}
