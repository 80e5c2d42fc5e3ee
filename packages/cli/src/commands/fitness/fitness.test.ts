import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { startContractHub } from "../../testing/hub.fixture.ts";
import { makeAge, makeList, makePod } from "../../testing/objects.fixture.ts";

const made = { examinedWith: { profile: "fairlead", generation: 0, catalogue: "1" } };

test("the doctor shows a matrix of all clusters, what doesn't pass, and what differs", async () => {
  await using at = await signedIn({
    examinations: [examination("east", "fit", "3.5.7"), examination("west", "unfit", "3.5.4")],
    checks: [shown("west", "argocd.some", { verdict: "fail", message: "It is\u001b[31m wrong.", ...made })],
    clusters: ["east", "west", "new"],
  });
  const { code, stdout } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stdout).toBe(
    [
      "CLUSTER  FITNESS  TYPE  PASS  WARN  FAIL  UNKNOWN  AGE-OF-DATA",
      "east     fit      eks   3     0     1     2        3s",
      "new      unknown  -     -     -     -     -        3s",
      "west     unfit    eks   3     0     1     2        3s",
      "",
      "ADDON   east           new      west",
      "argocd  healthy 3.5.7  unknown  healthy 3.5.4",
      "keda    absent         unknown  absent",
      "",
      "CLUSTER  CHECK        VERDICT  MESSAGE",
      "west     argocd.some  fail     It is�[31m wrong.",
      "",
      "Clusters differ:",
      "  argocd: 3.5.4 in west; 3.5.7 in east",
      "",
    ].join("\n"),
  );
  expect(code).toBe(1);
});

test.each([
  ["all are fit", [examination("east", "fit", "1")], ["east"], 0],
  ["one has said nothing yet", [examination("east", "fit", "1")], ["east", "new"], 2],
  ["one could not be judged", [examination("east", "unjudged", "1")], ["east"], 2],
] as const)("where %s its exit code says so", async (_what, examinations, clusters, code) => {
  await using at = await signedIn({ examinations, checks: [], clusters });
  expect((await at.cli.run(["doctor", "--all-clusters"])).code).toBe(code);
});

test("it asks the hub or a cluster, never both", async () => {
  await using at = await signedIn({ examinations: [], checks: [], clusters: [] });
  expect(await at.cli.run(["doctor", "--all-clusters", "--from", "."])).toMatchObject({ code: 2 });
});

test("features of many clusters are a matrix", async () => {
  const clusters = ["east", "west"];
  await using at = await signedIn({
    examinations: clusters.map((name) => examination(name, "fit", "1")),
    checks: [],
    clusters,
  });
  expect((await at.cli.run(["features"])).stdout).toBe("FEATURE  east     west\ndeploy   blocked  blocked\n");
});

test("what was found with another generation of the profile than is asked for is unknown, and said to be", async () => {
  await using at = await signedIn({
    examinations: [examination("east", "fit", "3.5.7"), examination("west", "unfit", "3.5.4")],
    checks: [shown("west", "argocd.some", { verdict: "fail", message: "It is wrong.", fix: {}, ...made })],
    clusters: ["east", "west"],
    generations: { west: 4 },
  });
  const { code, stdout, stderr } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stdout).toMatch(/^east +fit +eks +3 +0 +1 +2 /m);
  expect(stdout).toMatch(/^west +unknown +eks +0 +0 +0 +6 /m);
  expect(stdout).toMatch(/^argocd +healthy 3\.5\.7 +unknown 3\.5\.4$/m);
  const why = "examined with generation 0 of the profile; 4 is asked for";
  expect(stdout).toMatch(new RegExp(`^west +argocd\\.some +unknown +${why}$`, "m"));
  expect(stdout).not.toContain("Clusters differ");
  expect(stderr).toContain(`west was ${why}.`);
  expect(code).toBe(2);
  expect((await at.cli.run(["features"])).stdout).toBe("FEATURE  east     west\ndeploy   blocked  unknown\n");
  const { clusters, checks } = JSON.parse((await at.cli.run(["doctor", "--all-clusters", "--json"])).stdout);
  expect(clusters[0]).not.toHaveProperty("outdated");
  expect(clusters[1]).toMatchObject({ outdated: why, found: { fitness: "unknown" } });
  expect(checks).toMatchObject([{ verdict: "unknown", message: why, fix: null }]);
});

test("a feature of one cluster says why it is unknown", async () => {
  await using at = await signedIn({
    ...{ examinations: [], checks: [], clusters: ["west"], generations: { west: 1 } },
    features: [shown("west", "deploy", { state: "available", because: [], ...made })],
  });
  expect((await at.cli.run(["features", "--cluster", "west"])).stdout).toMatch(
    /^deploy +unknown +examined with generation 0 of the profile; 1 is asked for$/m,
  );
});

test("a hub of the version before asks for no generation", async () => {
  await using at = await signedIn({ examinations: [examination("east", "fit", "1")], checks: [], clusters: ["east"] });
  at.hub.routes.delete("GET /api/v1/profile-choices");
  expect((await at.cli.run(["doctor", "--all-clusters"])).code).toBe(0);
});

async function signedIn(options: {
  readonly examinations: readonly object[];
  readonly checks: readonly object[];
  readonly features?: readonly object[];
  readonly clusters: readonly string[];
  readonly generations?: Readonly<Record<string, number>>;
}) {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const clusters = options.clusters.map((name) => makeAge(name));
  const answer = (query: string, items: readonly object[], sort = ""): void => {
    const body = makeList({ items: items as ReturnType<typeof makePod>[], clusters });
    hub.routes.set(`GET /api/v1/objects?${query}&include=object${sort}&limit=100`, () => ({ status: 200, body }));
  };
  answer("kind=examinations.fairlead.dev", options.examinations);
  answer("kind=checks.fairlead.dev&labelSelector=fairlead.dev%2Fverdict%21%3Dpass", options.checks);
  answer("cluster=west&kind=features.fairlead.dev", options.features ?? [], "&sort=name");
  const choices = Object.entries(options.generations ?? {});
  hub.routes.set("GET /api/v1/profile-choices", () => ({
    status: 200,
    body: { items: choices.map(([cluster, generation]) => ({ cluster, profile: "ours", generation })) },
  }));
  return { cli, hub, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

function examination(cluster: string, fitness: string, version: string) {
  return shown(cluster, "cluster", {
    ...{ fitness, clusterType: "eks", verdicts: { pass: 3, warn: 0, fail: 1, unknown: 2 } },
    addons: [
      { id: "argocd", need: "essential", state: "healthy", version },
      { id: "keda", need: "optional", state: "absent" },
    ],
    features: [{ id: "deploy", state: "blocked" }],
    ...made,
  });
}

function shown(cluster: string, name: string, status: object) {
  return makePod(cluster, name, { kind: "examinations.fairlead.dev", object: { status } });
}
