// Asks the API server, object by object, what an upgrade would change in the cluster.
import type { FairleadError } from "@fairlead/kernel";
import {
  type ApiResource,
  applyObject,
  type KubeClient,
  type KubeObject,
  kubeErrors,
  resourcePath,
  statusOf,
} from "@fairlead/kube";
import { isInterruption, read } from "../../manifests/attempt.ts";
import { inParallel, parallelRequests } from "../../manifests/in-parallel.ts";
import { listChanges } from "../../manifests/list-changes.ts";
import { keyOf, onlyName } from "../../manifests/object-name.ts";
import { failed } from "../../manifests/outcome.ts";
import type { Outcome } from "../../manifests/types.ts";
import type { Begun } from "../begin.ts";
import { type MadeObject, ObjectFinder, readMadeObjects } from "../objects.ts";
import { isKept } from "../report.ts";
import { overlayOf } from "./overlay.ts";

export async function compareLive(
  { task }: Begun,
  options: {
    readonly before: string;
    readonly after: string;
    readonly isForced: boolean;
    /** Helm applies on the client, which knows no conflicts. */
    readonly isClientSide: boolean;
    readonly makesNamespace: boolean;
  },
): Promise<readonly Outcome[]> {
  const { before, after, isForced, isClientSide, makesNamespace } = options;
  const { kube: client, spec } = task;
  const finder = new ObjectFinder(task);
  const wanted = readMadeObjects(after, { integers: "exact" });
  const names = new Set(wanted.map(keyOf));
  const earlier = new Map(readMadeObjects(before, { integers: "exact" }).map((made) => [keyOf(made), made]));
  const gone = [...earlier.values()].filter((made) => !names.has(keyOf(made)));
  const outcomes = new Map<MadeObject, Outcome>();
  await inParallel(wanted, parallelRequests, async (made) => {
    outcomes.set(made, await compareOne(made));
  });
  await inParallel(gone, parallelRequests, async (made) => {
    const isThere = (await finder.find(made)) !== undefined;
    if (isThere) outcomes.set(made, { ...onlyName(made), did: isKept(made) ? "kept" : "deleted" });
  });
  return [...wanted, ...gone].map((made) => outcomes.get(made)).filter((outcome) => outcome !== undefined);

  async function compareOne(made: MadeObject): Promise<Outcome> {
    const place = await finder.place(made);
    if (place === undefined) return { ...onlyName(made), did: "created", message: "its kind doesn't exist yet" };
    const { resource, name } = place;
    try {
      const object = withMarks(made.object, spec, name.namespace);
      const how = { object, fieldManager: "helm", isForced, isDryRun: true };
      const live = await finder.find(made);
      const wouldBe = await read(task, (signal) =>
        isClientSide && live !== undefined
          ? putOver({ client, resource, ...name, patch: overlayOf(earlier.get(keyOf(made))?.object, object), signal })
          : applyObject({ client, resource, ...name, ...how, signal }),
      );
      if (live === undefined) return { ...name, did: "created" };
      const changes = listChanges(live, wouldBe, task.secrets);
      return changes.length === 0 ? { ...name, did: "unchanged" } : { ...name, did: "changed", changes };
    } catch (error) {
      if (isInterruption(task, error)) throw error;
      if (makesNamespace && isNamespaceMissing(error)) return { ...name, did: "created" };
      return failed({ task, name, error });
    }
  }
}

/** Nothing is changed by it. */
async function putOver(options: {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly patch: unknown;
  readonly signal: AbortSignal;
}): Promise<KubeObject> {
  const { client, resource, patch, signal, ...name } = options;
  return await client.request<KubeObject>({
    method: "PATCH",
    path: `${resourcePath(resource, name)}?dryRun=All&fieldManager=helm`,
    headers: { "content-type": "application/merge-patch+json" },
    body: patch,
    signal,
  });
}

/** Helm adds these to each object. */
function withMarks(
  object: KubeObject,
  { release, namespace }: { readonly release: string; readonly namespace: string },
  place: string | undefined,
): object {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(place !== undefined && { namespace: place }),
      labels: { ...metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
      annotations: {
        ...metadata.annotations,
        "meta.helm.sh/release-name": release,
        "meta.helm.sh/release-namespace": namespace,
      },
    },
  };
}

function isNamespaceMissing(error: unknown): boolean {
  return kubeErrors.is(error, "KUBE_NOT_FOUND") && statusOf(error as FairleadError)?.details?.["kind"] === "namespaces";
}
