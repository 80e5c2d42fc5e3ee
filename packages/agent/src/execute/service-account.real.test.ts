// Commands that run with the rights of a ServiceAccount, judged by a real API server.
import { until } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type ClusterAccess, createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestExecuting, stopAll, type TestExecuting } from "./executing.fixture.ts";
import { manifestsRunner } from "./manifests/index.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { createTestSigner, type TestSigner, testEnvelope } from "./signing.fixture.ts";
import type { CommandRunner, RunResult, Task } from "./types.ts";

let cluster: ClusterAccess;
let own: TestNamespace;
let team: TestNamespace;
let other: TestNamespace;
let agent: KubeClient;
let signer: TestSigner;
let hub: ScriptedHub;
const running: TestExecuting[] = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  own = await createNamespace(cluster, "agents");
  team = await createNamespace(cluster, "team");
  other = await createNamespace(cluster, "other");
  for (const [namespace, name] of [
    [own.name, "agent"],
    [team.name, "deployer"],
    [team.name, "stranger"],
  ] as const)
    await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  await create(`/api/v1/namespaces/${team.name}/secrets`, {
    metadata: { name: "vault" },
    stringData: { pass: "x1y2z3" },
  });
  const everything = ["get", "list", "create", "update", "patch", "delete"];
  const secrets = { apiGroups: [""], resources: ["secrets"], verbs: everything };
  const configMaps = { apiGroups: [""], resources: ["configmaps"], verbs: everything };
  const asDeployer = {
    apiGroups: [""],
    resources: ["serviceaccounts"],
    resourceNames: ["deployer"],
    verbs: ["impersonate"],
  };
  await allow(own.name, own.name, "agent", [secrets]);
  // The agent itself may do more than the account: what is refused is refused to the account.
  await allow(other.name, own.name, "agent", [configMaps]);
  await allow(team.name, own.name, "agent", [asDeployer, secrets]);
  await allow(team.name, team.name, "deployer", [configMaps]);
  const account = { namespace: own.name, name: "agent" };
  const access = await loadKubeconfig({ path: await cluster.kubeconfigForServiceAccount(account) });
  agent = createKubeClient({ access: { ...access, namespace: own.name } });
  signer = await createTestSigner();
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
});
afterEach(async () => {
  await stopAll(running);
  await hub[Symbol.asyncDispose]();
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  for (const namespace of [own, team, other]) await namespace?.[Symbol.asyncDispose]();
});

test("scenario 30: a command has the rights of its account, and the cluster denies the rest", async () => {
  await start(manifestsRunner);
  const deployer = `${team.name}/deployer`;
  expect(await run("cmd_own", set(team.name), deployer)).toMatchObject({ state: "succeeded" });
  const elsewhere = await run("cmd_else", set(other.name), deployer);
  expect(elsewhere).toMatchObject({ state: "failed" });
  expect(elsewhere.text).toContain(`system:serviceaccount:${team.name}:deployer`);
  expect(elsewhere.text).toContain("cannot");
  // Without an account it is the agent who asks, and may.
  expect(await run("cmd_agent", set(other.name))).toMatchObject({ state: "succeeded" });
  const secret = await run("cmd_secret", set(team.name, `\${secret:${team.name}/vault/pass}`), deployer);
  expect(secret).toMatchObject({ state: "failed", code: "MANIFESTS_REFUSED" });
  expect(secret.text).toContain("SECRET_REFERENCE_FORBIDDEN");
});

test("scenario 30: an account that the agent may not impersonate, or its policy doesn't allow, is refused", async () => {
  const allowed = `${team.name}/deployer`;
  const judgeServiceAccount = (account: string | undefined) =>
    account === "kube-system/admin"
      ? ({ allowed: false, rule: "execute.serviceAccounts.allow", reason: "not this one" } as const)
      : ({ allowed: true } as const);
  await start(manifestsRunner, judgeServiceAccount);
  expect(await run("cmd_stranger", set(team.name), `${team.name}/stranger`)).toMatchObject({
    state: "refused",
    code: "COMMAND_ACCOUNT_FORBIDDEN",
  });
  expect(await run("cmd_policy", set(team.name), "kube-system/admin")).toMatchObject({
    state: "refused",
    code: "COMMAND_ACCOUNT_DENIED",
  });
  expect(await run("cmd_allowed", set(team.name), allowed)).toMatchObject({ state: "succeeded" });
});

test("scenario 30: programs of a command act as its account, whatever they say about themselves", async () => {
  const whoAmI: CommandRunner = {
    parse: (spec) => spec,
    plan: () => Promise.reject(new Error("there is no plan")),
    async run(task: Task<unknown>): Promise<RunResult> {
      await using programs = await task.openPrograms({ phase: "apply", secrets: { names: [] } });
      const answer = await fetch(`${programs.door.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "Impersonate-User": "admin",
          "Impersonate-Group": "system:masters",
          authorization: "Bearer forged",
        },
        body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
      });
      return { json: await answer.json() };
    },
  };
  await start(whoAmI);
  const { text } = await run("cmd_who", {}, `${team.name}/deployer`);
  expect(JSON.parse(text).status.userInfo).toMatchObject({
    username: `system:serviceaccount:${team.name}:deployer`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${team.name}`, "system:authenticated"],
  });
});

async function start(
  runner: CommandRunner<never> | CommandRunner,
  judgeServiceAccount?: (
    account: string | undefined,
  ) => { allowed: true } | { allowed: false; rule: string; reason: string },
): Promise<void> {
  const policy = judgeServiceAccount && { judgeServiceAccount };
  running.push(
    await startTestExecuting({
      hub,
      keys: [signer.jwk],
      runner: runner as CommandRunner,
      client: agent,
      inCluster: true,
      ...(policy && { policy }),
    }),
  );
}

function set(namespace: string, text = "x"): object {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "site" }, data: { text } };
  return { set: "web", namespace, manifests: JSON.stringify(object) };
}

interface Ended {
  readonly state: string;
  readonly code: string;
  /** Its result and its message. */
  readonly text: string;
}

async function run(id: string, spec: object, serviceAccount?: string): Promise<Ended> {
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  await hub.submit(signer, testEnvelope({ id, spec, serviceAccount, ...times }));
  await until(() => hub.commands.get(id)?.outcome !== undefined, `${id} ends`, { timeoutMs: 30_000 });
  const { state = "", code = "", message = "", resultJson } = hub.commands.get(id)?.outcome ?? {};
  return { state: String(state), code, text: message + Buffer.from(resultJson ?? []).toString() };
}

async function allow(namespace: string, of: string, account: string, rules: readonly object[]): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await create(`${rbac}/roles`, { metadata: { name: account }, rules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: account },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: of }],
  });
}

async function create(path: string, body: object): Promise<void> {
  await using admin = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  await admin.request({ method: "POST", path, body });
}
