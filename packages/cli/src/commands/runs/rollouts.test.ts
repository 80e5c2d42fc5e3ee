import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rollout, RolloutCluster } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const at = new Date(hubNow - 60_000).toISOString();
const none = { all: 2, waiting: 0, running: 0, succeeded: 0, failed: 0, skipped: 0 };

function makeRollout(more: Partial<Rollout> = {}): Rollout {
  return {
    id: "rol_1",
    kind: "manifests",
    target: "manifests/shop/web",
    namespace: "shop",
    dryRun: false,
    state: "running",
    requester: "alice",
    createdAt: at,
    wave: 1,
    waves: 2,
    version: 3,
    clusters: { ...none, waiting: 2 },
    ...more,
  };
}

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const asked: Record<string, unknown>[] = [];
  hub.routes.set("POST /api/v1/rollouts", (body) => {
    asked.push(JSON.parse(body) as Record<string, unknown>);
    return { status: 201, body: makeRollout() };
  });
  const set = join(cli.home, "set.yaml");
  await writeFile(set, "set: web\nmanifests: ''\n");
  const run = (...args: string[]) => cli.run(["run", "manifests", "-f", set, ...args]);
  return { hub, cli, run, asked, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("clusters by their labels, and all of them, are asked for in one request", async () => {
  await using here = await signedIn();
  const waves = ["--waves", "1, env=canary,10%,rest", "--pause-between-waves", "10m", "--max-parallel", "5"];
  const more = [
    "--stop-after-failures",
    "2",
    "--skip-unusable",
    "--key",
    "build-7",
    "--priority",
    "7",
    "--deadline",
    "1h",
  ];
  const { code, stdout } = await here.run("--cluster-selector", "env in (prod)", ...waves, ...more);
  expect(here.asked).toEqual([
    {
      kind: "manifests",
      spec: { set: "web", manifests: "" },
      selector: "env in (prod)",
      maxParallel: 5,
      waves: [{ size: 1 }, { selector: "env=canary" }, { size: "10%" }],
      pauseBetweenWaves: 600,
      stopAfterFailures: 2,
      skipUnusable: true,
      idempotencyKey: "build-7",
      priority: 7,
      deadlineSeconds: 3_600,
    },
  ]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^rol_1 +manifests +manifests\/shop\/web +running +1\/2/m)]);
  await here.run("--all-clusters");
  expect(here.asked[1]).toMatchObject({ all: true });
  await here.run("--cluster", "east", "--cluster", "west", "--waves", "1", "--pause-between-waves");
  expect(here.asked[2]).toMatchObject({ clusters: ["east", "west"], waves: [{ size: 1 }], pauseBetweenWaves: true });
});

test.each([
  ["a wave that is none", ["--waves", "1,half"]],
  ["no wave but the rest", ["--waves", "rest"]],
  ["a rest in the middle", ["--waves", "rest,1"]],
  ["a pause without waves", ["--pause-between-waves", "1m"]],
  ["no number", ["--max-parallel", "0"]],
])("%s is refused before the hub is asked", async (_what, args) => {
  await using here = await signedIn();
  const { code, stderr } = await here.run("--all-clusters", ...args);
  expect([code, here.asked]).toEqual([2, []]);
  expect(stderr).toContain("CLI_USAGE");
});

test("a preview shows waves and what can't be asked, and begins nothing", async () => {
  await using here = await signedIn();
  here.hub.routes.set("POST /api/v1/rollouts/preview", () => ({
    status: 200,
    body: {
      target: "t",
      namespace: "n",
      waves: 1,
      items: [{ cluster: "east", wave: 1 }],
      unusable: [{ cluster: "west", trouble: { code: "COMMAND_NO_AGENT", message: "No \u001b[2Jagent." } }],
    },
  }));
  const { code, stdout } = await here.run("--all-clusters", "--preview");
  expect([code, here.asked]).toEqual([0, []]);
  expect(stdout).toBe(
    "1 clusters in 1 waves.\nWAVE  CLUSTER\n1     east\n\n1 can't be asked:\n" +
      "CLUSTER  WHY            CODE\nwest     No �[2Jagent.  COMMAND_NO_AGENT\n",
  );
});

