import { expect, test } from "vitest";
import { fairlead } from "../../profiles/index.ts";
import { type ClusterObject, snapshotOfObjects } from "../../snapshot/index.ts";
import { judgeChecks, notPassed } from "../../testing/judge-checks.fixture.ts";
import { changed, clusterOf, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { readStorageClasses } from "../storage-class.ts";
import { storageChecks } from "./index.ts";

const eks = readStandIn("storage/eks");
const today = "storageclass.kubernetes.io/is-default-class";
const before = "storageclass.beta.kubernetes.io/is-default-class";

test.each([
  ["storage/eks", "gp3", ["efs-sc"]],
  ["storage/eks-auto-mode", "auto-ebs-sc", ["efs-sc"]],
  ["storage/gke", "standard-rwo", ["standard-rwx"]],
  ["storage/aks", "default", ["azurefile-csi"]],
  ["storage/openshift", "gp3-csi", ["ocs-storagecluster-cephfs"]],
  ["storage/oke", "oci-bv", ["oci-fss"]],
])("the classes of %s are fit: %s is the default", (path, name, shared) => {
  const classes = readStorageClasses(clusterOf(path));
  expect(classes.find(({ isDefault }) => isDefault)).toMatchObject({ name, isEncrypted: true, isOrphaned: false });
  expect(classes.filter(({ isRwx }) => isRwx).map((each) => each.name)).toEqual(shared);
  expect(notPassed(judgeChecks(storageChecks, readStandIn(path)))).toEqual({});
});

test("a provisioner that is no CSI driver isn't called orphaned", () => {
  const classes = readStorageClasses(clusterOf("storage/generic"));
  expect(classes).toMatchObject([
    { name: "longhorn", isOrphaned: false, isRwx: true },
    { name: "nfs", isOrphaned: false, isRwx: true },
  ]);
  expect(notPassed(judgeChecks(storageChecks, readStandIn("storage/generic")))).toEqual({});
});

const edit = (name: string, fields: object): ClusterObject[] =>
  changed(eks, "StorageClass", name, (each) => {
    Object.assign(each, fields);
  });
const mark = (name: string, annotations: Record<string, string>, creationTimestamp = "2026-01-01T00:00:00Z") =>
  edit(name, { metadata: { name, annotations, creationTimestamp } });

test.each<[string, Record<string, string>, ClusterObject[]]>([
  ["no default class", { "storage.default-class": "fail" }, mark("gp3", {})],
  ["the mark with a value other than true", { "storage.default-class": "fail" }, mark("gp3", { [today]: "yes" })],
  [
    "two default classes",
    { "storage.default-class": "warn" },
    mark("gp2", { [today]: "true" }, "2025-01-01T00:00:00Z"),
  ],
  [
    "two default classes, one by the key of before",
    { "storage.default-class": "warn" },
    mark("gp2", { [before]: "true" }, "2025-01-01T00:00:00Z"),
  ],
  ["volumes that can't grow", { "storage.expandable": "warn" }, edit("gp3", { allowVolumeExpansion: false })],
  [
    "volumes that are made before their pod has a zone",
    { "storage.binding-mode": "warn" },
    edit("gp3", { volumeBindingMode: "Immediate" }),
  ],
  ["volumes that aren't encrypted", { "storage.encrypted": "warn" }, edit("gp3", { parameters: { type: "gp3" } })],
  [
    "encryption that is turned off",
    { "storage.encrypted": "warn" },
    edit("gp3", { parameters: { type: "gp3", encrypted: "false" } }),
  ],
  ["gp2 volumes", { "storage.ebs-type": "warn" }, edit("gp3", { parameters: { type: "gp2", encrypted: "true" } })],
  [
    "EFS without access points shares nothing",
    { "storage.efs-parameters": "fail", "storage.rwx": "fail" },
    edit("efs-sc", { parameters: { fileSystemId: "fs-1" } }),
  ],
  [
    "EFS without a file system",
    { "storage.efs-parameters": "fail" },
    edit("efs-sc", { parameters: { provisioningMode: "efs-ap" } }),
  ],
  [
    "the driver of the default class is gone",
    { "storage.provisioner": "fail" },
    eks.filter(({ kind, metadata }) => kind !== "CSIDriver" || metadata.name !== "ebs.csi.aws.com"),
  ],
  [
    "the driver of another class is gone",
    { "storage.provisioner": "warn" },
    [
      ...eks,
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "old" },
        provisioner: "old.csi.example.com",
      },
    ],
  ],
  ["no shared volumes", { "storage.rwx": "fail" }, eks.filter(({ metadata }) => metadata.name !== "efs-sc")],
  ["a claim that a pod uses and that has no volume", { "storage.claims-bound": "warn" }, pending(eks)],
  [
    "a claim that has lost its volume",
    { "storage.claims-bound": "warn" },
    changed(eks, "PersistentVolumeClaim", "data", (each) => {
      each["status"] = { phase: "Lost" };
    }),
  ],
])("%s", (_, expected, objects) => {
  expect(notPassed(judgeChecks(storageChecks, objects))).toEqual(expected);
});

