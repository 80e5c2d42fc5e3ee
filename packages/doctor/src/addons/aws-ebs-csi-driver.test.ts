import type { ClusterObject } from "../snapshot/index.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { awsEbsCsiDriver } from "./aws-ebs-csi-driver.ts";

const chart = "aws-ebs-csi-driver/chart";
const role = "metadata/annotations";
const podWithIdentity: ClusterObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    namespace: "aws-ebs-csi-driver",
    name: "ebs-csi-controller-1",
    labels: { app: "ebs-csi-controller", "app.kubernetes.io/name": "aws-ebs-csi-driver" },
  },
  spec: { containers: [{ name: "ebs-plugin", env: [{ name: "AWS_CONTAINER_CREDENTIALS_FULL_URI", value: "" }] }] },
};
const withoutRole = (objects: readonly ClusterObject[]) => objects.filter(({ kind }) => kind !== "ServiceAccount");

testGolden(awsEbsCsiDriver, {
  clusterType: "eks",
  shapes: [
    { of: chart, version: "1.54.0", provenance: "helm" },
    { of: "aws-ebs-csi-driver/provider-eks", version: "1.54.0", provenance: "provider" },
    { of: "aws-ebs-csi-driver/provider-eks-auto-mode", version: undefined, provenance: undefined },
  ],
  cases: [
    {
      title: "its CSIDriver is missing",
      of: chart,
      edit: (objects) => objects.filter(({ kind }) => kind !== "CSIDriver"),
      verdicts: { "aws-ebs-csi-driver.csi-driver": "fail" },
      state: "misconfigured",
    },
    {
      title: "its service account names no role",
      of: chart,
      change: ["ServiceAccount", "ebs-csi-controller-sa", role, {}],
      verdicts: { "aws-ebs-csi-driver.identity": "warn" },
      state: "healthy",
    },
    {
      title: "pod identity is a role of its own",
      of: chart,
      edit: (objects) => [...withoutRole(objects), podWithIdentity],
    },
    {
      title: "pods that may not be listed leave the role unknown",
      of: chart,
      edit: withoutRole,
      hidden: new Map([["pods", "forbidden"]]),
      verdicts: { "aws-ebs-csi-driver.identity": "unknown" },
      state: "healthy",
    },
    {
      title: "the DaemonSet on nodes is missing",
      of: chart,
      edit: (objects) => objects.filter(({ kind }) => kind !== "DaemonSet"),
      state: "degraded",
    },
    {
      title: "where drivers may not be listed, nobody says that it is absent",
      of: "aws-ebs-csi-driver/provider-eks-auto-mode",
      hidden: new Map([["csidrivers.storage.k8s.io", "forbidden"]]),
      state: "unknown",
    },
  ],
});