test("waiting says what happens in which cluster, and ends with a code that says how it went", async () => {
  await using here = await signedIn();
  const east: RolloutCluster = { cluster: "east", wave: 1, state: "running", command: "cmd_east" };
  const trouble = { code: "KUBE_FORBIDDEN", message: "Not allowed.\u001b[2J" };
  const looks = [
    { rollout: makeRollout({ version: 4 }), changed: [east] },
    {
      rollout: makeRollout({
        state: "stopped",
        version: 6,
        finishedAt: at,
        clusters: { ...none, failed: 1, skipped: 1 },
      }),
      changed: [
        { ...east, state: "failed", trouble },
        { cluster: "west", wave: 2, state: "skipped" },
      ],
    },
  ];
  let look = -1;
  here.hub.routes.set("GET /api/v1/rollouts/rol_1", () => ({ status: 200, body: looks[++look]?.rollout }));
  const page = (query: string) =>
    here.hub.routes.set(`GET /api/v1/rollouts/rol_1/clusters?${query}`, () => ({
      status: 200,
      body: { items: looks[look]?.changed, version: 9 },
    }));
  for (const query of ["since=0&limit=1000", "since=4&limit=1000", "limit=1000"]) page(query);
  here.hub.routes.set("GET /api/v1/commands/cmd_east/log?offset=0&follow=true", () => ({
    status: 200,
    lines: ["one"],
  }));
  here.hub.routes.set("GET /api/v1/commands/cmd_east", () => ({
    status: 200,
    body: {
      id: "cmd_east",
      cluster: "east",
      kind: "manifests",
      target: "t",
      namespace: "shop",
      dryRun: false,
      state: "failed",
      requester: "alice",
      priority: 5,
      createdAt: at,
      deadlineAt: at,
      finishedAt: at,
      claims: 1,
      logBytes: 4,
      history: [],
    },
  }));
  const { code, stdout, stderr } = await here.run("--all-clusters", "--follow");
  expect(stderr).toContain(
    "east: running (wave 1 of 2)\neast: failed (wave 1 of 2): Not allowed.�[2J (KUBE_FORBIDDEN)\n",
  );
  expect(stdout).toMatch(
    /^east \| one\nrol_1: stopped, 0 of 2 clusters succeeded\.\nWAVE.*\n1 +east +failed +cmd_east.*\n2 +west +skipped/,
  );
  expect([code, stderr]).toEqual([10, expect.stringContaining("CLI_ROLLOUT_UNSUCCESSFUL")]);
});

test("what waits for approval says for whom, when it is shown and while it is waited for", async () => {
  await using here = await signedIn();
  const approval = { required: 2, given: 1, fourEyes: true, until: at };
  const east: RolloutCluster = { cluster: "east", wave: 1, state: "running", command: "cmd_east", approval };
  const ended = { ...makeRollout({ state: "succeeded", version: 4, finishedAt: at }) };
  const looks = [makeRollout({ awaitingApproval: 1 }), makeRollout({ awaitingApproval: 1 }), ended];
  here.hub.routes.set("GET /api/v1/rollouts/rol_1", () => ({ status: 200, body: looks.shift() }));
  for (const query of ["limit=1000", "since=0&limit=1000", "since=3&limit=1000"])
    here.hub.routes.set(`GET /api/v1/rollouts/rol_1/clusters?${query}`, () => ({
      status: 200,
      body: { items: [east], version: 3 },
    }));
  const { stdout } = await here.cli.run(["rollout", "get", "rol_1"]);
  expect(stdout).toMatch(/^Approval: +1 of them wait for it: fairlead run approve RUN$/m);
  const waits = `waits for 1 of 2 people to approve the plan, until ${at}`;
  expect(stdout).toContain(`cmd_east  ${waits}\n`);
  const { stderr } = await here.run("--all-clusters", "--wait");
  expect(stderr.split(`east: ${waits}.\n  See it by 'fairlead run get cmd_east'`)).toHaveLength(2);
});

