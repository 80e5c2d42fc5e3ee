// Keeps the Secrets by which Argo CD on the hub reaches clusters. One hub of several does so at a time.
import { type Clock, repeat, untilAbort } from "@fairlead/kernel";
import {
  createObject,
  deleteObject,
  getObject,
  type KubeClient,
  kubeErrors,
  listObjects,
  replaceObject,
} from "@fairlead/kube";
import type { OwnRobot } from "../../../people/access/index.ts";
import type { HeldLease, Leases } from "../../../platform/leases/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import { gitopsErrors } from "../errors.ts";
import { clusterSecretSelector, makeSecret, readSecret, type SeenSecret, toSecretName } from "./cluster-secret.ts";
import { decideSecrets, type SecretPlace, type SecretStep } from "./decide.ts";

export interface ClusterSecretsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly hubUid: string;
  readonly robot: OwnRobot;
  /** As those are to be shown that exchange applications, by their names. */
  readonly listPlaces: () => Promise<ReadonlyMap<string, SecretPlace>>;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn" | "info">;
  readonly intervalMs?: number;
}

export function keepClusterSecrets(options: ClusterSecretsOptions): AsyncDisposable {
  const { leases, clock, log, intervalMs = usualIntervalMs } = options;
  return leases.hold("gitops-cluster-secrets", {
    async work(lease) {
      const told = new Set<string>();
      await using _rounds = repeat({
        clock,
        intervalMs,
        firstMs: 0,
        run: () => settleSecrets({ ...options, lease, told }),
        onError: (error) => log.warn({ err: error }, "clusters can't be shown to Argo CD on the hub now"),
      });
      await untilAbort(lease.signal);
    },
  });
}

interface Round extends ClusterSecretsOptions {
  readonly lease: HeldLease;
  /** Clusters whose refusal is in the log already. */
  readonly told: Set<string>;
}

async function settleSecrets(round: Round): Promise<void> {
  const { robot, listPlaces, lease } = round;
  const places = await listPlaces();
  const seen = await readSecrets(round, [...places.keys()]);
  const steps = decideSecrets({ places, seen, isFresh: robot.isFresh });
  const tokens = new Map<string, string>();
  for (const step of steps) {
    if (!lease.isHeld) return;
    const kept = await take(round, step);
    if (kept) tokens.set(...kept);
  }
  // Argo CD reads a Secret with a new token within a second. The former tokens are good until the next round.
  if (steps.every(({ is }) => is === "keep" || is === "taken" || is === "remove")) await robot.keepOnly(tokens);
}

/** The cluster with the token that its Secret has then. */
async function take(round: Round, step: SecretStep): Promise<[string, string] | undefined> {
  const { told, log } = round;
  switch (step.is) {
    case "keep":
      told.delete(step.cluster);
      return [step.cluster, step.token];
    case "make":
    case "renew":
      return await write(round, step);
    case "remove":
      await remove(round, step);
      return undefined;
    case "taken": {
      const { cluster, by } = step;
      const { code, message, hint } = gitopsErrors.GITOPS_CLUSTER_SECRET_TAKEN({ cluster, secret: by });
      if (!told.has(cluster)) log.warn({ code, cluster, hint }, message);
      told.add(cluster);
      return undefined;
    }
    default:
      return step satisfies never;
  }
}

async function write(
  { client, namespace, hubUid, robot, lease: { signal } }: Round,
  step: Extract<SecretStep, { is: "make" | "renew" }>,
): Promise<[string, string] | undefined> {
  const { cluster, place } = step;
  const kept = step.is === "renew" ? step.keptToken : undefined;
  const token = kept ?? (await robot.issue(cluster)).token;
  const made = makeSecret({ cluster, token, ...place }, hubUid);
  const to = { client, resource, namespace, fieldManager: "fairlead-hub", signal };
  try {
    if (step.is === "make") await createObject({ ...to, object: made });
    else {
      const { uid, resourceVersion, name } = step.object.metadata;
      const object = { ...made, metadata: { ...(made as Made).metadata, uid, resourceVersion, name } };
      await replaceObject({ ...to, name, object });
    }
    return [cluster, token];
  } catch (error) {
    // Somebody else wrote first: the next round looks again.
    if (kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS", "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

async function remove(
  { client, namespace, lease: { signal } }: Round,
  { object }: Extract<SecretStep, { is: "remove" }>,
): Promise<void> {
  const { name, uid } = object.metadata;
  await deleteObject({ client, resource, namespace, name, uid, signal });
}

/** All by which Argo CD knows clusters, and what else has a name that one of ours would have. */
async function readSecrets(
  { client, namespace, hubUid, lease: { signal } }: Round,
  clusters: readonly string[],
): Promise<SeenSecret[]> {
  const seen = new Map<string, SeenSecret>();
  for await (const page of listObjects({ client, resource, namespace, labelSelector: clusterSecretSelector, signal })) {
    for (const object of page) seen.set(object.metadata.name, readSecret(object, hubUid));
    if (seen.size > maxSecrets) throw gitopsErrors.GITOPS_CLUSTER_SECRETS_MANY({ max: maxSecrets });
  }
  for (const name of clusters.map(toSecretName)) {
    if (seen.has(name)) continue;
    const object = await getObject({ client, resource, namespace, name, signal });
    if (object) seen.set(name, readSecret(object, hubUid));
  }
  return [...seen.values()];
}

interface Made {
  readonly metadata: object;
}

const resource = { group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true };
const usualIntervalMs = 15_000;
const maxSecrets = 10_000;
