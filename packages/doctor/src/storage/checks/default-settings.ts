import {
  type ClusterCheck,
  type ClusterInput,
  destructive,
  fail,
  few,
  kubectl,
  listNames,
  pass,
  type Script,
  safe,
  script,
  type Verdict,
  warn,
} from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { csiDriverOf, isEbs } from "../provisioners.ts";
import { csiDrivers, readStorageClasses, type StorageClass, storageClassResource } from "../storage-class.ts";
import { replaceDefault } from "./ebs-class.ts";

export const expandable: ClusterCheck = {
  id: "storage.expandable",
  title: "Volumes of the default class can grow",
  why: "A volume that is full and can't be made larger has to be copied to another one, while its workload stands still.",
  severity: "recommended",
  features: ["volumes-rwo"],
  appliesTo: hasDefault,
  judge: judgeDefault(({ name, object, isExpandable }) => {
    if (isExpandable) return pass(`Volumes of ${name} can grow.`);
    return warn(
      `Volumes of ${name} can't grow.`,
      [{ object, path: "allowVolumeExpansion", observed: "false", expected: "true" }],
      { is: "patch", risk: safe, object, type: "merge", patch: { allowVolumeExpansion: true } },
    );
  }),
};

export const bindingMode: ClusterCheck = {
  id: "storage.binding-mode",
  title: "Volumes of the default class wait for their pod",
  why: "A disk belongs to a zone. When it is made before its pod is placed, the pod may find no room in that zone. With `WaitForFirstConsumer` the scheduler places the pod first.",
  severity: "recommended",
  features: ["volumes-rwo"],
  appliesTo: hasDefault,
  judge: judgeDefault(({ name, object, bindingMode: observed, isRwx }) => {
    // Shared file systems are reached from every zone.
    if (observed === "WaitForFirstConsumer" || isRwx) return pass(`${name} needs no zone before its pod has one.`);
    return warn(
      `Volumes of ${name} are made before their pod has a zone.`,
      [{ object, path: "volumeBindingMode", observed, expected: "WaitForFirstConsumer" }],
      {
        is: "command",
        risk: destructive("The class is deleted and made again: while it is gone, claims that name it wait."),
        command: replaceCommand(name, '.volumeBindingMode = "WaitForFirstConsumer"'),
      },
    );
  }),
};

export const encrypted: ClusterCheck = {
  id: "storage.encrypted",
  title: "Volumes of the default class are encrypted",
  why: 'EBS encrypts volumes whose class says `encrypted: "true"`, and all volumes where the account is set so, which can\'t be seen from inside the cluster. Disks of GKE, AKS and OKE always are.',
  severity: "recommended",
  features: ["volumes-rwo"],
  appliesTo: (input) => input.profile.storage.wantsEncryption && isEbs(findDefault(input)?.provisioner ?? ""),
  judge: (input) =>
    judgeDefault((found) => {
      const { name, object, isEncrypted, parameters } = found;
      if (isEncrypted === true) return pass(`Volumes of ${name} are encrypted.`);
      const observed = parameters["encrypted"] ?? "absent";
      const evidence = [{ object, path: "parameters.encrypted", observed, expected: '"true"' }];
      return warn(`${name} doesn't ask for encryption.`, evidence, {
        is: "manifest",
        risk: safe,
        objects: replaceDefault(found, input.profile.storage.ebsType),
      });
    })(input),
};

export const ebsType: ClusterCheck = {
  id: "storage.ebs-type",
  title: "EBS volumes are of the profile's type",
  why: "gp3 costs less than gp2 and has its throughput from the first byte on, whatever the size. A class that names no type gets gp3 from the CSI driver, and gp2 from the provisioner of before.",
  severity: "recommended",
  features: ["volumes-rwo"],
  appliesTo: (input) => isEbs(findDefault(input)?.provisioner ?? ""),
  judge: (input) =>
    judgeDefault((found) => {
      const { name, object, parameters, provisioner } = found;
      const wanted = input.profile.storage.ebsType;
      const implied = provisioner.startsWith("kubernetes.io/") ? "gp2" : "gp3";
      const type = parameters["type"] ?? implied;
      if (type === wanted) return pass(`${name} makes ${type} volumes.`);
      const evidence = [{ object, path: "parameters.type", observed: type, expected: wanted }];
      return warn(`${name} makes ${type} volumes and not ${wanted}.`, evidence, {
        is: "manifest",
        risk: safe,
        objects: replaceDefault(found, wanted),
      });
    })(input),
};

export const provisionerServed: ClusterCheck = {
  id: "storage.provisioner",
  title: "Each storage class has its CSI driver",
  why: "A class whose driver isn't installed looks like any other. Its claims stay pending for ever.",
  severity: "required",
  features: ["volumes-rwo"],
  judge: ({ snapshot }) => {
    for (const resource of [storageClassResource, csiDrivers]) snapshot.list(resource);
    const orphans = readStorageClasses(snapshot).filter(({ isOrphaned }) => isOrphaned === true);
    if (orphans.length === 0) return pass("The drivers of all storage classes are there.");
    const names = listNames(orphans.map(({ name }) => name));
    // A class that nobody gets without asking for it harms nobody else.
    const is = orphans.some(({ isDefault }) => isDefault) ? fail : warn;
    return is(`Nothing makes volumes for ${names}.`, few(orphans).map(orphanEvidence));
  },
};

function orphanEvidence({ object, provisioner }: StorageClass): Evidence {
  const expected = `the CSIDriver ${csiDriverOf(provisioner)}`;
  return { object, path: "provisioner", observed: provisioner, expected };
}

function findDefault({ snapshot }: ClusterInput): StorageClass | undefined {
  snapshot.list(storageClassResource);
  return readStorageClasses(snapshot).find(({ isDefault }) => isDefault);
}

function hasDefault(input: ClusterInput): boolean {
  return findDefault(input) !== undefined;
}

function judgeDefault(judge: (storageClass: StorageClass) => Verdict): (input: ClusterInput) => Verdict {
  return (input) => {
    const found = findDefault(input);
    return found ? judge(found) : pass("No class is the default.");
  };
}

/** Most fields of a class never change: it is made again, which existing volumes don't notice. */
function replaceCommand(name: string, change: string): Script {
  return script([
    [
      kubectl({ verb: ["get"], options: ["-o", "json"], args: [`storageclass/${name}`] }),
      ["jq", `${change} | del(.metadata.resourceVersion, .metadata.uid)`],
      ["kubectl", "replace", "--force", "-f", "-"],
    ],
  ]);
}
