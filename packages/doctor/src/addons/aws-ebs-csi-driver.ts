import type { Addon } from "../catalogue/index.ts";
import { identityCheck } from "./aws-identity.ts";
import { csiDriverCheck } from "./csi-driver-check.ts";

const id = "aws-ebs-csi-driver";
const images = ["aws-ebs-csi-driver"];
const autoMode = "ebs.csi.eks.amazonaws.com";

/** Its storage classes are judged with those of the cluster. */
export const awsEbsCsiDriver: Addon = {
  id,
  title: "AWS EBS CSI driver",
  need: { eks: "essential" },
  signals: {
    resources: [],
    components: [
      {
        name: "controller",
        isEssential: true,
        images,
        labels: { app: ["ebs-csi-controller"] },
        names: ["ebs-csi-controller"],
      },
      { name: "node", isEssential: true, images, labels: { app: ["ebs-csi-node"] }, names: ["ebs-csi-node"] },
    ],
    providerManaged: (snapshot) => {
      const isThere = snapshot.list("csidrivers.storage.k8s.io").some(({ metadata }) => metadata.name === autoMode);
      return isThere ? "EKS Auto Mode" : undefined;
    },
  },
  checks: [
    csiDriverCheck({
      addon: id,
      features: ["volumes-rwo"],
      names: ["ebs.csi.aws.com", autoMode],
      attachRequired: true,
    }),
    identityCheck({
      addon: id,
      features: ["volumes-rwo"],
    }),
  ],
  unlocks: ["volumes-rwo"],
  install: {
    chart: id,
    repository: "https://kubernetes-sigs.github.io/aws-ebs-csi-driver",
    version: "2.54.1",
    versionRange: ">=2.20.0 <3.0.0",
    namespace: id,
    release: id,
    order: -18,
    after: [],
    values: ({ profile }) => ({ storageClasses: [toStorageClass(profile.storage)] }),
  },
};

function toStorageClass(storage: { readonly wantsEncryption: boolean; readonly ebsType: string }): unknown {
  return {
    name: storage.ebsType,
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
    parameters: { type: storage.ebsType, encrypted: String(storage.wantsEncryption) },
  };
}
