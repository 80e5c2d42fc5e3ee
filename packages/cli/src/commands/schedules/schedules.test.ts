import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const at = new Date(hubNow).toISOString();
const trouble = { code: "SCHEDULE_OWNER_GONE", message: "alice\u001b[2J is gone." };
const tick = { at, state: "failed", trouble };
const nightly = {
  name: "nightly",
  cron: "30 2 * * *",
  timeZone: "Europe/Berlin",
  missed: "one",
  paused: false,
  owner: "alice",
  kind: "manifests",
  concurrencyPolicy: "Forbid",
  createdAt: at,
  nextTickAt: at,
  lastTick: tick,
};

test("a schedule is made of a file, listed, shown with its ticks, paused, resumed and removed", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const asked: unknown[] = [];
  hub.routes.set("PUT /api/v1/schedules/nightly", (body) => {
    asked.push(JSON.parse(body));
    return { status: 200, body: nightly };
  });
  hub.routes.set("GET /api/v1/schedules", () => ({ status: 200, body: { items: [nightly] } }));
  hub.routes.set("GET /api/v1/schedules/nightly", () => ({ status: 200, body: { ...nightly, ticks: [tick] } }));
  for (const what of ["pause", "resume"])
    hub.routes.set(`POST /api/v1/schedules/nightly/${what}`, () => ({
      status: 200,
      body: { ...nightly, paused: what === "pause" },
    }));
  hub.routes.set("DELETE /api/v1/schedules/nightly", () => ({ status: 204, body: undefined }));

  const stdin = "{name: nightly, cron: '30 2 * * *', timeZone: Europe/Berlin, request: {kind: manifests, all: true}}";
  expect((await cli.run(["schedule", "apply", "-f", "-"], { stdin })).stdout).toBe(`nightly ticks next at ${at}.\n`);
  expect(asked).toEqual([{ cron: "30 2 * * *", timeZone: "Europe/Berlin", request: { kind: "manifests", all: true } }]);
  expect((await cli.run(["schedule", "list"])).stdout).toContain("failed (SCHEDULE_OWNER_GONE)");
  const { stdout } = await cli.run(["schedule", "get", "nightly"]);
  expect(stdout).toMatch(/^Missed ones: +the last is made up for$/m);
  expect(stdout).toMatch(/^When one is under way: +nothing is begun \(Forbid\)$/m);
  expect(stdout).toContain("alice�[2J is gone. (SCHEDULE_OWNER_GONE)");
  expect((await cli.run(["schedule", "pause", "nightly"])).stdout).toBe("nightly is paused.\n");
  expect((await cli.run(["schedule", "resume", "nightly"])).stdout).toBe(`nightly ticks next at ${at}.\n`);
  expect((await cli.run(["schedule", "delete", "nightly", "--yes"])).stdout).toBe("Schedule 'nightly' is removed.\n");
});

test.each([["{a"], ["[]"], ["{cron: '* * * * *'}"]])("%s is no schedule, and the hub isn't asked", async (stdin) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const { code, stderr } = await cli.run(["schedule", "apply", "-f", "-"], { stdin });
  expect([code, stderr]).toEqual([2, expect.stringContaining("CLI_USAGE")]);
});
