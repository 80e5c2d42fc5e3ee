// The rights that the hub's chart gives where Argo CD is in the hub's own cluster, and that it gives none elsewhere.
import { type Helm, openHelm } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let helm: Helm;
beforeAll(async () => {
  helm = await openHelm();
});
afterAll(() => helm?.[Symbol.asyncDispose]());

test("a hub without Argo CD beside it has no rights in its cluster, and no token", async () => {
  for (const argo of [{}, { kubeconfig: { existingSecret: "argo" }, clusterSecrets: { enabled: true } }]) {
    const { rules, isTokenMounted } = await render(argo);
    expect([rules, isTokenMounted]).toEqual([[], false]);
  }
});

test("one with Argo CD beside it has those to its objects, and writes Secrets only where it makes those of clusters", async () => {
  const secretVerbs = async (clusterSecrets: object) => {
    const { rules, isTokenMounted } = await render({ inCluster: true, clusterSecrets });
    expect(isTokenMounted).toBe(true);
    expect(
      rules.filter(({ apiGroups }) => apiGroups[0] === "argoproj.io").map(({ at, resources }) => [at, resources]),
    ).toEqual([
      ["everywhere", ["applications"]],
      ["gitops", ["appprojects"]],
    ]);
    const core = rules.filter(({ apiGroups }) => apiGroups[0] === "");
    expect(core.map(({ at, resources }) => [at, ...resources])).toEqual([
      ["gitops", "configmaps"],
      ["gitops", "secrets"],
    ]);
    expect(core[0]).toMatchObject({ verbs: ["get", "list", "watch"], resourceNames: { length: 3 } });
    return core[1]?.verbs;
  };
  expect(await secretVerbs({})).toEqual(["get", "list", "watch"]);
  expect(await secretVerbs({ enabled: true })).toEqual(["get", "list", "watch", "create", "update", "delete"]);
});

async function render(argo: object) {
  const values = { publicUrl: "https://hub.example.com", config: { argoNamespace: "gitops" }, argo };
  const objects = await helm.render({ chart: "fairlead-hub", values });
  const rules = objects
    .filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
    .flatMap(({ metadata, rules: own }) =>
      (own as Rule[]).map((rule) => ({ at: metadata.namespace ?? "everywhere", ...rule })),
    );
  const pods = objects.flatMap(({ kind, spec }) =>
    kind === "StatefulSet" || kind === "Deployment" ? (spec as Workload).template.spec : [],
  );
  expect(pods).toHaveLength(1);
  return { rules, isTokenMounted: pods[0]?.automountServiceAccountToken };
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Workload {
  readonly template: { readonly spec: { readonly automountServiceAccountToken: boolean } };
}
