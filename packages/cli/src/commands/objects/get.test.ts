import type { ObjectList } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import {
  deploymentTable,
  makeAge,
  makeDeployment,
  makeList,
  makePod,
  nodeTable,
} from "../../testing/objects.fixture.ts";

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const answer = (query: string, list: ObjectList): void => {
    hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body: list }));
  };
  return { hub, cli, answer, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("a table has kubectl's columns between the cluster and the age of its data, page after page", async () => {
  await using at = await signedIn();
  const clusters = [makeAge("east"), makeAge("west", { state: "offline", ageMs: 300_000 })];
  at.answer(
    "kind=pods&sort=cluster&limit=500",
    makeList({
      items: [makePod("east", "web-0"), makePod("east", "web-1", { cells: ["web-1", "0/1", "2 (5m ago)", null, "n"] })],
      clusters,
      next: "p2",
    }),
  );
  at.answer("kind=pods&sort=cluster&cursor=p2&limit=500", makeList({ items: [makePod("west", "db-0")], clusters }));

  const result = await at.cli.run(["get", "pods"]);

  expect(result.stdout).toBe(
    "CLUSTER  NAMESPACE  NAME   READY  RESTARTS    AGE    AGE-OF-DATA\n" +
      "east     shop       web-0  1/1    0           5m30s  3s\n" +
      "east     shop       web-1  0/1    2 (5m ago)         3s\n" +
      "west     shop       db-0   1/1    0           5m30s  offline 5m\n",
  );
  expect(result).toMatchObject({ code: 0, stderr: "Warning: west is offline: what is shown of it is 5m old.\n" });
});

test("every option reaches the hub as the query that it stands for", async () => {
  await using at = await signedIn();

  const args = ["get", "po", "web-0", "--cluster", "east", "--cluster", "west", "--cluster-selector", "env=prod"];
  const more = ["-n", "shop", "-l", "app=web", "--field-selector", "spec.nodeName=n1", "--search", "nginx"];
  await at.cli.run([...args, ...more, "--health", "Degraded", "--sort-by", "-age", "--limit", "7", "-o", "yaml"]);

  const line = at.hub.requests.find((request) => request.line.includes("/objects?"))?.line;
  const asked = new URL(line?.split(" ")[1] ?? "", at.hub.url).searchParams;
  expect(Object.fromEntries(asked)).toEqual({
    kind: "po",
    name: "web-0",
    cluster: "east,west",
    clusterSelector: "env=prod",
    namespace: "shop",
    labelSelector: "app=web",
    fieldSelector: "spec.nodeName=n1",
    search: "nginx",
    health: "Degraded",
    sort: "-age",
    limit: "7",
    include: "object",
  });
});

test.each([
  [["-n", "shop"], "CLUSTER  NAME   READY  RESTARTS  AGE    AGE-OF-DATA"],
  [["-n", "shop,blog"], "CLUSTER  NAMESPACE  NAME   READY  RESTARTS  AGE    AGE-OF-DATA"],
  [["-n", "shop", "-A"], "CLUSTER  NAMESPACE  NAME   READY  RESTARTS  AGE    AGE-OF-DATA"],
  [["-o", "wide"], "CLUSTER  NAMESPACE  NAME   READY  RESTARTS  AGE    NODE  HEALTH   AGE-OF-DATA"],
])("with %j the heading is %s", async (options, heading) => {
  await using at = await signedIn();
  const isNarrow = options[0] === "-n" && !options.includes("-A");
  const namespace = isNarrow ? `namespace=${encodeURIComponent(options[1] ?? "")}&` : "";
  at.answer(`${namespace}kind=pods&sort=cluster&limit=500`, makeList({ items: [makePod("east", "web-0")] }));

  expect((await at.cli.run(["get", "pods", ...options])).stdout.split("\n")[0]).toBe(heading);
});

test("each kind has its table, and names say which kind they are of", async () => {
  await using at = await signedIn();
  const items = [makeDeployment("east", "web"), makePod("east", "web-0")];
  const tables = [...makeList().tables, deploymentTable, nodeTable];
  at.answer("kind=po%2Cdeploy%2Cno&sort=cluster&limit=500", makeList({ items, tables }));

  const { stdout } = await at.cli.run(["get", "po,deploy,no"]);

  expect(stdout).toMatch(
    /^CLUSTER.*\neast +shop +pod\/web-0 .*\n\nCLUSTER.*\neast +shop +deployment\.apps\/web +3s\n$/,
  );
});

test("nothing found is no failure", async () => {
  await using at = await signedIn();
  at.answer("kind=pods&sort=cluster&limit=500", makeList());

  expect(await at.cli.run(["get", "pods"])).toEqual({ code: 0, stdout: "", stderr: "No resources found.\n" });
});

test("a name that no cluster has is a failure that says which clusters aren't sure", async () => {
  await using at = await signedIn();
  const clusters = [makeAge("east"), makeAge("west", { state: "offline", ageMs: 9_000 })];
  at.answer("kind=pod&name=web-9&sort=cluster&limit=500", makeList({ clusters }));

  const result = await at.cli.run(["get", "pod/web-9"]);

  expect(result.code).toBe(4);
  expect(result.stderr).toContain(
    "There are no pods named 'web-9' that you can see in any of 2 clusters. (CLI_OBJECT_NOT_FOUND)",
  );
  expect(result.stderr).toContain("west (offline)");
});

test("kinds that are in trouble and clusters that report nothing are named beside the answer", async () => {
  await using at = await signedIn();
  const unavailable = {
    kind: "pods",
    state: "unavailable",
    code: "KUBE_FORBIDDEN",
    message: "no right to list",
  } as const;
  const clusters = [
    makeAge("east", { troubles: [unavailable] }),
    makeAge("north", { ageMs: undefined, troubles: [{ kind: "pods", state: "listing" }] }),
    makeAge("south", { ageMs: undefined }),
    makeAge("west", { ageMs: undefined, state: "never-connected" }),
  ];
  at.answer("kind=pods&sort=cluster&limit=500", makeList({ items: [makePod("east", "web-0")], clusters }));

  const result = await at.cli.run(["get", "pods"]);

  expect(result.stdout).toMatch(/ unknown\n$/);
  expect(result).toMatchObject({
    code: 0,
    stderr:
      "Warning: pods of east are unknown: no right to list (KUBE_FORBIDDEN)\n" +
      "Warning: pods of north aren't all here yet.\n" +
      "Warning: nothing of south, west (never-connected) is in the answer: no agent with the role observe has reported its objects.\n",
  });
});

test("documents say which cluster an object is of, unless one cluster was named", async () => {
  await using at = await signedIn();
  const object = { metadata: { name: "web-0", annotations: { a: "b" } }, status: { phase: "Running" } };
  const list = makeList({ items: [makePod("east", "web-0", { object })] });
  const [all, one] = [
    "kind=pods&include=object&sort=cluster&limit=100",
    "&kind=pods&name=web-0&include=object&sort=cluster&limit=100",
  ];
  at.answer(all, list);
  at.answer(`cluster=east${one}`, list);
  const whole = { apiVersion: "v1", kind: "Pod", ...object };
  const named = ["get", "pods", "web-0", "--cluster", "east", "-o"];

  for (const flag of ["-ojson", "--json"]) {
    expect(JSON.parse((await at.cli.run(["get", "pods", flag])).stdout)).toEqual({
      apiVersion: "v1",
      kind: "List",
      clusters: list.clusters,
      items: [{ ...whole, cluster: "east" }],
    });
  }
  expect(JSON.parse((await at.cli.run([...named, "json"])).stdout)).toEqual(whole);
  expect((await at.cli.run([...named, "yaml"])).stdout).toMatch(
    /^apiVersion: v1\nkind: Pod\nmetadata:\n {2}name: web-0\n/,
  );
  expect((await at.cli.run([...named, "jsonpath={.status.phase}"])).stdout).toBe("Running");
  expect((await at.cli.run(["get", "pods", "-o", "jsonpath={.items[*].cluster}"])).stdout).toBe("east");
});

test("names are written so that they can be asked for again", async () => {
  await using at = await signedIn();
  at.answer(
    "kind=deploy&sort=cluster&limit=500",
    makeList({ items: [makeDeployment("east", "web")], tables: [deploymentTable] }),
  );
  at.answer(
    "cluster=east&kind=deploy&sort=cluster&limit=500",
    makeList({ items: [makeDeployment("east", "web")], tables: [deploymentTable] }),
  );

  expect((await at.cli.run(["get", "deploy", "-o", "name"])).stdout).toBe("east/deployment.apps/web\n");
  expect((await at.cli.run(["get", "deploy", "-o", "name", "--cluster", "east"])).stdout).toBe("deployment.apps/web\n");
});

test("what an object is called can't steer the terminal", async () => {
  await using at = await signedIn();
  const item = makePod("east", "x", { cells: ["x\u001b[2J", "a\nb", 0, new Date(hubNow).toISOString(), null] });
  at.answer("kind=pods&sort=cluster&limit=500", makeList({ items: [item] }));

  const { stdout } = await at.cli.run(["get", "pods"]);

  expect(stdout).toContain("x�[2J  a...");
  expect(stdout.split("\n")).toHaveLength(3);
});

test.each([
  [["pods", "-o", "xml"], "'xml' isn't a format"],
  [["pods", "-o", "jsonpath={.a"], "isn't a JSONPath template"],
  [["pods", "--sort-by", "size"], "can't be sorted by 'size'"],
  [["pods", "--limit", "0"], "isn't a number of objects"],
  [["pods", "--all-clusters", "--cluster", "east"], "can't be combined with"],
  [["pod/a", "b"], "isn't a kind, or a kind and a name"],
  [["pod/a/b"], "isn't a kind, or a kind and a name"],
])("get %j is refused", async (args, why) => {
  await using at = await signedIn();

  expect(await at.cli.run(["get", ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});
