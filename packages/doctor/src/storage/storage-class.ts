import { Fields } from "@fairlead/kernel";
import {
  type ClusterObject,
  type ObjectRef,
  oncePerSnapshot,
  readTextMap,
  refTo,
  type Snapshot,
} from "../snapshot/index.ts";
import { csiDriverOf, isAlwaysEncrypted, isRwxCapable } from "./provisioners.ts";

export interface StorageClass {
  readonly name: string;
  readonly object: ObjectRef;
  readonly provisioner: string;
  /** It carries the mark of a default class, by today's key or the old one. */
  readonly isMarkedDefault: boolean;
  /** Claims without a class get this one: of several that are marked, the newest. */
  readonly isDefault: boolean;
  readonly isExpandable: boolean;
  readonly bindingMode: string;
  readonly reclaimPolicy: string;
  /** Undefined where the provider's own settings decide. */
  readonly isEncrypted: boolean | undefined;
  /** Volumes that pods on several nodes can write to. */
  readonly isRwx: boolean;
  /** Its CSI driver isn't there, so that no volume is ever made; undefined where that can't be known. */
  readonly isOrphaned: boolean | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

export const storageClassResource = "storageclasses.storage.k8s.io";
export const csiDrivers = "csidrivers.storage.k8s.io";

/** Those that were seen, ordered by name. */
export const readStorageClasses: (snapshot: Snapshot) => readonly StorageClass[] = oncePerSnapshot((snapshot) => {
  const objects = snapshot.listSeen(storageClassResource);
  const newest = objects.filter(isMarked).toSorted(byAge)[0];
  const drivers = snapshot.isWhole(csiDrivers)
    ? new Set(snapshot.list(csiDrivers).map(({ metadata }) => metadata.name))
    : undefined;
  return objects
    .map((object) => readStorageClass(object, object === newest, drivers))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
});

function readStorageClass(
  object: ClusterObject,
  isDefault: boolean,
  drivers: ReadonlySet<string> | undefined,
): StorageClass {
  const fields = new Fields(object);
  const provisioner = fields.at("provisioner").text() ?? "";
  const parameters = readTextMap(fields.at("parameters"));
  const driver = csiDriverOf(provisioner);
  return {
    name: object.metadata.name,
    object: refTo(storageClassResource, object),
    provisioner,
    isMarkedDefault: isMarked(object),
    isDefault,
    isExpandable: fields.at("allowVolumeExpansion").isTrue,
    bindingMode: fields.at("volumeBindingMode").text() ?? "Immediate",
    reclaimPolicy: fields.at("reclaimPolicy").text() ?? "Delete",
    isEncrypted: readEncryption(provisioner, parameters),
    isRwx: isRwxCapable(provisioner, parameters),
    isOrphaned: driver === undefined ? false : drivers && !drivers.has(driver),
    parameters,
  };
}

const defaultKeys: readonly string[] = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function isMarked(object: ClusterObject): boolean {
  const annotations = new Fields(object).at("metadata", "annotations");
  return defaultKeys.some((key) => annotations.at(key).text() === "true");
}

/** As the admission plugin takes them: the newest first, and of one age by name. */
function byAge({ metadata: a }: ClusterObject, { metadata: b }: ClusterObject): number {
  const [madeA, madeB] = [a, b].map(({ creationTimestamp }) => Date.parse(creationTimestamp ?? "") || 0);
  if (madeA !== madeB) return (madeB ?? 0) - (madeA ?? 0);
  return a.name < b.name ? -1 : 1;
}

/** EBS encrypts when told to, or when the account does so for all volumes, which nobody sees from inside. */
function readEncryption(provisioner: string, parameters: StorageClass["parameters"]): boolean | undefined {
  if (isAlwaysEncrypted(provisioner)) return true;
  const said = parameters["encrypted"];
  return said === undefined ? undefined : said === "true";
}
