import { csiDriverOf } from "../provisioners.ts";
import type { StorageClass } from "../storage-class.ts";

/** A class that meets every check here. Parameters of a class never change, so that a better one has another name. */
export function ebsClass(type: string, provisioner = "ebs.csi.aws.com"): object {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: `${type}-encrypted`, annotations: { [defaultKey]: "true" } },
    provisioner,
    parameters: { type, encrypted: "true", "csi.storage.k8s.io/fstype": "ext4" },
    allowVolumeExpansion: true,
    volumeBindingMode: "WaitForFirstConsumer",
    reclaimPolicy: "Delete",
  };
}

/** Makes the new class the default. The former default class only loses the mark. */
export function replaceDefault(before: StorageClass, type: string): object[] {
  const { name, provisioner, parameters, isExpandable, bindingMode, reclaimPolicy } = before;
  return [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name, annotations: { [defaultKey]: "false", [betaKey]: "false" } },
      provisioner,
      parameters,
      allowVolumeExpansion: isExpandable,
      volumeBindingMode: bindingMode,
      reclaimPolicy,
    },
    ebsClass(type, csiDriverOf(provisioner)),
  ];
}

const defaultKey = "storageclass.kubernetes.io/is-default-class";
const betaKey = "storageclass.beta.kubernetes.io/is-default-class";
