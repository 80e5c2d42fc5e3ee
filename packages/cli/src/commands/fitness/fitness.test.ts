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
  const { code, stdout } = await at.cli.run(["doctor", "--all-clusters", "--all"]);
  expect(stdout).toBe(
    [
      "CLUSTER  FITNESS  TYPE  PASS  WARN  FAIL  UNKNOWN  AGE-OF-DATA",
      "west     unfit    eks   3     0     1     2        3s",
      "new      unknown  -     -     -     -     -        3s",
      "east     fit      eks   3     0     1     2        3s",
      "",
      fitMeans("1 of 1 in east"),
      "",
      "CLUSTER  STATE    ADDONS",
      "west     absent   keda",
      "west     healthy  argocd 3.5.4",
      "east     absent   keda",
      "east     healthy  argocd 3.5.7",
      "",
      "CLUSTER  CHECK        VERDICT  MESSAGE",
      "west     argocd.some  fail     It is�[31m wrong.",
      "",
      "Clusters differ:",
      "  argocd: 3.5.4 in west; 3.5.7 in east",
      "",
      "Versions outside of the catalogue's ranges:",
      "  argocd (chart >=7.0.0 <11.0.0): unknown in east (3.5.7), west (3.5.4)",
      "",
    ].join("\n"),
  );
  expect(code).toBe(1);
});

test("of many clusters only what matters is shown, those that aren't fit first, unless all is asked for", async () => {
  const well = Array.from({ length: 36 }, (_, index) => addon(`addon-${index}`));
  const states = (...own: readonly (readonly [id: string, need: string, state: string])[]) => [
    ...own.map(([id, need, state]) => ({ id, need, state })),
    ...well,
  ];
  const broken = states(
    ["argocd", "essential", "absent"],
    ["keda", "optional", "misconfigured"],
    ["loki", "optional", "absent"],
    ["istio", "optional", "degraded"],
  );
  const names = Array.from({ length: 20 }, (_, index) => `c${String(index).padStart(2, "0")}`);
  const examinations = names.map((name) =>
    name === "c13" ? examination(name, "unfit", "1", broken) : examination(name, "fit", "1", states()),
  );
  await using at = await signedIn({ examinations, checks: [], clusters: names });
  const { stdout, stderr } = await at.cli.run(["doctor", "--all-clusters"]);
  const lines = stdout.split("\n");
  expect(lines[1]).toMatch(/^c13 +unfit /);
  expect(lines[2]).toMatch(/^c00 +fit /);
  expect(lines.slice(21, 29)).toEqual([
    "",
    fitMeans("1 of 1 in c00, 1 of 1 in c01, 1 of 1 in c02, 1 of 1 in c03, 1 of 1 in c04 and 14 more"),
    "",
    "CLUSTER  STATE          ADDONS",
    "c13      misconfigured  keda",
    "c13      degraded       istio",
    "c13      absent         argocd",
    "",
  ]);
  expect(stderr).toContain("--all shows all addons and checks");
  expect((await at.cli.run(["doctor", "--all-clusters", "--all"])).stdout).toContain("addon-35");
});

test("--all is about clusters of the hub", async () => {
  await using at = await signedIn({ examinations: [], checks: [], clusters: [] });
  expect(await at.cli.run(["doctor", "--all"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--all-clusters"),
  });
});

test.each([
  ["all are fit", [examination("east", "fit", "1")], ["east"], 0],
  ["one has said nothing yet", [examination("east", "fit", "1")], ["east", "new"], 2],
  ["one could not be judged", [examination("east", "unjudged", "1")], ["east"], 2],
] as const)("where %s its exit code says so", async (_what, examinations, clusters, code) => {
  await using at = await signedIn({ examinations, checks: [], clusters });
  expect((await at.cli.run(["doctor", "--all-clusters"])).code).toBe(code);
});

test("versions are judged by the catalogue, for each addon that is there and each cluster", async () => {
  const found = {
    old: [{ ...addon("argocd"), chartVersion: "6.11.1" }, addon("gateway-api")],
    right: [
      { ...addon("argocd"), chartVersion: "9.5.11" },
      { ...addon("keda"), version: "2.19.0" },
    ],
    young: [
      { ...addon("argocd"), chartVersion: "11.0.0" },
      { ...addon("keda"), version: "2.13.0", state: "absent" },
    ],
  };
  const examinations = Object.entries(found).map(([name, addons]) => examination(name, "fit", "1", addons));
  await using at = await signedIn({ examinations, checks: [], clusters: Object.keys(found) });
  const { stdout } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stdout.split("Versions outside of the catalogue's ranges:\n")[1]).toBe(
    "  argocd (chart >=7.0.0 <11.0.0): behind in old (chart 6.11.1); ahead in young (chart 11.0.0)\n",
  );
  const { versions } = JSON.parse((await at.cli.run(allAsJson)).stdout) as { versions: object[] };
  expect(versions).toMatchObject([
    { addon: "argocd", cluster: "old", standing: "behind", range: ">=7.0.0 <11.0.0" },
    { addon: "argocd", cluster: "right", standing: "within" },
    { addon: "argocd", cluster: "young", standing: "ahead" },
    { addon: "gateway-api", cluster: "old", standing: "unknown" },
    { addon: "keda", cluster: "right", standing: "within" },
  ]);
});

