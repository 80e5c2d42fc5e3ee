// The objects that a chart makes, as its manifest has them.
import { type ApiResource, getObject, type KubeObject } from "@fairlead/kube";
import { inParallel, parallelRequests } from "../manifests/in-parallel.ts";
import { KindCatalogue } from "../manifests/kinds/catalogue.ts";
import { describeName, keyOf } from "../manifests/object-name.ts";
import { explainUnready } from "../manifests/readiness/explain-unready.ts";
import { judgeReadiness } from "../manifests/readiness/judge.ts";
import type { ObjectName } from "../manifests/types.ts";
import { readAsHelm } from "../manifests/yaml/index.ts";
import type { Task } from "../types.ts";
import { helmErrors } from "./errors.ts";
import { askToTheEnd } from "./release/ask-to-the-end.ts";
import type { HelmSpec } from "./types.ts";
import { isMap } from "./values/merge.ts";

export interface MadeObject extends ObjectName {
  /** As the template wrote it. */
  readonly object: KubeObject;
}

/** For plans: people see all of it, or none. Throws HELM_MANIFEST_UNREADABLE. */
export function readMadeObjects(
  manifest: string,
  how: { readonly integers?: "rounded" | "exact" } = {},
): readonly MadeObject[] {
  return readAsHelm(manifest, how).flatMap((document) => {
    if (document.problem) throw helmErrors.HELM_MANIFEST_UNREADABLE({ what: document.problem.message });
    return unroll(document.value);
  });
}

/** For what is told of things that Helm does, or has done: whatever can't be read is left out. */
export function readableMadeObjects(manifest: string): readonly MadeObject[] {
  return readAsHelm(manifest).flatMap((document) => (document.problem ? [] : unroll(document.value)));
}

function unroll(value: unknown): readonly MadeObject[] {
  if (!isMap(value)) return [];
  const { apiVersion, kind, metadata, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) return items.flatMap(unroll);
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isMap(metadata)) return [];
  const { name, namespace } = metadata;
  if (typeof name !== "string") return [];
  return [
    {
      apiVersion,
      kind,
      name,
      object: value as unknown as KubeObject,
      ...(typeof namespace === "string" && { namespace }),
    },
  ];
}

/** Finds objects of a chart in the cluster. */
export class ObjectFinder {
  readonly #task: Task<HelmSpec>;
  readonly #catalogue: KindCatalogue;

  constructor(task: Task<HelmSpec>) {
    this.#task = task;
    this.#catalogue = new KindCatalogue(task);
  }

  /** Its kind in this cluster and its name with the namespace that it gets; undefined where there is no such kind. */
  async place(made: ObjectName): Promise<{ readonly resource: ApiResource; readonly name: ObjectName } | undefined> {
    const { apiVersion, kind, name } = made;
    const resource = await this.#catalogue.findAnyVersion(apiVersion, kind);
    if (resource === undefined) return undefined;
    const namespace = resource.namespaced ? (made.namespace ?? this.#task.spec.namespace) : undefined;
    return { resource, name: { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) } };
  }

  async find(made: ObjectName): Promise<KubeObject | undefined> {
    const place = await this.place(made);
    if (place === undefined) return undefined;
    const { kube: client } = this.#task;
    const { resource, name } = place;
    return await askToTheEnd(this.#task, (signal) => getObject({ client, resource, ...name, signal }));
  }

  /**
   * Names each object that isn't ready, and why: `Deployment shop/web: 1 of 2 replicas are available`. Where it
   * `isExplained` the first ones say what their pods lack.
   */
  async unready(
    all: readonly MadeObject[],
    { isExplained = false }: { readonly isExplained?: boolean } = {},
  ): Promise<readonly string[]> {
    const said = new Map<string, string>();
    await inParallel(all, parallelRequests, async (made) => {
      const found = await this.find(made);
      const readiness = found && judgeReadiness(found);
      if (readiness?.type === "ready") return;
      const isAsked = isExplained && found !== undefined && said.size < maxExplained;
      said.set(keyOf(made), `${describeName(made)}: ${readiness?.message ?? "it isn't there"}`);
      const why = isAsked ? await explainUnready(this.#task, found) : undefined;
      if (why) said.set(keyOf(made), `${said.get(keyOf(made))}: ${why}`);
    });
    return all.map((made) => said.get(keyOf(made))).filter((text) => text !== undefined);
  }
}

const maxExplained = 5;