test("a cluster whose run no agent has taken says why, when it is shown and while it is waited for", async () => {
  await using here = await signedIn();
  const east: RolloutCluster = { cluster: "east", wave: 1, state: "running", command: "cmd_east" };
  const ended = { ...makeRollout({ state: "failed", version: 4, finishedAt: at }) };
  const looks = [makeRollout(), makeRollout(), makeRollout(), ended];
  here.hub.routes.set("GET /api/v1/rollouts/rol_1", () => ({ status: 200, body: looks.shift() }));
  for (const query of ["limit=1000", "since=0&limit=1000", "since=3&limit=1000"])
    here.hub.routes.set(`GET /api/v1/rollouts/rol_1/clusters?${query}`, () => ({
      status: 200,
      body: { items: [east], version: 3 },
    }));
  const since = new Date(hubNow - 180_000).toISOString();
  here.hub.routes.set("GET /api/v1/commands/cmd_east", () => ({
    status: 200,
    body: {
      id: "cmd_east",
      cluster: "east",
      kind: "manifests",
      target: "t",
      namespace: "shop",
      dryRun: false,
      state: "queued",
      requester: "alice",
      priority: 5,
      createdAt: at,
      deadlineAt: new Date(hubNow + 23.5 * 3_600_000).toISOString(),
      claims: 0,
      logBytes: 0,
      history: [],
      waiting: { for: "cluster", clusterState: "offline", since },
    },
  }));
  const why = "queued: the cluster has been offline for 3m. The run expires in 23h unless an agent takes it.";
  expect((await here.cli.run(["rollout", "get", "rol_1"])).stdout).toContain(`running  cmd_east  ${why}\n`);
  const { stderr } = await here.run("--all-clusters", "--wait");
  expect(stderr.split(`east: ${why}\n`)).toHaveLength(2);
});

test("rollouts are listed, shown and steered", async () => {
  await using here = await signedIn();
  const paused = makeRollout({ state: "paused", pause: { why: "between-waves" }, wave: 2 });
  here.hub.routes.set("GET /api/v1/rollouts?state=paused&limit=50", () => ({ status: 200, body: { items: [paused] } }));
  expect((await here.cli.run(["rollout", "list", "--state", "paused"])).stdout).toMatch(
    /^rol_1 .* paused between waves +2\/2/m,
  );
  here.hub.routes.set("GET /api/v1/rollouts/rol_1", () => ({ status: 200, body: paused }));
  const items = [{ cluster: "east", wave: 1, state: "waiting" }];
  here.hub.routes.set("GET /api/v1/rollouts/rol_1/clusters?limit=1000", () => ({
    status: 200,
    body: { items, version: 3 },
  }));
  const { stdout } = await here.cli.run(["rollout", "get", "rol_1"]);
  expect(stdout).toContain("when it is resumed: fairlead rollout resume rol_1");
  expect(stdout).toMatch(/^1 +east +waiting +- +-$/m);
  for (const what of ["pause", "resume", "cancel"]) {
    here.hub.routes.set(`POST /api/v1/rollouts/rol_1/${what}`, () => ({ status: 200, body: makeRollout() }));
    expect((await here.cli.run(["rollout", what, "rol_1"])).stdout).toBe("rol_1 is running.\n");
  }
  here.hub.routes.set("POST /api/v1/rollouts/rol_1/retry", (body) => {
    expect(JSON.parse(body)).toMatchObject({ skipped: true });
    return { status: 201, body: makeRollout({ id: "rol_2" }) };
  });
  const again = await here.cli.run(["rollout", "retry", "rol_1", "--with-skipped"]);
  expect(again.stdout).toBe("rol_2 repeats rol_1.\n");
});
