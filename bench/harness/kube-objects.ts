import type { TestCluster } from "@fairlead/testkit";

/** A small object, a pod that bulk can go through, and an account that may do everything; answers its token. */
export async function createBenchObjects(cluster: TestCluster): Promise<string> {
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bench" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "bench" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "bench", namespace: "default" }],
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "small" }, data: { text: "x".repeat(700) } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "bulk" },
      spec: { containers: [{ name: "main", image: "bench" }] },
    },
  ];
  await cluster.kubectl(["apply", "-f", "-"], {
    input: objects.map((object) => JSON.stringify(object)).join("\n---\n"),
  });
  await cluster.kubectl(["wait", "--for=condition=Ready", "pod/bulk", "--timeout=60s"]);
  return cluster.serviceAccountToken({ namespace: "default", name: "bench" });
}
