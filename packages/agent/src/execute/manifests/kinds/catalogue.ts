import { type ApiResource, kubeErrors, readVersion } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { read } from "../attempt.ts";
import { splitApiVersion } from "../object-name.ts";

/**
 * The kinds of this cluster, in the very versions that manifests name. Only these are asked for, each version once until
 * it is forgotten.
 */
export class KindCatalogue {
  readonly #task: Asking;
  readonly #versions = new Map<string, readonly ApiResource[]>();

  constructor(task: Asking) {
    this.#task = task;
  }

  /** Undefined when the cluster has no such kind at this moment. */
  async find(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    await this.load(apiVersion);
    return this.#versions.get(apiVersion)?.find((resource) => resource.kind === kind);
  }

  /** In another version of its group where the one that was used isn't served any more: its objects are still there. */
  async findAnyVersion(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    const found = await this.find(apiVersion, kind);
    const { group } = splitApiVersion(apiVersion);
    if (found || group === "") return found;
    for (const other of await this.#askGroup(group)) {
      const elsewhere = await this.find(other, kind);
      if (elsewhere) return elsewhere;
    }
    return undefined;
  }

  async load(apiVersion: string): Promise<void> {
    if (!this.#versions.has(apiVersion)) this.#versions.set(apiVersion, await this.#ask(apiVersion));
  }

  /** After a definition was changed. */
  forget(apiVersion: string): void {
    this.#versions.delete(apiVersion);
  }

  async #askGroup(group: string): Promise<readonly string[]> {
    const { kube } = this.#task;
    const path = `/apis/${encodeURIComponent(group)}`;
    const answer = await orNone(read(this.#task, (signal) => kube.request<ApiGroup>({ path, signal })));
    return answer?.versions?.map(({ groupVersion }) => groupVersion) ?? [];
  }

  async #ask(apiVersion: string): Promise<readonly ApiResource[]> {
    const { kube: client } = this.#task;
    const asked = read(this.#task, (signal) => readVersion({ client, signal, ...splitApiVersion(apiVersion) }));
    return (await orNone(asked)) ?? [];
  }
}

/** Undefined for a group, or a version of it, that the cluster doesn't have. */
async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

type Asking = Pick<Task<unknown>, "kube" | "signal" | "forced" | "mayAct" | "clock">;

interface ApiGroup {
  readonly versions?: readonly { readonly groupVersion: string }[];
}
