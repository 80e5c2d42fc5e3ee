import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { startContractHub } from "../../testing/hub.fixture.ts";
import { checkAddress } from "./hub-side.ts";
import { listRights } from "./rights.ts";
import { readLog, readStatus } from "./troubles.ts";

const pod = (status: object) => readStatus({ kind: "Pod", metadata: { name: "agent-1" }, status });

test("what keeps a pod from running is told in the cluster's words", () => {
  const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "fairlead/agent:0.1.0"' };
  expect(pod({ containerStatuses: [{ state: { waiting } }] })).toEqual([
    'The pod agent-1 waits: ImagePullBackOff: Back-off pulling image "fairlead/agent:0.1.0".',
  ]);
  const crashed = {
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
  };
  expect(pod({ containerStatuses: [crashed] })).toEqual([
    "The pod agent-1 waits: CrashLoopBackOff. Before that it ended with 137 (OOMKilled).",
  ]);
  const unscheduled = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message: "0/3 nodes are available.",
  };
  expect(pod({ conditions: [unscheduled] })).toEqual([
    "The pod agent-1 finds no node: Unschedulable: 0/3 nodes are available.",
  ]);
});

test("a pod that is on its way or runs has nothing to tell", () => {
  expect(pod({ containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }] })).toEqual([]);
  expect(pod({ containerStatuses: [{ state: {} }] })).toEqual([]);
  expect(readStatus({ kind: "Pod", metadata: { name: "new" } })).toEqual([]);
});

test("a Deployment whose pods are refused says so", () => {
  const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota: small" };
  const status = { conditions: [failure] };
  expect(readStatus({ kind: "Deployment", metadata: { name: "fairlead-agent-proxy" }, status })).toEqual([
    "The Deployment fairlead-agent-proxy gets no pods: FailedCreate: exceeded quota: small.",
  ]);
});

test("of an agent's log the newest complaint is told, with its code", () => {
  const refused = {
    level: "error",
    msg: "not let in",
    err: { code: "JOIN_TOKEN_EXPIRED", message: "The token has run out." },
  };
  const log = [
    "Warning: something that isn't JSON",
    JSON.stringify({ level: "warn", msg: "older" }),
    JSON.stringify(refused),
    JSON.stringify({ level: "info", msg: "trying again" }),
  ].join("\n");
  expect(readLog("agent-1", log)).toEqual([
    "The pod agent-1 says: not let in: The token has run out (JOIN_TOKEN_EXPIRED).",
  ]);
  expect(readLog("agent-1", '{"level":"info","msg":"all well"}\nnull\n')).toEqual([]);
});

test("rights are asked for once each, where the object will be", () => {
  const objects = [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "a" } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "b" } },
    { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "a", namespace: "shop" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } },
  ];
  const say = (hasNamespace: boolean) =>
    listRights(objects, { namespace: "fairlead", hasNamespace }).map((right) => Object.values(right).join(" "));

  expect(say(true)).toEqual([
    ...["get", "list", "create", "patch", "update", "delete"].map((verb) => `${verb}  secrets fairlead`),
    ...["get", "create", "patch"].map((verb) => `${verb} rbac.authorization.k8s.io clusterroles`),
    ...["get", "create", "patch"].map((verb) => `${verb} networking.k8s.io networkpolicies shop`),
    ...["get", "create", "patch"].map((verb) => `${verb}  serviceaccounts fairlead`),
  ]);
  expect(say(false)).toContain("create  namespaces");
});

test("an address whose name nobody knows is refused, with the cause kept", async () => {
  const cause = new Error("ENOTFOUND");
  const asked: string[] = [];
  const resolve = async (host: string): Promise<void> => {
    asked.push(host);
    if (host.startsWith("hub")) throw cause;
  };

  await expect(checkAddress("https://hub.example.com:8444", resolve)).rejects.toMatchObject({
    code: "CLI_HUB_ADDRESS_UNKNOWN",
    cause,
  });
  await checkAddress("https://[::1]:8444", resolve);
  expect(asked).toEqual(["hub.example.com", "::1"]);
});

test.each([
  [["cluster", "attach", "east"], "--kube-context"],
  [["cluster", "attach", "east", "--kube-context", "x", "--role", "execute"], "doesn't support the role 'execute'"],
  [["cluster", "attach", "east", "--kube-context", "x", "--timeout", "soon"], "isn't a valid duration"],
])("%j is refused before any program is run", async (args, why) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  expect(await cli.run(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(why) });
  expect(hub.requests.filter(({ line }) => line.startsWith("POST /api/v1/clusters"))).toEqual([]);
});
