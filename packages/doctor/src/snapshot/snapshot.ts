// A cluster as it was read at one moment, and where the reader was not allowed to look. Whoever reads decides how: an
// agent from what it watches, the command from lists or from files. Everything in this package is a function of it.
import type { ClusterObject } from "./cluster-object.ts";
import { doctorErrors } from "./errors.ts";
import { keyOfQuery, type MetricAnswer, type MetricQuery } from "./metric-query.ts";

/** The result of reading a resource. Resources are named as CRDs are: `deployments.apps`, `pods`. */
export type Sighting =
  /** Without `namespaces`, the objects of all namespaces. With it, others could hold more. */
  | {
      readonly is: "seen";
      readonly objects: readonly ClusterObject[];
      readonly namespaces?: readonly string[];
      /** The same objects in the same order, for readers that don't need all of them at once. */
      readonly source?: ObjectSource;
    }
  | { readonly is: "not-served" }
  | { readonly is: "hidden"; readonly why: string };

export interface ObjectSource {
  each(): Iterable<ClusterObject>;
  at(index: number): ClusterObject | undefined;
}

/** ConfigMaps are read one by one, by name: a reader needn't be allowed to list them. */
export type ConfigMapSighting =
  | { readonly is: "seen"; readonly configMap: ClusterObject }
  | { readonly is: "missing" }
  | { readonly is: "hidden"; readonly why: string };

export interface SnapshotParts {
  /** By resource. A resource without an entry is not served, unless `undiscovered` says that nobody could know. */
  readonly sightings: ReadonlyMap<string, Sighting>;
  /** By `namespace/name`. */
  readonly configMaps: ReadonlyMap<string, ConfigMapSighting>;
  /** ConfigMaps without an entry; `hidden` unless all were read. */
  readonly otherConfigMaps?: "hidden" | "missing";
  /** Set when discovery failed, for some groups or for all. */
  readonly undiscovered?: { readonly groups: readonly string[] | "all"; readonly why: string };
  /** Resources that are served and were not read, because nothing has looked at them yet. */
  readonly unread?: ReadonlySet<string>;
  /** By `keyOfQuery`. Undefined: nobody wants Prometheus to be asked. */
  readonly metrics?: ReadonlyMap<string, MetricAnswer>;
  /** Told what is looked at, so that a reader learns what it must read. Whether a resource is served isn't a look at it. */
  readonly onLook?: (look: Look) => void;
  /** Told of each answer that may lack something, with the reason. */
  readonly onDoubt?: (why: string) => void;
}

export type Look =
  | { readonly at: "resource"; readonly resource: string }
  | { readonly at: "config-map"; readonly namespace: string; readonly name: string }
  | { readonly at: "metric"; readonly query: MetricQuery };

