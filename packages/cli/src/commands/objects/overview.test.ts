import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import { makeAge, makeDeployment, makeList, makePod } from "../../testing/objects.fixture.ts";
import { formatMemory } from "./capacity-text.ts";

const ago = (seconds: number): string => new Date(hubNow - seconds * 1000).toISOString();

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const answer = (line: string, body: unknown): void =>
    void hub.routes.set(`GET /api/v1/${line}`, () => ({ status: 200, body }));
  return { hub, cli, answer, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

const eventTable = {
  kind: "events",
  apiVersion: "v1",
  kindName: "Event",
  namespaced: true,
  columns: [
    { name: "Last Seen", type: "string", priority: 0 },
    { name: "Reason", type: "string", priority: 0 },
  ],
};
const event = (name: string, seen: string) =>
  makePod("east", name, { kind: "events", kindName: "Event", cells: [seen, name] });

test("events are listed with the newest last, those of one object by its kind's full name", async () => {
  await using at = await signedIn();
  const kinds = [
    { kind: "pods", apiVersion: "v1", kindName: "Pod", namespaced: true, shortNames: ["po"], clusters: 1, objects: 1 },
    {
      kind: "deployments.apps",
      apiVersion: "apps/v1",
      kindName: "Deployment",
      namespaced: true,
      shortNames: ["deploy"],
      clusters: 1,
      objects: 1,
    },
  ];
  at.answer("kinds", { items: kinds });
  const list = makeList({ items: [event("Pulled", "2s"), event("Scheduled", "9s")], tables: [eventTable] });
  at.answer("objects?kind=events&sort=-changed&limit=2", list);

  const { stdout } = await at.cli.run(["events", "--limit", "2"]);

  expect(stdout).toBe(
    "CLUSTER  NAMESPACE  LAST SEEN  REASON     AGE-OF-DATA\n" +
      "east     shop       9s         Scheduled  3s\n" +
      "east     shop       2s         Pulled     3s\n",
  );
  for (const name of ["deploy/web", "deployments.apps/web", "Deployment/web", "deployment.apps/web"]) {
    await at.cli.run(["events", "--for", name]);
    const asked = new URL(at.hub.requests.at(-1)?.line.split(" ")[1] ?? "", at.hub.url).searchParams;
    expect(asked.get("fieldSelector"), name).toBe("involvedObject.kind=Deployment,involvedObject.name=web");
  }
  expect(await at.cli.run(["events", "--for", "web"])).toMatchObject({ code: 2 });
});

test("changes are asked for since a time, page by page, and told with the newest last", async () => {
  await using at = await signedIn();
  const clusters = [makeAge("east")];
  const change = (seconds: number, kind: string, object: object) => ({
    at: ago(seconds),
    change: kind,
    object,
    specChangedAt: ago(seconds),
  });
  const query = "kind=deploy&status=true&since=2026-05-06T06%3A08%3A09.000Z";
  at.answer(`changes?${query}&limit=500`, {
    items: [change(60, "updated", makeDeployment("east", "web", { health: "Progressing" }))],
    clusters,
    next: "p2",
  });
  at.answer(`changes?${query}&cursor=p2&limit=500`, {
    items: [{ ...change(1800, "deleted", makePod("east", "web-0", { health: undefined })), healthMessage: "It was." }],
    clusters,
  });

  const { stdout } = await at.cli.run(["change", "list", "--since", "1h", "--status", "--kind", "deploy"]);

  expect(stdout).toBe(
    "AGO  CHANGE   CLUSTER  NAMESPACE  OBJECT               HEALTH       AGE-OF-DATA  MESSAGE\n" +
      "30m  deleted  east     shop       pod/web-0            -            3s           It was.\n" +
      "60s  updated  east     shop       deployment.apps/web  Progressing  3s\n",
  );
});

test("what was asked for and then only reported on is told by when it was asked for", async () => {
  await using at = await signedIn();
  const change = { at: ago(5), change: "status", object: makeDeployment("east", "web"), specChangedAt: ago(600) };
  at.answer("changes?since=2026-05-06T06%3A08%3A09.000Z&limit=500", { items: [change], clusters: [] });
  at.answer("changes?status=true&since=2026-05-06T06%3A08%3A09.000Z&limit=500", { items: [change], clusters: [] });

  expect((await at.cli.run(["change", "list"])).stdout).toContain("\n10m  updated  east");
  expect((await at.cli.run(["change", "list", "--status"])).stdout).toContain("\n5s   status  east");
});

test("nothing changed is no failure, and an hour is the default", async () => {
  await using at = await signedIn();
  at.answer("changes?since=2026-05-06T06%3A08%3A09.000Z&limit=500", { items: [], clusters: [] });

  expect(await at.cli.run(["change", "list"])).toEqual({ code: 0, stdout: "", stderr: "Nothing has changed.\n" });
});

const capacity = {
  nodes: 3,
  readyNodes: 2,
  pods: 61,
  runningPods: 58,
  podsAllocatable: 330,
  cpuCapacity: 12,
  cpuAllocatable: 12,
  cpuRequested: 5.1,
  memoryCapacity: 2 ** 35,
  memoryAllocatable: 2 ** 35,
  memoryRequested: 2 ** 33,
};

test("top shows how full each cluster is, and what isn't healthy in it", async () => {
  await using at = await signedIn();
  at.answer("inventories?clusterSelector=env%3Dprod", {
    items: [
      {
        age: makeAge("east"),
        kubernetesVersion: "v1.34.1",
        capacity,
        health: { Healthy: 9, Degraded: 2, Progressing: 1 },
      },
      { age: makeAge("west", { state: "offline", ageMs: 300_000 }), health: {} },
    ],
  });

  const result = await at.cli.run(["top", "cluster", "--cluster-selector", "env=prod"]);

  expect(result.stdout).toBe(
    "CLUSTER  STATE      KUBERNETES  NODES      PODS    CPU           MEMORY          UNHEALTHY                  AGE-OF-DATA\n" +
      "east     connected  v1.34.1     2/3 ready  61/330  5.1/12 (43%)  8Gi/32Gi (25%)  2 Degraded, 1 Progressing  3s\n" +
      "west     offline    -           -          -       -             -               -                          offline 5m\n",
  );
  expect(result.stderr).toContain("west is offline");
});

test.each([
  [0, "0"],
  [1023, "1023"],
  [1536, "1.5Ki"],
  [200 * 2 ** 20, "200Mi"],
  [46.8 * 2 ** 30, "46.8Gi"],
])("%i bytes are %s", (sizeBytes, text) => {
  expect(formatMemory(sizeBytes)).toBe(text);
});
