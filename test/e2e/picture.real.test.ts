// What a copy of a cluster must not change: the digits of numbers, and the order in which things happened.
import { type LiveMessage, livePath, liveSubprotocol, type ObjectItem, type ObjectList } from "@fairlead/contract";
import { parseExactJson } from "@fairlead/kernel";
import { waitUntil } from "@fairlead/kernel/testing";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { isAgentReady } from "../fleet/metrics.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";
import { requestHub } from "../fleet/request-hub.ts";

const big = "9007199254740993";
let fleet: ObserveFleet;
/** Its events are there before anyone observes them. */
let early: TestNamespace;

beforeAll(async () => {
  const cluster = await sharedCluster();
  early = await createNamespace(cluster);
  for (const event of events(early.name)) {
    await cluster.api.json({ method: "POST", path: `/api/v1/namespaces/${early.name}/events`, body: event });
  }
  fleet = await startObserveFleet({ cluster });
  await addColumns();
  await fleet.waitForSync();
}, 180_000);

afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await early?.[Symbol.asyncDispose]();
});

test("a whole number of 64 bits has all its digits in JSON, YAML, JSONPath, tables and selectors", async () => {
  await put({ amount: big, list: [big] });
  await untilAmount(big);
  const { kind, path } = fleet.widgets;
  const get = async (...args: string[]): Promise<string> =>
    (await fleet.hub.cli(["get", kind, "-n", fleet.namespace.name, ...args])).stdout;
  const amount = "jsonpath={.items[*].spec.amount}";
  const kubectl = await fleet.cluster.kubectl(["-n", fleet.namespace.name, "get", kind, "-o", amount]);

  expect(await get("-o", amount)).toBe(kubectl.stdout);
  expect(await get("-o", "json")).toMatch(new RegExp(`"amount": ${big}\\b`));
  expect(await get("-o", "yaml")).toMatch(new RegExp(`^ +amount: ${big}$`, "m"));
  expect(await get("-o", "custom-columns=AMOUNT:.spec.amount,LIST:.spec.list")).toContain(`${big}  [${big}]`);
  await waitUntil(async () => (await get()).includes("AMOUNT"), patient);
  expect(await get()).toMatch(new RegExp(`AMOUNT +LAST +.*\\n.* ${big} +${big} `));
  expect(await get("--field-selector", `spec.amount=${big}`, "-o", "name")).toContain("east/widget");
  expect(await get("--field-selector", "spec.amount=9007199254740992", "-o", "name")).toBe("");
  const { text } = await requestHub(fleet.hub, `/api/v1/objects?kind=${kind}&include=object`);
  expect(text).toContain(`"amount":${big}`);
  expect((await fleet.cluster.api.send({ path: path(fleet.namespace.name) })).text).toContain(`"amount":${big}`);
});

test("agent and hub agree on it after a new list, and a change of its last digit is one", async () => {
  const { agent } = fleet.joined;
  const before = await findWidget();
  await agent.stop();
  await agent.start();
  expect(await waitUntil(() => isAgentReady(agent).catch(() => false), patient)).toBe(true);
  await fleet.waitForSync();
  const { kinds } = await fleet.inventory();
  expect(kinds.find(({ kind }) => kind === fleet.widgets.kind)).toMatchObject({ state: "synced", objects: 1 });
  expect((await findWidget())?.changedAt).toBe(before?.changedAt);

  await put({ amount: "9007199254740992", list: [] });
  await untilAmount("9007199254740992");
  expect((await findWidget())?.changedAt).not.toBe(before?.changedAt);
});

test("events are in the order of their own times after a first sync: by the CLI, the API and a live subscription", async () => {
  const namesOf = (text: string): string[] => text.match(/\b(?:counted|series|new-style|first-only)\b/g) ?? [];
  const { hub } = fleet;
  const listed = await hub.cli(["events", "-n", early.name, "-o", "jsonpath={.items[*].metadata.name}"]);
  expect(namesOf(listed.stdout)).toEqual(oldestFirst);

  const query = `kind=events&namespace=${early.name}&sort=-changed`;
  const list = (await requestHub(hub, `/api/v1/objects?${query}`)).json() as ObjectList;
  expect(list.items.map(({ name }) => name)).toEqual(oldestFirst.toReversed());
  expect(list.items.map(({ changedAt }) => changedAt)).toEqual(oldestFirst.map(timeOf).toReversed());

  expect((await firstItems({ kind: "events", namespace: early.name })).map(({ name }) => name)).toEqual(oldestFirst);
});

