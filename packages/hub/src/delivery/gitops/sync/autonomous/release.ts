// A cluster that was autonomous is managed from now on. Mirrors are labelled so that they stay on the hub: as such none may
// reach the cluster, where it would be changed, or deployed where it never was.
import { onAbort, sleep } from "@fairlead/kernel";
import { type GitopsObject, ignoreLabel, isCarriedFinalizer, withoutStamps } from "@fairlead/protocol";
import type { HubObjects } from "../../types.ts";
import type { EndsOptions } from "../types.ts";
import { asFields } from "./as-fields.ts";
import { withFinalizers } from "./decide.ts";
import { clusterLabel, copiedAnnotation, rulesAnnotation, sourceNameAnnotation } from "./marks.ts";
import { readProjectName } from "./mirror-location.ts";

/** Applications that were the hub's own before are so again. Resolves when all are, or the signal aborts. */
export async function releaseMirrors(
  options: Pick<EndsOptions, "objects" | "namespace" | "fence" | "clock" | "log">,
  signal: AbortSignal,
): Promise<void> {
  const { fence, clock, log } = options;
  while (!signal.aborted) {
    try {
      await releaseAll(options, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, cluster: fence.cluster }, "applications that the hub showed can't be its own again now");
      await sleep(retryMs, { clock, signal }).catch(() => undefined);
    }
  }
}

async function releaseAll(
  { objects, namespace, fence }: Pick<EndsOptions, "objects" | "namespace" | "fence">,
  signal: AbortSignal,
): Promise<void> {
  for (const mirror of await listMirrors(objects, { namespace, cluster: fence.cluster, signal })) {
    if (mirror.metadata.annotations?.[copiedAnnotation] === undefined) continue;
    const object = toOwn(mirror, fence.cluster);
    const { finalizers } = object.metadata;
    // Its finalizers come first: once it has lost its marks nobody looks at it again.
    const bare = await write("writeFinalizers", withFinalizers(mirror, finalizers ?? []));
    if (bare === undefined) continue;
    const { resourceVersion } = bare.metadata;
    await write("writeContent", { ...object, metadata: { ...object.metadata, resourceVersion } } as GitopsObject);
  }

  async function write(
    how: "writeFinalizers" | "writeContent",
    object: GitopsObject,
  ): Promise<GitopsObject | undefined> {
    const result = await objects[how]({ kind: "applications", object, fence, signal });
    if (result.is === "refused") throw new Error(result.refusal.message);
    if (result.is === "missing") return undefined;
    if (result.is !== "written") throw new Error(`${object.metadata.name}: ${result.is}`);
    return result.object;
  }
}

/** As it was before the cluster was autonomous, with what was changed in the cluster since. */
export function toOwn(mirror: GitopsObject, cluster: string): GitopsObject {
  const { [clusterLabel]: _cluster, [ignoreLabel]: _ignored, ...labels } = mirror.metadata.labels ?? {};
  const bare = withoutStamps(mirror.metadata.annotations);
  const { [copiedAnnotation]: copied = "", [sourceNameAnnotation]: _source, ...others } = bare;
  const { [rulesAnnotation]: _rules, ...annotations } = others;
  const spec = asFields(mirror["spec"]);
  const { project } = spec;
  const own = typeof project === "string" ? readProjectName(cluster, project) : undefined;
  const former = copied.split(",").filter(isCarriedFinalizer);
  const { finalizers = [] } = mirror.metadata;
  return {
    ...mirror,
    spec: own === undefined ? spec : { ...spec, project: own },
    metadata: { ...mirror.metadata, labels, annotations, finalizers: [...new Set([...former, ...finalizers])] },
  };
}

async function listMirrors(
  objects: HubObjects,
  { namespace, cluster, signal }: { namespace: string; cluster: string; signal: AbortSignal },
): Promise<readonly GitopsObject[]> {
  const listed = Promise.withResolvers<readonly GitopsObject[]>();
  const stop = new AbortController();
  using _ending = onAbort(signal, (reason) => {
    stop.abort(reason);
    listed.reject(reason);
  });
  const ignore = (): void => undefined;
  const watching = objects.watch({
    kind: "applications",
    namespace,
    labelSelector: `${clusterLabel}=${cluster}`,
    signal: stop.signal,
    handler: { listed: listed.resolve, changed: ignore, deleted: ignore, unavailable: ignore },
  });
  watching.catch(listed.reject);
  try {
    return await listed.promise;
  } finally {
    stop.abort();
    await watching.catch(ignore);
  }
}

const retryMs = 1_000;
