import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, fail, few, pass, type Verdict } from "../checks/index.ts";
import { type ClusterObject, type Evidence, listByName, refTo } from "../snapshot/index.ts";
import { identityCheck } from "./aws-identity.ts";
import { csiDriverCheck } from "./csi-driver-check.ts";

const id = "aws-efs-csi-driver";
const images = ["aws-efs-csi-driver"];
const driver = "efs.csi.aws.com";

export const awsEfsCsiDriver: Addon = {
  id,
  title: "AWS EFS CSI driver",
  need: { eks: "optional" },
  signals: {
    resources: [],
    components: [
      {
        name: "controller",
        isEssential: true,
        images,
        labels: { app: ["efs-csi-controller"] },
        names: ["efs-csi-controller"],
      },
      { name: "node", isEssential: true, images, labels: { app: ["efs-csi-node"] }, names: ["efs-csi-node"] },
    ],
  },
  checks: [
    csiDriverCheck({ addon: id, features: ["volumes-rwx"], names: [driver], attachRequired: false }),
    identityCheck({
      addon: id,
      features: ["volumes-rwx"],
    }),
    {
      id: `${id}.storage-class`,
      title: "A storage class makes access points in a file system",
      why: "Claims name a class. Only one with `provisioningMode: efs-ap` and a `fileSystemId` makes volumes for them.",
      severity: "required",
      features: ["volumes-rwx"],
      judge: judgeStorageClasses,
    },
  ],
  unlocks: ["volumes-rwx"],
  install: {
    chart: id,
    repository: "https://kubernetes-sigs.github.io/aws-efs-csi-driver",
    version: "3.2.6",
    versionRange: ">=2.5.0 <5.0.0",
    namespace: id,
    release: id,
    order: 0,
    after: [],
    values: () => ({}),
  },
};

const resource = "storageclasses.storage.k8s.io";

function judgeStorageClasses({ snapshot }: CheckInput): Verdict {
  const classes = listByName(snapshot, resource).filter((each) => new Fields(each).at("provisioner").text() === driver);
  const fit = classes.find((each) => findFault(each) === undefined);
  if (fit) return pass(`${fit.metadata.name} makes access points.`);
  if (classes.length === 0) return fail("No storage class uses the driver.", []);
  return fail(
    "No storage class of the driver makes access points.",
    few(classes.flatMap((each) => findFault(each) ?? [])),
  );
}

function findFault(storageClass: ClusterObject): Evidence | undefined {
  const parameters = new Fields(storageClass).at("parameters");
  const object = refTo(resource, storageClass);
  const mode = parameters.at("provisioningMode").text();
  if (mode !== "efs-ap") {
    return { object, path: "parameters.provisioningMode", observed: mode ?? "nothing", expected: "efs-ap" };
  }
  if (parameters.at("fileSystemId").exists) return undefined;
  return { object, path: "parameters.fileSystemId", observed: "nothing", expected: "the id of a file system" };
}
