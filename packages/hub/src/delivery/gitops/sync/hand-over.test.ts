import { describe, expect, it } from "vitest";
import { open, type World } from "./hand-over-world.fixture.ts";

const automatic = { initiatedBy: { automated: true }, sync: { revision: "abc" } };
const asked = { initiatedBy: { username: "admin" }, sync: { revision: "abc" } };

describe("operations of the cluster's own", () => {
  it("aren't started again by an ApplicationSet that strips the metadata each time that the status changes", async () => {
    await using world = await open();
    for (let round = 0; round < 5; round += 1) {
      await world.begin(automatic);
      await world.strip();
      await world.end();
      await world.strip();
    }
    expect(world.runs).toBe(5);
  });

  it("aren't started again when the hub dies after it has noted one, before or after it has written it", async () => {
    for (const death of ["before", "after"] as const) {
      await using world = await open();
      world.dieAt = death;
      await world.begin(automatic);
      await world.takeOver();
      await world.strip();
      await world.end();
      expect(world.runs, death).toBe(1);
    }
  });

  it("aren't started again when the hub's records are put back to a backup while one runs", async () => {
    await using world = await open();
    world.backUp();
    await world.begin(automatic);
    world.restore();
    await world.takeOver();
    await world.strip();
    await world.end();
    expect(world.runs).toBe(1);
  });

  it("make no request of one that somebody puts into the object later on", async () => {
    await using world = await open();
    await world.ask(asked);
    const old = world.there;
    await world.end();
    await world.put(old.operation);
    await world.told();
    expect([world.runs, world.there.operation]).toEqual([1, undefined]);
  });
});

describe("a sync that somebody asks for", () => {
  it("is started once, and once more when it is asked for again", async () => {
    await using world = await open();
    for (const runs of [1, 2, 3]) {
      await world.ask(asked);
      expect(world.runs).toBe(runs);
      await world.strip();
      await world.end();
    }
    expect(world.runs).toBe(3);
  });

  it("is started once when the hub dies before or after the cluster's answer, and another takes over", async () => {
    for (const answers of [0, 1]) {
      await using world = await open();
      world.answersLeft = answers;
      await world.ask(asked);
      await world.takeOver();
      await world.strip();
      await world.end();
      expect(world.runs, String(answers)).toBe(1);
    }
  });

  it("is started at most once more when the hub's records are put back to a backup", async () => {
    await using world = await open();
    world.backUp();
    await world.ask(asked);
    world.restore();
    await world.takeOver();
    expect(world.runs).toBe(1);
    await world.end();
    expect(world.runs).toBe(1);
  });

  it.each([
    ["was asked for", (world: World) => world.askAndBackUp(asked)],
    ["ran", (world: World) => world.ask(asked).then(() => world.backUp())],
    ["ran that the cluster began itself", (world: World) => world.begin(asked).then(() => world.backUp())],
  ])("while the hub is away, its records then put back to when an equal one %s, is run, too", async (_, begin) => {
    await using world = await open();
    await begin(world);
    await world.end();
    world.die();
    await world.ask(asked);
    world.restore();
    await world.takeOver();
    expect([world.runs, world.there.status?.operationState]).toMatchObject([2, { phase: "Running" }]);
    await world.end();
    await world.takeOver();
    expect([world.runs, world.there]).toMatchObject([2, { status: { operationState: { phase: "Succeeded" } } }]);
    expect(world.there).not.toHaveProperty("operation");
  });

  it("is there until its own run ends, though the hub is late with what the cluster told before it", async () => {
    await using world = await open();
    await world.begin(asked);
    await world.end();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.busy = promise;
    await world.degrade();
    const before = world.history.length;
    await world.ask(asked);
    resolve();
    await world.told();
    const since = world.history.slice(before);
    expect(since.length).toBeGreaterThan(2);
    expect(since.map(({ operation }) => operation !== undefined)).toEqual(since.map(() => true));
    expect([world.runs, world.there]).toMatchObject([2, { status: { operationState: { phase: "Running" } } }]);
    await world.end();
    expect(world.there).not.toHaveProperty("operation");
  });

  it("waits for an equal one that the cluster runs of its own, and is run after it", async () => {
    await using world = await open();
    await world.begin(asked);
    await world.ask(asked);
    await world.pass(6_000);
    expect([world.runs, world.there.operation]).toMatchObject([1, asked]);
    await world.end();
    await world.pass(6_000);
    expect(world.runs).toBe(2);
  });

  it.each(["~", "99999999999999-00000000", "00000000000000-00000000"])(
    "with the ID %s, which somebody gave it, is run, and so is the next one",
    async (value) => {
      await using world = await open();
      for (const [index, info] of [[{ name: "fairlead.dev/operation-id", value }], undefined].entries()) {
        await world.ask({ ...asked, ...(info && { info }) });
        await world.end();
        expect(world.runs).toBe(index + 1);
      }
    },
  );

  it("with the ID of one that ran fails, and isn't run", async () => {
    await using world = await open();
    await world.ask(asked);
    await world.end();
    const ran = world.there.status?.operationState?.["operation"] as object;
    for (const [runs, phase] of [
      [1, "Failed"],
      [2, "Running"],
    ] as const) {
      await world.ask(phase === "Failed" ? ran : asked);
      await world.takeOver();
      expect([world.runs, world.there.status?.operationState]).toMatchObject([runs, { phase }]);
    }
  });

  it("is started when the hub's records couldn't be written at first", async () => {
    await using world = await open();
    world.failWrites = 100;
    await world.ask(asked);
    expect(world.runs).toBe(0);
    world.failWrites = 0;
    await world.pass(6_000);
    expect(world.runs).toBe(1);
  });

  it("ends, and can be asked for again, though the hub's records couldn't be written when it began and ended", async () => {
    await using world = await open();
    world.beforeAnswer = () => (world.failWrites = 100);
    await world.ask(asked);
    world.failWrites = 0;
    await world.pass(6_000);
    world.failWrites = 100;
    await world.end();
    expect(world.there.operation).toBeUndefined();
    world.failWrites = 0;
    await world.pass(6_000);
    world.beforeAnswer = undefined;
    await world.ask(asked);
    expect(world.runs).toBe(2);
  });

  it.each([
    ["superseded", { outcome: "superseded" }, "The cluster started another sync that was asked for later."],
    ["refused", { outcome: "refused", reason: "failed", message: "no", retryAfterMs: 0 }, "no"],
  ] as const)("and is %s ends as failed with the reason, until another run follows", async (_, outcome, message) => {
    await using world = await open();
    await world.begin(automatic);
    await world.end();
    world.answer = outcome;
    await world.ask(asked);
    const failed = { phase: "Failed", message, operation: asked, finishedAt: expect.any(String) };
    expect(world.there.operation).toBeUndefined();
    expect(world.there.status).toMatchObject({ operationState: failed, reconciledAt: expect.any(String) });
    await world.told();
    await world.takeOver();
    await world.told();
    expect(world.there.status).toMatchObject({ operationState: failed });
    world.answer = undefined;
    await world.begin(automatic);
    expect(world.there.status).toMatchObject({ operationState: { phase: "Running" } });
    await world.end();
    expect(world.there.status).toMatchObject({ operationState: { phase: "Succeeded" } });
  });
});
