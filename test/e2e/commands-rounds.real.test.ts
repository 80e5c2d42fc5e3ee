// A flow that waits for approval twice, from end to end: its second step uses what the first one gave, so that its plan is
// known only then.
import type { CommandDetail } from "@fairlead/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let approver: string;

beforeAll(async () => {
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"] }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
  const rule = { verbs: ["get", "list", "approve"], resources: ["commands/*"] };
  const body = JSON.stringify({ hubRules: [rule], clusterRules: [], groups: [] });
  expect((await requestHub(fleet.hub, "/api/v1/roles/approver", { method: "PUT", body })).status).toBeLessThan(300);
  approver = `Bearer ${(await createRobot(fleet.hub, { role: "approver" })).token}`;
});
afterAll(() => undo.disposeAsync());

test("the second plan has the first step's output, and is carried out by another agent when it is approved", async () => {
  const id = await submit("both");
  const first = await untilAwaiting(id, 1);
  expect(first.plan).toMatchObject({
    steps: [{ known: true }, { known: false, why: "it uses outputs of one" }, { known: true }],
  });
  await approve(first);
  const second = await untilAwaiting(id, 2);
  expect(second.plan).toMatchObject({
    steps: [
      { id: "one", outcome: "succeeded" },
      { id: "two", known: true, plan: { objects: [{ name: "both-of-both-one", did: "created" }] } },
      { id: "cleanup", known: true, isApproved: true },
    ],
  });
  const made = await read("both-one");
  await expect(read("both-of-both-one")).rejects.toThrow(/NotFound/);
  // What was approved first approves nothing more.
  expect((await decide(first, "approve")).json()).toMatchObject({ code: "COMMAND_PLAN_MISMATCH" });
  await fleet.joined.agent.stop("KILL");
  await approve(second);
  await fleet.joined.agent.start();
  await expect.poll(() => stateOf(id), { timeout: 90_000 }).toBe("succeeded");
  expect((await read("both-of-both-one")).data).toEqual({ of: "both-one" });
  expect((await read("both-one")).metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  expect(await read("both-cleaned")).toBeDefined();
  const { approvals = [], approval } = await show(id);
  expect(approvals.map(({ round = 1 }) => round)).toEqual([1, 2]);
  expect(approval).toMatchObject({ round: 2, digest: second.approval?.digest });
});

test("when the second plan is rejected, what cleans up runs, and nothing else", async () => {
  const id = await submit("half");
  await approve(await untilAwaiting(id, 1));
  const second = await untilAwaiting(id, 2);
  expect((await decide(second, "reject")).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("rejected");
  const { result, trouble, history } = await show(id);
  expect(trouble?.code).toBe("COMMAND_REJECTED");
  expect((result as { readonly steps: readonly object[] }).steps).toMatchObject([
    { id: "one", outcome: "succeeded" },
    { id: "two", outcome: "skipped" },
    { id: "cleanup", outcome: "succeeded" },
  ]);
  expect(history.find(({ reason }) => reason === "not like this")).toMatchObject({
    from: "awaiting-approval",
    to: "queued",
  });
  expect(await read("half-cleaned")).toBeDefined();
  await expect(read("half-of-half-one")).rejects.toThrow(/NotFound/);
});

async function submit(name: string): Promise<string> {
  const set = (own: string, data: object) => {
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `${name}-${own}` }, data };
    return { set: `${name}-${own.replace(/\W.*/, "")}`, manifests: JSON.stringify(manifest) };
  };
  const output = "${steps.one.outputs.objects[0].name}";
  const steps = [
    { id: "one", manifests: set("one", { is: "one" }) },
    { id: "two", manifests: set(`of-${output}`, { of: output }) },
    { id: "cleanup", always: true, manifests: set("cleaned", { is: "cleaned" }) },
  ];
  const spec = { name, namespace: fleet.namespace.name, steps };
  const body = JSON.stringify({ cluster: "east", kind: "flow", spec, approvals: {} });
  const answer = await requestHub(fleet.hub, "/api/v1/commands", { method: "POST", body });
  if (answer.status >= 300) throw new Error(answer.text);
  return (answer.json() as { readonly id: string }).id;
}

async function untilAwaiting(id: string, round: number): Promise<CommandDetail> {
  await expect
    .poll(async () => [await stateOf(id), (await show(id)).approval?.round ?? 1])
    .toEqual(["awaiting-approval", round]);
  return await show(id);
}

async function approve(run: CommandDetail): Promise<void> {
  expect((await decide(run, "approve")).status).toBe(200);
}

function decide({ id, approval }: CommandDetail, what: "approve" | "reject") {
  const body = JSON.stringify(what === "approve" ? { digest: approval?.digest } : { comment: "not like this" });
  return requestHub(fleet.hub, `/api/v1/commands/${id}/${what}`, { method: "POST", body, authorization: approver });
}

async function show(id: string): Promise<CommandDetail> {
  return (await requestHub(fleet.hub, `/api/v1/commands/${id}`)).json() as CommandDetail;
}

async function stateOf(id: string): Promise<string> {
  return (await show(id)).state;
}

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

async function read(name: string): Promise<ConfigMap> {
  return JSON.parse((await fleet.kubectl(["get", "configmap", name, "-o", "json"])).stdout);
}
