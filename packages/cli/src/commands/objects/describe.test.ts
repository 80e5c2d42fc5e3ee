import type { ObjectDetail } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import { makeAge, makeDeployment, makeList, makePod, podTable } from "../../testing/objects.fixture.ts";

const at = (secondsAgo: number): string => new Date(hubNow - secondsAgo * 1000).toISOString();

const object = {
  metadata: { name: "web-0", annotations: { "example.com/long": "x".repeat(300) } },
  spec: {
    initContainers: [{ name: "prepare", image: "busybox:1" }],
    containers: [
      {
        name: "web",
        image: "nginx:1.29",
        ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }],
        args: ["-g", "daemon off;"],
        resources: { requests: { cpu: "100m", memory: "64Mi" } },
      },
    ],
  },
  status: {
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(90), reason: "ContainersNotReady" }],
    containerStatuses: [
      {
        name: "web",
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 1m\u001b[2J" } },
        lastState: { terminated: { reason: "Error", exitCode: 137 } },
      },
    ],
  },
};

function makeDetail(cluster: string): ObjectDetail {
  const item = makePod(cluster, "web-0", {
    object,
    labels: { app: "web", tier: "front" },
    health: "Degraded",
    healthMessage: "It crashes.",
  });
  const event = makePod(cluster, "e1", {
    kind: "events",
    cells: ["5s", "Warning", "BackOff", "pod/web-0", "", "kubelet", "Back-off restarting"],
  });
  return {
    item,
    table: podTable,
    age: makeAge(cluster),
    events: [event],
    children: [],
    owners: [
      makeDeployment(cluster, "web-5d4f", { apiVersion: "apps/v1", kindName: "ReplicaSet" }),
      makeDeployment(cluster, "web"),
    ],
  };
}

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  return { hub, cli, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("an object is shown with its owners, health, containers, conditions and events", async () => {
  await using it = await signedIn();
  const query = "cluster=east&namespace=shop&kind=pod&name=web-0&sort=cluster&limit=21";
  it.hub.routes.set(`GET /api/v1/objects?${query}`, () => ({
    status: 200,
    body: makeList({ items: [makePod("east", "web-0")] }),
  }));
  it.hub.routes.set("GET /api/v1/objects/east/east-web-0", () => ({ status: 200, body: makeDetail("east") }));

  const { code, stdout } = await it.cli.run(["describe", "pod/web-0", "-n", "shop", "--cluster", "east"]);

  expect(code).toBe(0);
  expect(stdout).toBe(`Name:          web-0
Namespace:     shop
Cluster:       east
Data:          3s
Kind:          Pod (v1)
UID:           east-web-0
Created:       ${at(330)} (5m30s ago)
Labels:        app=web
               tier=front
Annotations:   example.com/long=${"x".repeat(200)}…
Owned by:      replicaset.apps/web-5d4f < deployment.apps/web
Health:        Degraded: It crashes.
Ready:         1/1
Restarts:      0

Init containers:
  prepare:
    Image:         busybox:1

Containers:
  web:
    Image:         nginx:1.29
    Ports:         80/TCP, 53/UDP
    Args:          -g daemon off;
    State:         Waiting: CrashLoopBackOff (back-off 1m�[2J)
    Last state:    Terminated: Error, exit code 137
    Ready:         false
    Restarts:      4
    Requests:      cpu=100m, memory=64Mi

Conditions:
  TYPE   STATUS  SINCE  REASON              MESSAGE
  Ready  False   90s    ContainersNotReady  -

Events:
  LAST SEEN  TYPE     REASON   OBJECT     MESSAGE
  5s         Warning  BackOff  pod/web-0  Back-off restarting
`);
});

test("the template of a workload has its containers shown, and its children", async () => {
  await using it = await signedIn();
  const template = { spec: { containers: [{ name: "job", image: "job:1" }] } };
  const item = makeDeployment("east", "web", { object: { spec: { jobTemplate: { spec: { template } } } } });
  const detail = { ...makeDetail("east"), item, owners: [], events: [], children: [makePod("east", "web-0")] };
  it.hub.routes.set("GET /api/v1/objects?kind=cj&name=web&sort=cluster&limit=21", () => ({
    status: 200,
    body: makeList({ items: [item] }),
  }));
  it.hub.routes.set("GET /api/v1/objects/east/east-web", () => ({ status: 200, body: detail }));

  const { stdout } = await it.cli.run(["describe", "cj", "web"]);

  expect(stdout).toContain("\nContainers:\n  job:\n    Image:         job:1\n");
  expect(stdout).toContain("\nChildren:\n  OBJECT     HEALTH\n  pod/web-0  Healthy\n");
  expect(stdout).toMatch(/Owned by: +-\n/);
  expect(stdout).toMatch(/\nEvents: <none>\n$/);
});

test("objects of the name in several clusters come one after the other; in JSON as a list", async () => {
  await using it = await signedIn();
  const clusters = [makeAge("east"), makeAge("west", { state: "offline", ageMs: 60_000 })];
  const items = [makePod("east", "web-0"), makePod("west", "web-0")];
  it.hub.routes.set("GET /api/v1/objects?kind=pod&name=web-0&sort=cluster&limit=21", () => ({
    status: 200,
    body: makeList({ items, clusters }),
  }));
  it.hub.routes.set("GET /api/v1/objects/east/east-web-0", () => ({ status: 200, body: makeDetail("east") }));
  it.hub.routes.set("GET /api/v1/objects/west/west-web-0", () => ({
    status: 200,
    body: { ...makeDetail("west"), age: clusters[1] },
  }));

  const text = await it.cli.run(["describe", "pod", "web-0"]);
  const json = await it.cli.run(["describe", "pod", "web-0", "--json"]);

  expect(text.stdout.match(/^Cluster: +\w+\nData: +.*$/gm)).toEqual([
    "Cluster:       east\nData:          3s",
    "Cluster:       west\nData:          offline 60s",
  ]);
  expect(text.stderr).toBe("Warning: west is offline: what is shown of it is 60s old.\n");
  expect(JSON.parse(json.stdout).items.map((one: ObjectDetail) => one.item.cluster)).toEqual(["east", "west"]);
});

test("an object that is nowhere is a failure, and one without a name a mistake", async () => {
  await using it = await signedIn();
  it.hub.routes.set("GET /api/v1/objects?kind=pod&name=x&sort=cluster&limit=21", () => ({
    status: 200,
    body: makeList(),
  }));

  expect(await it.cli.run(["describe", "pod", "x"])).toMatchObject({ code: 4 });
  expect(await it.cli.run(["describe", "pod"])).toMatchObject({ code: 2 });
});
