import type { ClusterObject, ConfigMapSighting, Sighting } from "@fairlead/doctor";
import { isFairleadError } from "@fairlead/kernel";
import { type ApiResource, getObject, type KubeClient, type KubeObject, kubeErrors, listObjects } from "@fairlead/kube";
import type { Refusals } from "./rights-missing.ts";

export interface ReaderOptions {
  readonly client: KubeClient;
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
  /** `signal`, and the end of the time for all reading. */
  readonly deadline: AbortSignal;
  readonly refusals: Refusals;
  /** For all kinds together. */
  readonly mostObjects: number;
}

/** Reads resources one by one. Where it may not look, or looks in vain, the answer says so; only a lost sign-in fails. */
export class Reader {
  readonly #options: ReaderOptions;
  #objectCount = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** The number of objects in all answers together. */
  get objectCount(): number {
    return this.#objectCount;
  }

  async list(resource: ApiResource): Promise<Sighting> {
    if (!resource.verbs.includes("list")) return hidden("the API server can't list it");
    try {
      return { is: "seen", objects: await this.#listIn(resource, undefined) };
    } catch (error) {
      if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) return this.#explain(error);
      this.#options.refusals.addResource(resource);
      return resource.namespaced ? await this.#listByNamespace(resource) : hidden("you may not list it");
    }
  }

  async getConfigMap(namespace: string, name: string): Promise<ConfigMapSighting> {
    const { client, deadline: signal, refusals } = this.#options;
    try {
      const configMap = await getObject({ client, resource: configMaps, namespace, name, signal });
      if (!configMap) return { is: "missing" };
      this.#objectCount++;
      return { is: "seen", configMap: withoutBallast(configMap) };
    } catch (error) {
      if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) {
        const sighting = this.#explain(error);
        return sighting.is === "not-served" ? { is: "missing" } : sighting;
      }
      refusals.addConfigMap({ namespace, name });
      return hidden(`you may not get the ConfigMap ${namespace}/${name}`);
    }
  }

  async #listByNamespace(resource: ApiResource): Promise<Sighting> {
    const objects: ClusterObject[] = [];
    const seen: string[] = [];
    for (const namespace of this.#options.namespaces) {
      try {
        objects.push(...(await this.#listIn(resource, namespace)));
        seen.push(namespace);
      } catch (error) {
        if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) return this.#explain(error);
      }
    }
    return seen.length === 0 ? hidden("you may not list it") : { is: "seen", objects, namespaces: seen };
  }

  async #listIn(resource: ApiResource, namespace: string | undefined): Promise<ClusterObject[]> {
    const { client, deadline: signal, mostObjects } = this.#options;
    const objects: ClusterObject[] = [];
    for await (const page of listObjects({ client, resource, namespace, signal })) {
      this.#objectCount += page.length;
      if (this.#objectCount > mostObjects) throw new TooManyObjects();
      for (const object of page) objects.push(withoutBallast(object));
    }
    return objects;
  }

  #explain(error: unknown): Extract<Sighting, { is: "hidden" | "not-served" }> {
    const { signal, deadline, mostObjects } = this.#options;
    signal.throwIfAborted();
    if (deadline.aborted) return hidden("the time for reading was over");
    if (error instanceof TooManyObjects) return hidden(`there are more than ${mostObjects} objects`);
    // Its CRD has gone since discovery.
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return { is: "not-served" };
    if (!isFairleadError(error) || kubeErrors.is(error, "KUBE_UNAUTHORIZED")) throw error;
    return hidden(error.message.replace(/\.$/, ""));
  }
}

class TooManyObjects extends Error {}

/** Half of an object's bytes, and of no use to a check. */
function withoutBallast({ metadata, ...rest }: KubeObject): ClusterObject {
  const { managedFields: _managedFields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function hidden(why: string): { readonly is: "hidden"; readonly why: string } {
  return { is: "hidden", why };
}

const configMaps = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" } as const;
