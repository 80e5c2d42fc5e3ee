import { type ConfigMapSighting, type Sighting, Snapshot, type SnapshotParts } from "@fairlead/doctor";

/** What checks looked at: it tells what must be read for them. */
export interface Looks {
  readonly resources: Set<string>;
  /** `namespace/name`. */
  readonly configMaps: Set<string>;
}

export class RecordingSnapshot extends Snapshot {
  readonly #looks: Looks;

  constructor(parts: SnapshotParts, looks: Looks) {
    super(parts);
    this.#looks = looks;
  }

  override look(resource: string): Sighting {
    this.#looks.resources.add(resource);
    return super.look(resource);
  }

  override readConfigMap(namespace: string, name: string): ConfigMapSighting {
    if (this.#looks.configMaps.size < maxConfigMaps) this.#looks.configMaps.add(`${namespace}/${name}`);
    return super.readConfigMap(namespace, name);
  }
}

/** Names of ConfigMaps stand in arguments of workloads, so that whoever writes those says which are asked for. */
const maxConfigMaps = 64;
