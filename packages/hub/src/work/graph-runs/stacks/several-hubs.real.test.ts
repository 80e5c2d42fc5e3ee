// Stacks on a database that several hubs share, one of which is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { scriptArgs } from "@fairlead/testkit";
import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { openStacksHarness } from "./stacks-harness.fixture.ts";

describe("a hub that is killed while it takes a run further", () => {
  it("loses nothing, and no resource is asked for twice", async () => {
    await using harness = await openStacksHarness();
    const hub = await harness.openHub();
    await hub.clusters.create({ name: "east", roles: ["execute"] });
    const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(harness.store.db);
    const connection = { ...inject("postgres"), ...rows[0] };
    const script = fileURLToPath(new URL("advance-stacks.fixture.ts", import.meta.url));
    // It makes the run as well, and is killed while this hub does the same work on the same run.
    const child = spawn(process.execPath, [...scriptArgs(script), JSON.stringify(connection)], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    const countCommands = async (): Promise<number> => {
      const made = await sql<{ count: number }>`select count(*) as count from command`.execute(harness.store.db);
      return made.rows[0]?.count ?? 0;
    };
    try {
      await expect.poll(countCommands, { interval: 10, timeout: 60_000 }).toBeGreaterThan(8);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const atKill = await countCommands();
    expect(atKill).toBeLessThan(100);
    await expect.poll(countCommands).toBe(100);
    const { run, resources } = await hub.show("web");
    expect(run).toMatchObject({ state: "running", counts: { all: 100, running: 100 } });
    expect(resources.length).toBe(100);
    const twice = await sql`select target from command group by target having count(*) > 1`.execute(harness.store.db);
    expect(twice.rows).toEqual([]);
    const lost = await sql`
      select from stack_step as step where not exists (
        select from command join stack_resource as known on known.command = command.id
        where command.id = step.command and command.target = step.target and command.stack_run = step.run
      )
    `.execute(harness.store.db);
    expect(lost.rows).toEqual([]);
  });
});

describe("hubs that are told of nothing by each other", () => {
  it("still see a run to its end, whichever of them is asked", async () => {
    await using harness = await openStacksHarness();
    const [one, other] = [await harness.openHub({ isDeaf: true }), await harness.openHub({ isDeaf: true })];
    await one.clusters.create({ name: "east", roles: ["execute"] });
    await expect.poll(() => other.clusters.exists("east")).toBe(true);
    const toResource = (set: string) => ({ cluster: "east", kind: "manifests", spec: { set, manifests: "" } });
    const resources = { a: toResource("a"), b: { ...toResource("b"), dependsOn: ["a"] } };
    const run = await other.run("web", { action: "apply", resources });
    await other.untilRunning(run, ["a"]);
    await one.end("east");
    await other.untilRunning(run, ["b"]);
    await other.end("east");
    await one.untilState(run, "succeeded");
  });
});
