import {
  type ClusterCheck,
  type Fix,
  fail,
  few,
  kubectl,
  pass,
  safe,
  script,
  type Words,
  warn,
} from "../../checks/index.ts";
import type { ClusterType } from "../../cluster-type/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { csiDrivers, readStorageClasses, type StorageClass, storageClassResource } from "../storage-class.ts";
import { ebsClass } from "./ebs-class.ts";

export const defaultClass: ClusterCheck = {
  id: "storage.default-class",
  title: "One storage class is the default",
  why: "Claims that name no class get the default one, and stay pending without one. The annotation of before, with `beta` in its key, counts as much as today's. Where several classes are marked, the newest wins, and that changes when somebody adds one.",
  severity: "required",
  features: ["volumes-rwo"],
  judge: ({ snapshot, clusterType, profile }) => {
    snapshot.list(storageClassResource);
    const classes = readStorageClasses(snapshot);
    const marked = classes.filter(({ isMarkedDefault }) => isMarkedDefault);
    const [only, second] = marked;
    if (only === undefined) {
      return fail(
        classes.length === 0 ? "The cluster has no storage class." : "No storage class is the default.",
        few(classes).map(({ object }) => ({ object, path, observed: "absent", expected: '"true" on one class' })),
        chooseDefault(classes, clusterType, profile.storage.ebsType, snapshot),
      );
    }
    if (second === undefined) return pass(`${only.name} is the default class.`);
    const winner = marked.find(({ isDefault }) => isDefault) ?? only;
    return warn(
      `${marked.length} classes are marked as the default. ${winner.name} wins, as the newest.`,
      few(marked).map(({ object, name }) => ({
        object,
        path,
        observed: '"true"',
        expected: name === winner.name ? '"true", and on no other class' : "absent",
      })),
      {
        is: "command",
        risk: safe,
        command: script(few(marked.filter((each) => each !== winner)).map(unmark)),
      },
    );
  },
};

const path = "metadata.annotations[storageclass.kubernetes.io/is-default-class]";
const key = "storageclass.kubernetes.io/is-default-class";
const betaKey = "storageclass.beta.kubernetes.io/is-default-class";

const unmark = ({ name }: StorageClass): Words =>
  kubectl({ verb: ["annotate"], args: [`storageclass/${name}`, `${key}-`, `${betaKey}-`] });

/** The class that does most for a claim of one pod; a new one where there is none. */
function chooseDefault(
  classes: readonly StorageClass[],
  clusterType: ClusterType,
  ebsType: string,
  snapshot: Snapshot,
): Fix | undefined {
  const [best] = classes.filter(({ isOrphaned }) => isOrphaned !== true).toSorted((a, b) => rank(b) - rank(a));
  if (best) {
    const patch = { metadata: { annotations: { [key]: "true" } } };
    return { is: "patch", risk: safe, object: best.object, type: "merge", patch };
  }
  const hasEbs = snapshot.listSeen(csiDrivers).some(({ metadata }) => metadata.name === "ebs.csi.aws.com");
  return clusterType === "eks" && hasEbs ? { is: "manifest", risk: safe, objects: [ebsClass(ebsType)] } : undefined;
}

/** Volumes that several nodes share are slower for one, so such a class is the last choice. */
function rank({ isRwx, isExpandable, bindingMode, isEncrypted }: StorageClass): number {
  return (
    (isRwx ? 0 : 8) +
    (isEncrypted === true ? 4 : 0) +
    (isExpandable ? 2 : 0) +
    (bindingMode === "WaitForFirstConsumer" ? 1 : 0)
  );
}
