// The inventory of a set, in a ConfigMap beside its objects: what the next run may prune.
import { deleteObject, Fields, getObject, type KubeObject, kubeErrors } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { act, read } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import type { ManifestsSpec } from "../types.ts";
import { decodeInventory, encodeInventory, type InventoryEntry } from "./inventory.ts";
import { inventoryName } from "./inventory-name.ts";

export class InventoryStore {
  readonly #task: Task<ManifestsSpec>;
  readonly #name: string;
  #known: KubeObject | undefined;

  constructor(task: Task<ManifestsSpec>) {
    this.#task = task;
    this.#name = inventoryName(task.spec.set);
  }

  /** Empty for a set that nobody applied yet. Throws when the ConfigMap is somebody else's. */
  async read(): Promise<readonly InventoryEntry[]> {
    const { kube: client, spec } = this.#task;
    const place = { resource: configMaps, namespace: spec.namespace, name: this.#name };
    this.#known = await read(this.#task, (signal) => getObject({ client, ...place, signal }));
    if (!this.#known) return [];
    const { namespace, set } = spec;
    const where = { namespace, name: this.#name };
    if (this.#known.metadata.labels?.[setLabel] !== set) throw manifestsErrors.MANIFESTS_INVENTORY_FOREIGN(where);
    const entries = decodeInventory(new Fields(this.#known).at("data", "inventory").raw);
    if (!entries) throw manifestsErrors.MANIFESTS_INVENTORY_INVALID(where);
    return entries;
  }

  /** Does nothing when it says so already. An empty one is removed. Somebody else's change in between is overwritten. */
  async write(entries: readonly InventoryEntry[], options: { readonly repair?: boolean } = {}): Promise<void> {
    const text = encodeInventory(entries);
    if (Buffer.byteLength(text) > maxBytes) throw manifestsErrors.MANIFESTS_TOO_MANY({ limit: `${maxBytes} bytes` });
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#replace(entries.length === 0 ? undefined : text, options);
      } catch (error) {
        if (attempts === maxAttempts || !kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS")) throw error;
        await this.read();
      }
    }
  }

  async #replace(text: string | undefined, options: { readonly repair?: boolean }): Promise<void> {
    const known = this.#known;
    if (text === undefined) return known && this.#remove(known, options);
    if (known && new Fields(known).at("data", "inventory").raw === text) return;
    const { kube: client, spec } = this.#task;
    const path = `/api/v1/namespaces/${encodeURIComponent(spec.namespace)}/configmaps`;
    const metadata = known ? known.metadata : { name: this.#name, namespace: spec.namespace };
    const labels = { ...known?.metadata.labels, "app.kubernetes.io/managed-by": "fairlead", [setLabel]: spec.set };
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, labels }, data: { inventory: text } };
    this.#known = await act(
      this.#task,
      (signal) =>
        known
          ? client.request<KubeObject>({ method: "PUT", path: `${path}/${this.#name}`, body, signal })
          : client.request<KubeObject>({ method: "POST", path, body, signal }),
      options,
    );
  }

  async #remove({ metadata }: KubeObject, options: { readonly repair?: boolean }): Promise<void> {
    const { kube: client, spec } = this.#task;
    const place = { resource: configMaps, namespace: spec.namespace, name: this.#name, uid: metadata.uid };
    await act(this.#task, (signal) => deleteObject({ client, ...place, signal }), options);
    this.#known = undefined;
  }
}

const configMaps = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
const setLabel = "fairlead.dev/set";
/** A ConfigMap holds 1 MiB with its names. */
const maxBytes = 1_000_000;
const maxAttempts = 5;