test("changes of a cluster that no agent observes aren't told as none", async () => {
  const body = JSON.stringify({ name: "west", roles: ["proxy"] });
  expect((await requestHub(fleet.hub, "/api/v1/clusters", { method: "POST", body })).status).toBe(201);

  const alone = await fleet.hub.cli(["change", "list", "--cluster", "west"], { allowFailure: true });
  expect(alone).toMatchObject({ code: 5, stdout: "" });
  expect(alone.stderr).toContain('The hub has no copy of the cluster "west": no agent has reported objects yet.');
  expect(alone.stderr).toContain("--role observe");
  const both = await fleet.hub.cli(["change", "list"]);
  expect(both.stderr).toContain("Warning: nothing of west (never-connected) is in the answer");
});

/** By name in another order than by time, and created in a third. */
function events(namespace: string): object[] {
  const involvedObject = { kind: "Pod", namespace, name: "web" };
  const common = (name: string) => ({ metadata: { name, namespace }, involvedObject, reason: name, type: "Normal" });
  const controller = { reportingComponent: "example.com/tests", reportingInstance: "one", action: "Test" };
  return [
    { ...common("counted"), firstTimestamp: at(1), lastTimestamp: at(40), count: 7 },
    { ...common("new-style"), ...controller, eventTime: micro(20) },
    { ...common("series"), ...controller, eventTime: micro(2), series: { count: 3, lastObservedTime: micro(30) } },
    { ...common("first-only"), firstTimestamp: at(10) },
  ];
}

const oldestFirst = ["first-only", "new-style", "series", "counted"];

function timeOf(name: string): string {
  return new Date(Date.parse(at(10 + 10 * oldestFirst.indexOf(name)))).toISOString();
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace(".000Z", "Z");
}

function micro(second: number): string {
  return at(second).replace("Z", ".000000Z");
}

async function addColumns(): Promise<void> {
  const { kind } = fleet.widgets;
  const columns = [
    { name: "Amount", type: "integer", jsonPath: ".spec.amount" },
    { name: "Last", type: "string", jsonPath: ".spec.list[-1:]" },
  ];
  await fleet.cluster.kubectl([
    "patch",
    "crd",
    kind,
    "--type=json",
    "-p",
    JSON.stringify([{ op: "add", path: "/spec/versions/0/additionalPrinterColumns", value: columns }]),
  ]);
}

async function put({ amount, list }: { readonly amount: string; readonly list: readonly string[] }): Promise<void> {
  const { apiVersion } = fleet.widgets;
  const metadata = { name: "ledger", namespace: fleet.namespace.name };
  const spec = parseExactJson(`{"amount":${amount},"list":[${list.join(",")}]}`);
  const input = JSON.stringify({ apiVersion, kind: "Widget", metadata, spec });
  await fleet.cluster.kubectl(["apply", "--server-side", "-f", "-"], { input });
}

async function untilAmount(amount: string): Promise<void> {
  const args = ["get", fleet.widgets.kind, "-n", fleet.namespace.name, "-o", "jsonpath={.items[*].spec.amount}"];
  const isThere = async (): Promise<boolean> => (await fleet.hub.cli(args, { allowFailure: true })).stdout === amount;
  expect(await waitUntil(isThere, patient)).toBe(true);
}

async function findWidget(): Promise<ObjectItem | undefined> {
  return (await fleet.list({ kind: fleet.widgets.kind, namespace: fleet.namespace.name }))[0];
}

async function firstItems(filter: object): Promise<readonly ObjectItem[]> {
  const { hub } = fleet;
  const socket = new WebSocket(`wss://127.0.0.1:${hub.port}${livePath}`, liveSubprotocol, {
    ca: hub.caPem,
    headers: { authorization: `Bearer ${hub.adminToken}` },
  });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<readonly ObjectItem[]>();
    const items: ObjectItem[] = [];
    socket.once("error", reject);
    socket.once("open", () => socket.send(JSON.stringify({ type: "subscribe", id: "1", filter })));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === "items") items.push(...message.items);
      if (message.type === "synced") resolve(items);
      if (message.type === "error") reject(new Error(message.message));
    });
    return await promise;
  } finally {
    socket.terminate();
  }
}

const patient = { timeoutMs: 60_000, intervalMs: 200 };
