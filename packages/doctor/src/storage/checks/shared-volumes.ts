import { type ClusterCheck, type Fix, fail, few, listNames, pass, safe } from "../../checks/index.ts";
import { efs } from "../provisioners.ts";
import { csiDrivers, readStorageClasses, type StorageClass, storageClassResource } from "../storage-class.ts";

export const sharedVolumes: ClusterCheck = {
  id: "storage.rwx",
  title: "Some storage class makes volumes that several nodes share",
  why: "Notebooks, models and jobs that work on the same files want ReadWriteMany. Disks can't do that: it takes a shared file system such as EFS, Filestore, Azure Files or NFS.",
  severity: "optional",
  features: ["volumes-rwx"],
  judge: ({ snapshot }) => {
    for (const resource of [storageClassResource, csiDrivers]) snapshot.list(resource);
    const shared = readStorageClasses(snapshot).filter(({ isRwx, isOrphaned }) => isRwx && isOrphaned !== true);
    if (shared.length > 0) return pass(`Shared volumes: ${listNames(shared.map(({ name }) => name))}.`);
    return fail("No storage class makes volumes that several nodes share.", []);
  },
};

export const efsParameters: ClusterCheck = {
  id: "storage.efs-parameters",
  title: "EFS classes say where and how",
  why: "The EFS driver makes access points of a file system that must be named: without `provisioningMode: efs-ap` and `fileSystemId` it makes nothing.",
  severity: "recommended",
  features: ["volumes-rwx"],
  appliesTo: ({ snapshot }) => snapshot.list(storageClassResource).some(({ ["provisioner"]: name }) => name === efs),
  judge: ({ snapshot }) => {
    const unfit = readStorageClasses(snapshot).flatMap((each) =>
      each.provisioner === efs ? missingParameters(each) : [],
    );
    if (unfit.length === 0) return pass("Each EFS class names its file system.");
    return fail(
      `Not complete: ${listNames(unfit.map(({ storageClass }) => storageClass.name))}.`,
      few(unfit).map(({ storageClass, parameter, observed, expected }) => ({
        object: storageClass.object,
        path: `parameters.${parameter}`,
        observed,
        expected,
      })),
      modeFix(unfit),
    );
  },
};

interface Missing {
  readonly storageClass: StorageClass;
  readonly parameter: "provisioningMode" | "fileSystemId";
  readonly observed: string;
  readonly expected: string;
}

function missingParameters(storageClass: StorageClass): Missing[] {
  const mode = storageClass.parameters["provisioningMode"];
  const fileSystem = storageClass.parameters["fileSystemId"];
  return [
    ...(mode === "efs-ap"
      ? []
      : [{ storageClass, parameter: "provisioningMode" as const, observed: mode ?? "absent", expected: "efs-ap" }]),
    ...(fileSystem !== undefined
      ? []
      : [{ storageClass, parameter: "fileSystemId" as const, observed: "absent", expected: "fs-…" }]),
  ];
}

/** Only who made the file system knows its id; the mode is always the same. */
function modeFix(unfit: readonly Missing[]): Fix | undefined {
  const [first] = unfit;
  if (!first || unfit.some(({ parameter }) => parameter === "fileSystemId")) return undefined;
  const { name, parameters, reclaimPolicy } = first.storageClass;
  return {
    is: "manifest",
    risk: safe,
    objects: [
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: `${name}-ap` },
        provisioner: efs,
        parameters: { ...parameters, provisioningMode: "efs-ap" },
        reclaimPolicy,
      },
    ],
  };
}
