// Rollouts on a database that several hubs share, one of which is killed; and over very many clusters.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RolloutPreview } from "@fairlead/contract";
import { scriptArgs } from "@fairlead/testkit";
import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { openRolloutsHarness, type RolloutsHarness } from "./rollouts-harness.fixture.ts";

async function addClusters({ store }: RolloutsHarness, count: number): Promise<void> {
  await sql`
    insert into cluster (name, labels, roles, created_at)
    select 'c' || lpad(number::text, 5, '0'), '{"fleet": "large"}'::jsonb, '{execute}', now()
    from generate_series(1, ${count}) as number
  `.execute(store.db);
}

describe("a hub that is killed while it takes a rollout further", () => {
  it("loses nothing, and no cluster is asked twice", async () => {
    await using harness = await openRolloutsHarness();
    await addClusters(harness, 400);
    const hub = await harness.openHub();
    const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(harness.store.db);
    const connection = { ...inject("postgres"), ...rows[0] };
    const script = fileURLToPath(new URL("advance-rollouts.fixture.ts", import.meta.url));
    // It makes the rollout as well, and is killed while this hub does the same work on the same rollout.
    const child = spawn(process.execPath, [...scriptArgs(script), JSON.stringify(connection)], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    const countCommands = async (): Promise<number> => {
      const made = await sql<{ count: number }>`select count(*) as count from command`.execute(harness.store.db);
      return made.rows[0]?.count ?? 0;
    };
    try {
      await expect.poll(countCommands, { interval: 10, timeout: 120_000 }).toBeGreaterThan(30);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const atKill = await countCommands();
    expect(atKill).toBeLessThan(400);
    await expect.poll(countCommands).toBe(400);
    const { json } = await hub.ask("GET", "/api/v1/rollouts");
    expect(json).toMatchObject({ items: [{ state: "running", clusters: { all: 400, running: 400, waiting: 0 } }] });
    const twice = await sql`select cluster from command group by cluster having count(*) > 1`.execute(harness.store.db);
    expect(twice.rows).toEqual([]);
    const lost = await sql`
      select from rollout_cluster where not exists (
        select from command where command.id = rollout_cluster.command and command.cluster = rollout_cluster.cluster
      )
    `.execute(harness.store.db);
    expect(lost.rows).toEqual([]);
  });
});

describe("hubs that are told of nothing by each other", () => {
  it("still see a rollout to its end, whichever of them is asked", async () => {
    await using harness = await openRolloutsHarness();
    const [one, other] = [await harness.openHub({ isDeaf: true }), await harness.openHub({ isDeaf: true })];
    const fleet = await one.makeFleet(["east", "west"]);
    await expect.poll(() => other.clusters.exists("west")).toBe(true);
    const { id } = await other.start({ selector: `fleet=${fleet}`, waves: [{ size: 1 }] });
    await other.untilRunning(id, ["east"]);
    await one.end("east");
    await other.untilRunning(id, ["west"]);
    await other.end("west");
    expect((await one.untilState(id, "succeeded")).clusters).toMatchObject({ succeeded: 2 });
  });
});

describe("very many clusters", () => {
  it("are chosen while others are answered, twice at a time for one person, and so many for a rollout", async () => {
    await using harness = await openRolloutsHarness();
    await addClusters(harness, 10_000);
    const hub = await harness.openHub();
    const asked = {
      kind: "manifests",
      spec: { set: "web", manifests: "" },
      selector: "fleet=large",
      waves: [{ size: "1%" }],
    };
    const preview = (user: string) => hub.ask("POST", "/api/v1/rollouts/preview", asked, user);
    let previewed = 0;
    const greedy = Array.from({ length: 40 }, async () => {
      const answer = await preview("greedy");
      if (answer.status === 200) previewed++;
      return answer;
    });
    expect((await hub.ask("GET", "/api/v1/commands", undefined, "modest")).status).toBe(200);
    const before = previewed;
    const modest = await preview("modest");
    const answers = await Promise.all(greedy);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
    expect(answers.find(({ status }) => status === 429)?.json).toMatchObject({ code: "ROLLOUT_BUSY" });
    expect(before).toBeLessThan(previewed);
    const { items, waves } = modest.json as RolloutPreview;
    expect([items.length, waves, items.filter(({ wave }) => wave === 1).length]).toEqual([10_000, 2, 100]);
    const { id } = await hub.start({ ...asked, maxParallel: 3 });
    await hub.untilRunning(id, ["c00001", "c00002", "c00003"]);
    const manifests = `# ${"x".repeat(110_000)}`;
    await expect(hub.start({ ...asked, spec: { set: "web", manifests } })).rejects.toMatchObject({
      status: 413,
      code: "ROLLOUT_TOO_LARGE",
    });
    await hub.clusters.create({ name: "one-more", roles: ["execute"], labels: { fleet: "large" } });
    await expect(hub.start(asked)).rejects.toMatchObject({ status: 413, code: "ROLLOUT_CLUSTERS_TOO_MANY" });
  });
});
