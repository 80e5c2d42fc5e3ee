// Reads what checks look at and nobody watches: kinds that aren't observed, and ConfigMaps, each by its name. A list
// counts for a minute, a ConfigMap for a moment, and one that isn't there or may not be read is asked for each time. The cluster's RBAC decides what may be read; nothing of it leaves the cluster but verdicts.
import type { ClusterObject, ConfigMapSighting, Sighting } from "@fairlead/doctor";
import { type Clock, reasonOf } from "@fairlead/kernel";
import { type ApiResource, getObject, type KubeClient, kubeErrors, listObjects, resourceKey } from "@fairlead/kube";
import { HeldObject, HeldSighting } from "./held-sighting.ts";
import type { Looks } from "./looks.ts";
import { toSlim } from "./slim.ts";

export interface SideReaderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

interface Read<T> {
  readonly atMs: number;
  readonly sighting: T;
}

export class SideReader {
  readonly #options: SideReaderOptions;
  readonly #resources = new Map<string, Read<Sighting>>();
  readonly #configMaps = new Map<string, Read<ConfigMapSighting>>();

  constructor(options: SideReaderOptions) {
    this.#options = options;
  }

  look(key: string): Sighting | undefined {
    return this.#resources.get(key)?.sighting;
  }

  get configMaps(): ReadonlyMap<string, ConfigMapSighting> {
    return new Map([...this.#configMaps].map(([name, { sighting }]) => [name, sighting]));
  }

  /** Reads what isn't read yet, or too long ago. True when there was something to read. */
  async readFor(
    wanted: { readonly resources: readonly ApiResource[]; readonly configMaps: Looks["configMaps"] },
    signal: AbortSignal,
  ): Promise<boolean> {
    const resources = wanted.resources.filter((resource) =>
      this.#isDue(this.#resources.get(resourceKey(resource)), listGoodForMs),
    );
    const configMaps = [...wanted.configMaps].filter((name) => this.#isConfigMapDue(name));
    for (const resource of resources) {
      const sighting = await this.#list(resource, signal);
      this.#resources.set(resourceKey(resource), { atMs: this.#options.clock.steadyMs(), sighting });
    }
    for (const name of configMaps) {
      const sighting = await this.#getConfigMap(name, signal);
      this.#configMaps.set(name, { atMs: this.#options.clock.steadyMs(), sighting });
    }
    return resources.length + configMaps.length > 0;
  }

  /** Lets go of all that nothing looked at of late. */
  keepOnly({ resources, configMaps }: Looks): void {
    for (const key of this.#resources.keys()) if (!resources.has(key)) this.#resources.delete(key);
    for (const name of this.#configMaps.keys()) if (!configMaps.has(name)) this.#configMaps.delete(name);
  }

  #isConfigMapDue(name: string): boolean {
    const read = this.#configMaps.get(name);
    return this.#isDue(read, read?.sighting.is === "seen" ? configMapGoodForMs : nothingGoodForMs);
  }

  #isDue(read: { readonly atMs: number } | undefined, goodForMs: number): boolean {
    return read === undefined || this.#options.clock.steadyMs() - read.atMs >= goodForMs;
  }

  async #list(resource: ApiResource, signal: AbortSignal): Promise<Sighting> {
    const { client, namespaces } = this.#options;
    const isBound = resource.namespaced && namespaces.length > 0;
    if (!resource.namespaced && namespaces.length > 0)
      return { is: "hidden", why: "the agent observes only some namespaces" };
    const key = resourceKey(resource);
    const held: HeldObject[] = [];
    let heldBytes = 0;
    try {
      for (const namespace of isBound ? namespaces : [undefined]) {
        for await (const page of listObjects({ client, resource, namespace, signal })) {
          for (const object of page) {
            const slim = toSlim(key, object);
            heldBytes += slim.length;
            held.push(new HeldObject(slim));
          }
          if (heldBytes > maxListBytes) return { is: "hidden", why: "there are more objects than the agent reads" };
        }
      }
      return new HeldSighting(held, { namespaces: isBound ? namespaces : undefined });
    } catch (error) {
      signal.throwIfAborted();
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return { is: "not-served" };
      return { is: "hidden", why: whyHidden(error) };
    }
  }

  async #getConfigMap(path: string, signal: AbortSignal): Promise<ConfigMapSighting> {
    const { client } = this.#options;
    const [namespace = "", name = ""] = path.split("/");
    const resource = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
    try {
      const found = await getObject({ client, resource, namespace, name, signal });
      if (!found) return { is: "missing" };
      return { is: "seen", configMap: JSON.parse(toSlim("configmaps", found)) as ClusterObject };
    } catch (error) {
      signal.throwIfAborted();
      return { is: "hidden", why: whyHidden(error) };
    }
  }
}

/** Texts of API servers name users and urls; a reason is the same for as long as it lasts. */
function whyHidden(error: unknown): string {
  if (kubeErrors.is(error, "KUBE_FORBIDDEN")) return "the agent has no right to it";
  return reasonOf(error);
}

const listGoodForMs = 55_000;
const configMapGoodForMs = 5_000;
/** Longer than the rounds of one examination take, which would go on for ever without. */
const nothingGoodForMs = 900;
const maxListBytes = 16 * 1024 * 1024;