test("a host and port that several clusters claim is a warning, until somebody recorded what is meant", async () => {
  const claims = (chosenFor?: string) => [
    gateway("east", "istio/istio-system/public", chosenFor),
    gateway("west", "gateway-api/edge/sh\u001b[31mared"),
  ];
  const examinations = [examination("east", "fit", "1"), examination("west", "fit", "1")];
  const open = { examinations, checks: [], clusters: ["east", "west"], gateways: claims() };
  await using at = await signedIn(open);
  const warning = [
    "Several clusters claim the same host and port:",
    "  shop.example.com:443: istio/istio-system/public of east, gateway-api/edge/sh�[31mared of west",
    "  'fairlead gateway prefer HOST:PORT GATEWAY --cluster CLUSTER' records which serves it; in each of them, that all do.",
    "",
  ].join("\n");
  const { code, stdout } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stdout).toContain(`\n\n${warning}`);
  expect(code).toBe(0);
  expect((await at.cli.run(["gateway", "list"])).stdout).toContain(`\n\n${warning}`);
  await using settled = await signedIn({ ...open, gateways: claims("shop.example.com:443") });
  for (const command of [
    ["doctor", "--all-clusters"],
    ["gateway", "list"],
  ])
    expect((await settled.cli.run(command)).stdout).not.toContain("Several clusters");
});

test("more gateways than are compared are said", async () => {
  await using at = await signedIn({ examinations: [examination("east", "fit", "1")], checks: [], clusters: ["east"] });
  const items = Array.from({ length: 100 }, (_, index) => gateway("east", `istio/a/gateway-${index}`));
  const body = { ...makeList({ items, clusters: [makeAge("east")] }), next: "on" };
  at.routes.set(gatewayRoute, () => ({ status: 200, body }));
  at.routes.set(gatewayRoute.replace("&limit", "&cursor=on&limit"), () => ({ status: 200, body }));
  const { stderr } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stderr).toContain("only 10000 gateways were compared");
  expect(at.requests().filter((line) => line.includes("gateways"))).toHaveLength(100);
});

test("who may see no gateways is told that they weren't compared", async () => {
  await using at = await signedIn({ examinations: [examination("east", "fit", "1")], checks: [], clusters: ["east"] });
  const problem = { type: "about:blank", title: "no", status: 403, code: "OBJECTS_FORBIDDEN", detail: "You may not." };
  at.routes.set(gatewayRoute, () => ({ status: 403, body: problem }));
  const { code, stdout, stderr } = await at.cli.run(["doctor", "--all-clusters"]);
  expect(stderr).toContain("gateways of clusters can't be compared: You may not.");
  expect(stdout).toMatch(/^east +fit /m);
  expect(code).toBe(0);
});

test("it asks the hub or a cluster, never both", async () => {
  await using at = await signedIn({ examinations: [], checks: [], clusters: [] });
  expect(await at.cli.run(["doctor", "--all-clusters", "--from", "."])).toMatchObject({ code: 2 });
});

test("all pages of the matrix are read", async () => {
  await using at = await signedIn({ examinations: [], checks: [], clusters: [] });
  const page = (cluster: string, next?: string) => ({
    status: 200,
    body: { items: [{ cluster, age: makeAge(cluster) }], ...(next !== undefined && { next }) },
  });
  at.routes.set("GET /api/v1/fitness", () => page("east", "more"));
  at.routes.set("GET /api/v1/fitness?cursor=more", () => page("west"));
  const { stdout } = await at.cli.run(["feature", "list"]);
  expect(stdout).toContain("FEATURE  east  west");
});

