// Unknown, forbidden, not observed and empty are four answers with four exit codes.
import type { ObjectList } from "@fairlead/contract";
import { FairleadError, toProblem } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { startContractHub } from "../../testing/hub.fixture.ts";
import { makeAge, makeList, nodeTable } from "../../testing/objects.fixture.ts";

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const answer = (query: string, list: ObjectList): void =>
    void hub.routes.set(`GET /api/v1/${query}`, () => ({ status: 200, body: list }));
  const refuse = (query: string, code: string, httpStatus: number): void => {
    const error = new FairleadError({ code, message: "The hub says why.", hint: "What to do.", httpStatus });
    const body = toProblem(error, { requestId: "req_1" });
    hub.routes.set(`GET /api/v1/${query}`, () => ({ status: httpStatus, body }));
  };
  return { hub, cli, answer, refuse, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

const get = { args: ["get", "pods"], query: "objects?kind=pods&sort=cluster&limit=500" };
const commands = [
  get,
  { args: ["get", "pods", "-w"], query: "objects?kind=pods&limit=1" },
  { args: ["describe", "pod/web-0"], query: "objects?kind=pod&name=web-0&sort=cluster&limit=21" },
  { args: ["events"], query: "objects?kind=events&sort=-changed&limit=500" },
];

test.each([
  ["OBJECTS_CLUSTER_UNKNOWN", 404, 4],
  ["OBJECTS_KIND_UNKNOWN", 404, 4],
  ["OBJECTS_FORBIDDEN", 403, 7],
  ["OBJECTS_NO_CLUSTER_VISIBLE", 403, 7],
  ["OBJECTS_KIND_NOT_OBSERVED", 409, 9],
])("%s (%i) is told in the hub's words and is exit code %i", async (refusal, status, code) => {
  await using at = await signedIn();
  for (const { args, query } of commands) {
    at.refuse(query, refusal, status);
    expect(await at.cli.run(args), args.join(" ")).toEqual({
      code,
      stdout: "",
      stderr: `fairlead: The hub says why. (${refusal})\n  What to do.\n`,
    });
  }
});

test("empty is exit code 0, and in JSON a list without items", async () => {
  await using at = await signedIn();
  at.answer(get.query, makeList());
  at.answer("objects?kind=pods&include=object&sort=cluster&limit=100", makeList());

  expect(await at.cli.run(get.args)).toEqual({ code: 0, stdout: "", stderr: "No resources found.\n" });
  const { stdout, ...rest } = await at.cli.run([...get.args, "-o", "json"]);
  expect(rest).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ apiVersion: "v1", kind: "List", items: [] });
});

test("a kind without namespaces isn't said to be missing from one", async () => {
  await using at = await signedIn();
  const query = (kind: string) => `objects?namespace=shop&kind=${kind}&sort=cluster&limit=500`;
  at.answer(query("nodes"), makeList({ tables: [nodeTable] }));
  at.answer(query("pods"), makeList());

  expect((await at.cli.run(["get", "nodes", "-n", "shop"])).stderr).toBe("No resources found.\n");
  expect((await at.cli.run(["get", "pods", "-n", "shop"])).stderr).toBe("No resources found in the namespace shop.\n");
});

test("labels that no cluster has are said to be the reason", async () => {
  await using at = await signedIn();
  at.answer("objects?clusterSelector=env%3Dprdo&kind=pods&sort=cluster&limit=500", makeList({ clusters: [] }));

  expect(await at.cli.run([...get.args, "--cluster-selector", "env=prdo"])).toMatchObject({
    code: 0,
    stderr: "No resources found: no cluster that you can see has labels like env=prdo.\n",
  });
});

test("what is left out of an answer is warned of, whatever its format", async () => {
  await using at = await signedIn();
  const clusters = [
    makeAge("east", { missing: [{ kind: "secrets", reason: "forbidden" }] }),
    makeAge("west", { ageMs: undefined, missing: [{ kind: "secrets", reason: "not-observed" }] }),
  ];
  at.answer("objects?kind=pods%2Csecrets&sort=cluster&limit=500", makeList({ clusters }));
  at.answer("objects?kind=pods%2Csecrets&include=object&sort=cluster&limit=100", makeList({ clusters }));
  const warnings =
    "Warning: you may not list secrets in east: they aren't in the answer.\n" +
    "Warning: the hub has no copy of secrets of west: they aren't in the answer.\n";

  const table = await at.cli.run(["get", "pods,secrets"]);
  expect(table).toMatchObject({ code: 0, stderr: `No resources found.\n${warnings}` });
  const json = await at.cli.run(["get", "pods,secrets", "-o", "json"]);
  expect(json).toMatchObject({ code: 0, stderr: warnings });
  expect(JSON.parse(json.stdout).clusters).toEqual(JSON.parse(JSON.stringify(clusters)));
});

test("a name that isn't found where it may be seen is one that may be elsewhere", async () => {
  await using at = await signedIn();
  const west = makeAge("west", { missing: [{ kind: "pods", reason: "forbidden" }] });
  const query = "objects?kind=pod&name=web-9&sort=cluster&limit=500";
  at.answer(query, makeList({ clusters: [makeAge("east"), west] }));
  expect(await at.cli.run(["get", "pod/web-9"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("The latest state of these clusters isn't known: west (forbidden)."),
  });

  at.answer(query, makeList());
  expect(await at.cli.run(["get", "pod/web-9"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("There are no pods named 'web-9' that you can see in east. (CLI_OBJECT_NOT_FOUND)"),
  });
});

test("events of an object whose kind isn't known are not said to be none", async () => {
  await using at = await signedIn();
  at.hub.routes.set("GET /api/v1/kinds", () => ({ status: 200, body: { items: [] } }));
  const selector = encodeURIComponent("involvedObject.kind=Job,involvedObject.name=web");
  at.answer(`objects?kind=events&fieldSelector=${selector}&sort=-changed&limit=500`, makeList());

  expect(await at.cli.run(["events", "--for", "job/web"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("(CLI_EVENT_KIND_UNKNOWN)"),
  });
  expect(await at.cli.run(["events", "--for", "Job/web"])).toMatchObject({ code: 0 });
});

test.each([[["cluster", "list"]], [["top", "cluster"]]])(
  "%j: who has no role is told so, and not to add a first cluster",
  async (args) => {
    await using at = await signedIn();
    at.hub.routes.set("GET /api/v1/inventories", () => ({ status: 200, body: { items: [] } }));
    const run = () => at.cli.run(args);

    expect(await run()).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^No clusters yet\. 'fairlead cluster/),
    });
    Object.assign(at.hub.sessions.principal, { kind: "robot", name: "robot:ci", bindings: [] });
    expect(await run()).toMatchObject({
      code: 7,
      stdout: "",
      stderr: expect.stringMatching(/^fairlead: robot:ci has no role in any cluster, .* \(CLI_ROLE_MISSING\)\n/),
    });
    Object.assign(at.hub.sessions.principal, { bindings: [{ role: "viewer", clusters: "env=prod" }] });
    expect(await run()).toMatchObject({ code: 0, stderr: "No cluster that you can see.\n" });
  },
);