test("a class with the mark of before is the default by itself", () => {
  expect(notPassed(judgeChecks(storageChecks, mark("gp3", { [before]: "true" })))).toEqual({});
});

test("of several default classes the newest wins, and of one age the first by name", () => {
  const winner = (annotated: readonly ClusterObject[]): string | undefined =>
    readStorageClasses(snapshotOfObjects({ objects: annotated, isComplete: true })).find(({ isDefault }) => isDefault)
      ?.name;
  expect(winner(mark("gp2", { [today]: "true" }, "2026-06-01T00:00:00Z"))).toBe("gp2");
  expect(winner(mark("gp2", { [before]: "true" }, "2025-06-01T00:00:00Z"))).toBe("gp3");
  expect(winner(mark("gp2", { [today]: "true" }))).toBe("gp2");
  const verdict = judgeChecks(storageChecks, mark("gp2", { [today]: "true" }, "2026-06-01T00:00:00Z")).get(
    "storage.default-class",
  );
  expect(verdict).toMatchObject({
    message: "2 classes are marked as the default. gp2 wins, as the newest.",
    fix: { command: `kubectl annotate storageclass/gp3 ${today}- ${before}-` },
  });
});

test("the best class is proposed as the default, and never a shared or an orphaned one", () => {
  expect(judgeChecks(storageChecks, mark("gp3", {})).get("storage.default-class")).toMatchObject({
    fix: { is: "patch", object: { name: "gp3" }, patch: { metadata: { annotations: { [today]: "true" } } } },
  });
  const none = eks.filter(({ kind }) => kind !== "StorageClass");
  expect(judgeChecks(storageChecks, none, { clusterType: "eks" }).get("storage.default-class")).toMatchObject({
    message: "The cluster has no storage class.",
    fix: { is: "manifest", objects: [{ metadata: { name: "gp3-encrypted" } }] },
  });
});

test("a class that isn't encrypted is followed by one that is, and stays without the mark", () => {
  const verdict = judgeChecks(storageChecks, edit("gp3", { parameters: { type: "gp3" } })).get("storage.encrypted");
  if (verdict?.is !== "warn" || verdict.fix?.is !== "manifest") throw new Error("it has no manifest");
  const fixed = [
    ...eks.filter(({ metadata }) => metadata.name !== "gp3"),
    ...(verdict.fix.objects as readonly ClusterObject[]),
  ];
  expect(notPassed(judgeChecks(storageChecks, fixed))).toEqual({});
});

test("a claim that waits for its first pod is fine", () => {
  const waiting = pending(eks).filter(({ kind }) => kind !== "Pod");
  expect(notPassed(judgeChecks(storageChecks, waiting))).toEqual({});
});

test("a profile that asks for no encryption isn't told about it", () => {
  const profile = { ...fairlead, storage: { wantsEncryption: false, ebsType: "gp3" } };
  const verdicts = judgeChecks(storageChecks, edit("gp3", { parameters: { type: "gp3" } }), { profile });
  expect(verdicts.has("storage.encrypted")).toBe(false);
});

test.each([
  ["storageclasses.storage.k8s.io", "storage.default-class"],
  ["storageclasses.storage.k8s.io", "storage.rwx"],
  ["storageclasses.storage.k8s.io", "storage.expandable"],
  ["csidrivers.storage.k8s.io", "storage.provisioner"],
  ["persistentvolumeclaims", "storage.claims-bound"],
])("without the right to read %s, %s is unknown", (resource, id) => {
  const verdicts = judgeChecks(storageChecks, eks, { hidden: new Map([[resource, "forbidden"]]) });
  expect(verdicts.get(id)).toMatchObject({ is: "unknown" });
});

function pending(objects: readonly ClusterObject[]): ClusterObject[] {
  return changed(objects, "PersistentVolumeClaim", "data", (each) => {
    each["status"] = { phase: "Pending" };
  });
}
