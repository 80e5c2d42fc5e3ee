import { type ApiResource, kubeErrors, readVersion } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { read } from "../attempt.ts";
import { splitApiVersion } from "../object-name.ts";
import type { ManifestsSpec } from "../types.ts";

/**
 * The kinds of this cluster, in the very versions that manifests name. Only these are asked for, each version once until
 * it is forgotten.
 */
export class KindCatalogue {
  readonly #task: Task<ManifestsSpec>;
  readonly #versions = new Map<string, readonly ApiResource[]>();

  constructor(task: Task<ManifestsSpec>) {
    this.#task = task;
  }

  /** Undefined when the cluster has no such kind at this moment. */
  async find(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    await this.load(apiVersion);
    return this.#versions.get(apiVersion)?.find((resource) => resource.kind === kind);
  }

  async load(apiVersion: string): Promise<void> {
    if (!this.#versions.has(apiVersion)) this.#versions.set(apiVersion, await this.#ask(apiVersion));
  }

  /** After a definition was changed. */
  forget(apiVersion: string): void {
    this.#versions.delete(apiVersion);
  }

  async #ask(apiVersion: string): Promise<readonly ApiResource[]> {
    const { kube: client } = this.#task;
    try {
      return await read(this.#task, (signal) => readVersion({ client, signal, ...splitApiVersion(apiVersion) }));
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return [];
      throw error;
    }
  }
}