export class Snapshot {
  readonly #parts: SnapshotParts;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Returns the same snapshot, which reports doubtful answers, for code that concludes that something isn't there. */
  tellingDoubts(onDoubt: (why: string) => void): Snapshot {
    return new Snapshot({ ...this.#parts, onDoubt });
  }

  look(resource: string): Sighting {
    this.#parts.onLook?.({ at: "resource", resource });
    return this.#find(resource);
  }

  #find(resource: string): Sighting {
    const sighting = this.#parts.sightings.get(resource);
    if (sighting) return sighting;
    const { unread, undiscovered } = this.#parts;
    if (unread?.has(resource)) return { is: "hidden", why: "it was not read" };
    if (undiscovered && (undiscovered.groups === "all" || undiscovered.groups.includes(groupOf(resource)))) {
      return { is: "hidden", why: undiscovered.why };
    }
    return { is: "not-served" };
  }

  /**
   * All objects of a resource in all namespaces; none when it isn't served.
   * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing. A check that meets it is `unknown`.
   */
  list(resource: string): readonly ClusterObject[] {
    this.needAll(resource);
    return this.see(resource)?.objects ?? [];
  }

  /**
   * Reads no object.
   * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
   */
  needAll(resource: string): void {
    const sighting = this.look(resource);
    if (sighting.is === "hidden") throw doctorErrors.DOCTOR_HIDDEN({ resource, why: sighting.why });
    if (sighting.is === "not-served" || sighting.namespaces === undefined) return;
    throw doctorErrors.DOCTOR_HIDDEN({ resource, why: onlyIn(sighting.namespaces) });
  }

  /** The objects that were seen, though others may exist. For finding something, never for saying that it isn't there. */
  listSeen(resource: string): readonly ClusterObject[] {
    return this.see(resource)?.objects ?? [];
  }

  /** The same as the reader shows it, its objects unread as yet. Undefined when nothing was seen. */
  see(resource: string): Extract<Sighting, { is: "seen" }> | undefined {
    const sighting = this.look(resource);
    if (sighting.is === "hidden") this.#parts.onDoubt?.(`not all ${resource} could be read: ${sighting.why}`);
    if (sighting.is !== "seen") return undefined;
    const { namespaces } = sighting;
    if (namespaces) this.#parts.onDoubt?.(`not all ${resource} could be read: ${onlyIn(namespaces)}`);
    return sighting;
  }

  /** Every object of the resource was seen, or it isn't served. */
  isWhole(resource: string): boolean {
    const sighting = this.look(resource);
    return sighting.is === "not-served" || (sighting.is === "seen" && sighting.namespaces === undefined);
  }

  isServed(resource: string): "yes" | "no" | "unknown" {
    const sighting = this.#find(resource);
    // A resource that may not be listed is served all the same, unless nobody could ask discovery.
    const { sightings, unread } = this.#parts;
    if (sighting.is !== "hidden") return sighting.is === "seen" ? "yes" : "no";
    if (sightings.has(resource) || unread?.has(resource)) return "yes";
    this.#parts.onDoubt?.(`discovery didn't say whether there are ${resource}: ${sighting.why}`);
    return "unknown";
  }

  /** Everything that could not be read whole, by resource. */
  hidden(): { readonly resource: string; readonly why: string }[] {
    const { sightings, undiscovered } = this.#parts;
    const groups = undiscovered?.groups === "all" ? ["all groups"] : (undiscovered?.groups ?? []);
    return [
      ...groups.map((group) => ({ resource: group, why: undiscovered?.why ?? "" })),
      ...[...sightings].flatMap(([resource, sighting]) => {
        if (sighting.is === "hidden") return [{ resource, why: sighting.why }];
        if (sighting.is === "seen" && sighting.namespaces) return [{ resource, why: onlyIn(sighting.namespaces) }];
        return [];
      }),
    ].toSorted((one, other) => (one.resource < other.resource ? -1 : 1));
  }

  readConfigMap(namespace: string, name: string): ConfigMapSighting {
    this.#parts.onLook?.({ at: "config-map", namespace, name });
    const sighting = this.#parts.configMaps.get(`${namespace}/${name}`);
    if (sighting) return sighting;
    if (this.#parts.otherConfigMaps === "missing") return { is: "missing" };
    return { is: "hidden", why: `the ConfigMap ${namespace}/${name} was not read` };
  }

  /** Whether somebody wants that. Without it no check may depend on the answer. */
  get isPrometheusAsked(): boolean {
    return this.#parts.metrics !== undefined;
  }

  askPrometheus(query: MetricQuery): MetricAnswer {
    this.#parts.onLook?.({ at: "metric", query });
    return this.#parts.metrics?.get(keyOfQuery(query)) ?? { is: "hidden", why: "it was not asked" };
  }
}

function onlyIn(namespaces: readonly string[]): string {
  return `only these namespaces were read: ${namespaces.join(", ") || "none"}`;
}

function groupOf(resource: string): string {
  const dot = resource.indexOf(".");
  return dot < 0 ? "" : resource.slice(dot + 1);
}
