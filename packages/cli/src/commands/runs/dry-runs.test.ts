import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hubNow, makeCluster } from "../../testing/hub.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const at = new Date(hubNow - 60_000).toISOString();
const object = { kind: "ConfigMap", namespace: "shop", name: "a" };
const created = { objects: [{ ...object, did: "created" }] };
const unchanged = { objects: [{ ...object, did: "unchanged" }] };

function makeRun(cluster: string, more: object = {}): object {
  return {
    id: `cmd_${cluster}`,
    cluster,
    kind: "manifests",
    target: "manifests/shop/web",
    namespace: "shop",
    dryRun: true,
    state: "queued",
    requester: "alice",
    priority: 5,
    createdAt: at,
    deadlineAt: at,
    claims: 0,
    logBytes: 0,
    history: [],
    ...more,
  };
}

/** `plans`: what the dry run of each cluster tells. */
async function dryRun(plans: Readonly<Record<string, object>>, ...args: string[]) {
  await using here = await signedIn();
  const { hub, cli } = here;
  const asked: Record<string, unknown>[] = [];
  hub.routes.set("POST /api/v1/commands", (body) => {
    const request = JSON.parse(body) as Record<string, unknown>;
    asked.push(request);
    return { status: 201, body: makeRun(String(request["cluster"])) };
  });
  for (const [cluster, more] of Object.entries(plans)) {
    hub.clusters.set(cluster, makeCluster(cluster));
    const body = makeRun(cluster, { finishedAt: at, state: "succeeded", ...more });
    hub.routes.set(`GET /api/v1/commands/cmd_${cluster}`, () => ({ status: 200, body }));
    hub.routes.set(`GET /api/v1/commands/cmd_${cluster}/log?offset=0&follow=true`, () => ({ status: 200, lines: [] }));
  }
  const clusters = { ...noClusters, all: Object.keys(plans).length, succeeded: Object.keys(plans).length };
  const rollout = { ...makeRollout(clusters), state: "succeeded", finishedAt: at };
  const items = Object.keys(plans).map((cluster) => ({
    cluster,
    wave: 1,
    state: "succeeded",
    command: `cmd_${cluster}`,
  }));
  hub.routes.set("POST /api/v1/rollouts", () => ({ status: 201, body: makeRollout(clusters) }));
  hub.routes.set("GET /api/v1/rollouts/rol_1", () => ({ status: 200, body: rollout }));
  for (const query of ["since=0&limit=1000", "limit=1000"]) {
    hub.routes.set(`GET /api/v1/rollouts/rol_1/clusters?${query}`, () => ({
      status: 200,
      body: { items, version: 9 },
    }));
  }
  const set = join(cli.home, "set.yaml");
  await writeFile(set, "set: web\nmanifests: ''\n");
  return { asked, ...(await cli.run(["run", "manifests", "-f", set, "--dry-run", ...args])) };
}

const noClusters = { all: 0, waiting: 0, running: 0, succeeded: 0, failed: 0, skipped: 0 };
const makeRollout = (clusters: object): object => ({
  id: "rol_1",
  kind: "manifests",
  target: "manifests/shop/web",
  namespace: "shop",
  dryRun: true,
  state: "running",
  requester: "alice",
  createdAt: at,
  wave: 1,
  waves: 1,
  version: 3,
  clusters,
});

test("a dry run is waited for, prints what would change, and exits with 1", async () => {
  const { asked, code, stdout } = await dryRun({ east: { result: created } }, "--cluster", "east");

  expect(asked).toMatchObject([{ cluster: "east", dryRun: true }]);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: "east: succeeded (dry run) (cmd_east)\n\nmanifests/shop/web in east would change:\n+ ConfigMap shop/a\n",
  });
});

test("a dry run that would change nothing says so, and exits with 0", async () => {
  const { code, stdout, stderr } = await dryRun({ east: { result: unchanged } }, "--cluster", "east");

  expect({ code, stdout }).toEqual({ code: 0, stdout: "east: succeeded (dry run) (cmd_east)\n" });
  expect(stderr).toMatch(/\nNothing would change\.\n$/);
});

test("a difference in one of several clusters is a difference, in JSON, too", async () => {
  const plans = { east: { result: unchanged }, west: { result: created } };
  const { code, stdout } = await dryRun(plans, "--cluster", "east", "--cluster", "west", "--json");

  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      items: [
        { cluster: "east", differs: false },
        { cluster: "west", differs: true, result: created },
      ],
    },
  ]);
});

test("a dry run that fails isn't a difference: it exits with 10, and names what can't be applied", async () => {
  const result = { objects: [{ ...object, did: "failed", message: "Not allowed." }] };
  const trouble = { code: "MANIFESTS_FAILED", message: "1 of 1 objects couldn't be applied." };
  const { code, stdout } = await dryRun({ east: { state: "failed", trouble, result } }, "--cluster", "east");

  expect(code).toBe(10);
  expect(stdout).toContain("! ConfigMap shop/a: Not allowed.\n");
});

test("a dry run in many clusters prints what each would change, and exits with 1 if any would", async () => {
  const plans = { east: { result: unchanged }, west: { result: created } };
  const { code, stdout } = await dryRun(plans, "--all-clusters");

  expect({ code, stdout }).toEqual({
    code: 1,
    stdout:
      "rol_1: succeeded (dry run), 2 of 2 clusters succeeded.\n\nmanifests/shop/web in west would change:\n+ ConfigMap shop/a\n",
  });
  const same = await dryRun({ east: { result: unchanged } }, "--all-clusters");
  expect(same).toMatchObject({ code: 0, stderr: expect.stringMatching(/Nothing would change\.\n$/) });
});
