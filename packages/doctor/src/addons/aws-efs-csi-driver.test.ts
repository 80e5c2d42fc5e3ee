import { testGolden } from "../testing/golden-cases.fixture.ts";
import { awsEfsCsiDriver } from "./aws-efs-csi-driver.ts";

const of = "aws-efs-csi-driver/chart";

testGolden(awsEfsCsiDriver, {
  clusterType: "eks",
  shapes: [{ of, version: "3.4.1", provenance: "manifests" }],
  cases: [
    {
      title: "its CSIDriver is missing",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind !== "CSIDriver"),
      verdicts: { "aws-efs-csi-driver.csi-driver": "fail" },
      state: "misconfigured",
    },
    {
      title: "its service account names no role",
      of,
      change: ["ServiceAccount", "efs-csi-controller-sa", "metadata/annotations", undefined],
      verdicts: { "aws-efs-csi-driver.identity": "warn" },
      state: "healthy",
    },
    {
      title: "its class makes no access points",
      of,
      change: ["StorageClass", "efs-sc", "parameters/provisioningMode", undefined],
      verdicts: { "aws-efs-csi-driver.storage-class": "fail" },
      state: "misconfigured",
    },
    {
      title: "its class names no file system",
      of,
      change: ["StorageClass", "efs-sc", "parameters/fileSystemId", undefined],
      verdicts: { "aws-efs-csi-driver.storage-class": "fail" },
    },
    {
      title: "no class uses it",
      of,
      change: ["StorageClass", "efs-sc", "provisioner", "file.csi.azure.com"],
      verdicts: { "aws-efs-csi-driver.storage-class": "fail" },
    },
  ],
});
