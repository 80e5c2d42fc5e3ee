// The rights that a set needs, and its way to the API server.
import { createKubeClient, type KubeRequest, kubeErrors, loadKubeconfig } from "@fairlead/kube";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configMap, type Harness, openHarness } from "./harness.fixture.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const many = Array.from({ length: 10 }, (_, index) => configMap(`c${index}`));

test("scenario 30: rights on the objects in one namespace are enough, and what they don't cover is told before anything is changed", async () => {
  await using kube = await limited(["get", "create", "update", "patch", "delete"]);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  const refused = await harness.apply({ kube, manifests: [...many, secret] });
  expect(refused.failure?.code).toBe("MANIFESTS_REFUSED");
  expect(refused.objects.filter(({ did }) => did === "failed")).toMatchObject([
    { kind: "Secret", code: "KUBE_FORBIDDEN" },
  ]);
  expect((await harness.apply({ kube, manifests: many })).failure).toBeUndefined();
  const elsewhere = configMap("x", {}, { namespace: "default" });
  const foreign = await harness.apply({ kube, manifests: [elsewhere] });
  expect(foreign.objects).toMatchObject([{ did: "failed", code: "KUBE_FORBIDDEN" }]);
  const { failure, objects } = await harness.apply({ kube, manifests: [], allowEmpty: true, prune: true });
  expect(failure).toBeUndefined();
  expect(objects).toHaveLength(10);
});

test("scenario 28: answers that are lost change nothing of what comes of a set", async () => {
  let requests = 0;
  const lossy = {
    ...harness.kube,
    async request<T>(request: KubeRequest): Promise<T> {
      const answer = await harness.kube.request<T>(request);
      // It was done, and nobody heard of it.
      if (++requests % 3 === 0) throw kubeErrors.KUBE_UNREACHABLE({ server: "s", reason: "ECONNRESET" });
      return answer;
    },
  };
  const first = await harness.apply({ kube: lossy, manifests: [...many, configMap("gone")] });
  expect({ failure: first.failure, did: new Set(first.objects.map(({ did }) => did)) }).toEqual({
    failure: undefined,
    did: new Set(["created"]),
  });
  const next = await harness.apply({ kube: lossy, manifests: many, prune: true });
  expect(next.failure).toBeUndefined();
  expect(next.objects.map(({ did }) => did)).toEqual([...many.map(() => "unchanged"), "deleted"]);
});

/** A client with these rights on the namespace's ConfigMaps, and no others. */
async function limited(verbs: readonly string[]) {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${harness.namespace}`;
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs }];
  await harness.send("POST", `${rbac}/roles`, { metadata: { name: "limited" }, rules });
  await harness.send("POST", `${rbac}/rolebindings`, {
    metadata: { name: "limited" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "limited" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: harness.namespace }],
  });
  const account = { namespace: harness.namespace, name: "default" };
  const path = await harness.cluster.kubeconfigForServiceAccount(account);
  return createKubeClient({ access: await loadKubeconfig({ path }) });
}