test("features of many clusters are a matrix", async () => {
  const clusters = ["east", "west"];
  await using at = await signedIn({
    examinations: clusters.map((name) => examination(name, "fit", "1")),
    checks: [],
    clusters,
  });
  expect((await at.cli.run(["feature", "list"])).stdout).toBe("FEATURE  east     west\ndeploy   blocked  blocked\n");
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
  expect(stdout).toMatch(/^west +unknown +argocd 3\.5\.4$/m);
  const why = "examined with generation 0 of the profile; 4 is asked for";
  expect(stdout).toMatch(new RegExp(`^west +argocd\\.some +unknown +${why}$`, "m"));
  expect(stdout).not.toContain("Clusters differ");
  expect(stderr).toContain(`west was ${why}.`);
  expect(code).toBe(2);
  expect((await at.cli.run(["feature", "list"])).stdout).toBe("FEATURE  east     west\ndeploy   blocked  unknown\n");
  const { clusters, checks } = JSON.parse((await at.cli.run(["doctor", "--all-clusters", "--json"])).stdout);
  expect(clusters[0]).not.toHaveProperty("outdated");
  expect(clusters[1]).toMatchObject({ outdated: why, found: { fitness: "unknown" } });
  expect(checks).toMatchObject([{ verdict: "unknown", message: why, fix: null }]);
});

test("a feature of one cluster says why it is unknown", async () => {
  await using at = await signedIn({
    examinations: [],
    checks: [],
    clusters: ["west"],
    generations: { west: 1 },
    features: [shown("west", "deploy", { state: "available", because: [], ...made })],
  });
  expect((await at.cli.run(["feature", "list", "--cluster", "west"])).stdout).toMatch(
    /^deploy +unknown +examined with generation 0 of the profile; 1 is asked for$/m,
  );
});

async function signedIn(options: {
  readonly examinations: readonly Examined[];
  readonly checks: readonly object[];
  readonly features?: readonly object[];
  readonly gateways?: readonly Examined[];
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
  const statuses = new Map(options.examinations.map(({ cluster, object }) => [cluster, object?.["status"]]));
  const items = options.clusters
    .toSorted()
    .map((name) => ({ cluster: name, age: makeAge(name), found: statuses.get(name) }));
  hub.routes.set("GET /api/v1/fitness", () => ({ status: 200, body: { items } }));
  for (const selector of ["fairlead.dev/verdict!=pass", "fairlead.dev/verdict=fail,fairlead.dev/severity=required"])
    answer(`kind=checks.fairlead.dev&${new URLSearchParams({ labelSelector: selector })}`, options.checks);
  answer("cluster=west&kind=features.fairlead.dev", options.features ?? [], "&sort=name");
  const choices = Object.entries(options.generations ?? {});
  hub.routes.set("GET /api/v1/profile-choices", () => ({
    status: 200,
    body: { items: choices.map(([cluster, generation]) => ({ cluster, profile: "ours", generation })) },
  }));
  const gateways = makeList({ items: [...(options.gateways ?? [])], clusters });
  hub.routes.set(gatewayRoute, () => ({ status: 200, body: gateways }));
  const requests = () => hub.requests.map(({ line }) => line);
  return { cli, routes: hub.routes, requests, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

function fitMeans(blocked: string): string {
  return `Fit means that each required check passes and each essential addon is there. Features that need optional addons may be blocked all the same: ${blocked} ('fairlead feature list' says which).`;
}

const allAsJson = ["doctor", "--all-clusters", "--json"];

const gatewayRoute = "GET /api/v1/objects?kind=gateways.fairlead.dev&include=object&sort=cluster&limit=100";

function gateway(cluster: string, id: string, chosenFor?: string): Examined {
  const listeners = [{ host: "shop.example.com", port: 443, protocol: "HTTPS", field: "spec" }];
  const object = { spec: { id, listeners, ...(chosenFor !== undefined && { chosenFor: [chosenFor] }) }, status: {} };
  return makePod(cluster, id, { kind: "gateways.fairlead.dev", object });
}

type Examined = ReturnType<typeof makePod>;

function addon(id: string) {
  return { id, need: "optional", state: "healthy" };
}

function examination(
  cluster: string,
  fitness: string,
  version: string,
  addons: readonly object[] = [
    { id: "argocd", need: "essential", state: "healthy", version },
    { id: "keda", need: "optional", state: "absent" },
  ],
): Examined {
  return shown(cluster, "cluster", {
    fitness,
    clusterType: "eks",
    verdicts: { pass: 3, warn: 0, fail: 1, unknown: 2 },
    addons,
    features: [{ id: "deploy", state: "blocked" }],
    hidden: [],
    ...made,
  });
}

function shown(cluster: string, name: string, status: object): Examined {
  return makePod(cluster, name, { kind: "examinations.fairlead.dev", object: { status } });
}
