// Addons as their charts make them, in a real API server, found and judged by the command.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyStandIns, leaseCluster, programArgs, runCommand } from "@fairlead/testkit";
import { expect, test } from "vitest";

const healthy = [
  "argo-rollouts",
  "argo-workflows",
  "aws-ebs-csi-driver",
  "aws-efs-csi-driver",
  "aws-load-balancer-controller",
  "cert-manager",
  "elasti",
  "external-secrets",
  "flyte",
  "gatekeeper",
  "gpu-operator",
  "jspolicy",
  "karpenter",
  "kyverno",
  "neuron",
  "node-monitoring-agent",
  "nvidia-device-plugin",
  "reloader",
  "spark-operator",
];

test("addons that a cluster has are healthy, and KEDA, whose metrics nobody serves, is not", async () => {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await leaseCluster({ name: "equipped" }));
  const home = await mkdtemp(join(tmpdir(), "fairlead-doctor-"));
  undo.defer(() => rm(home, { recursive: true, force: true }));
  // Controllers would say other things of stand-ins than their addons do.
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"] as const) {
    await cluster.components[name].stop();
  }
  await applyStandIns(
    cluster.api,
    [...healthy, "keda"].map((id) => `${id}/chart`),
  );

  const args = ["doctor", "--kubeconfig", cluster.adminKubeconfig, "--type", "eks", "--json"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const { stdout } = await runCommand(process.execPath, [...programArgs("cli"), ...args], { env, allowFailure: true });
  const { addons } = JSON.parse(stdout) as { addons: readonly { id: string; state: string; message: string }[] };
  const found = addons.filter(({ id }) => healthy.includes(id));
  expect(found.map(({ id, state }) => `${id}: ${state}`)).toEqual(healthy.map((id) => `${id}: healthy`));
  // The API server itself says whether an aggregated API answers.
  const keda = addons.find(({ id }) => id === "keda");
  expect(keda).toMatchObject({ state: "misconfigured", message: "KEDA's server of external metrics doesn't answer." });
});
