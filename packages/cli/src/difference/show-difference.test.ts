import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hubNow } from "../testing/hub.fixture.ts";
import { signedIn } from "../testing/signed-in.fixture.ts";

const at = new Date(hubNow).toISOString();
const request = { kind: "manifests", all: true };
const nightly = {
  name: "nightly",
  cron: "30 2 * * *",
  timeZone: "UTC",
  missed: "skip",
  paused: false,
  owner: "admin",
  kind: "manifests",
  concurrencyPolicy: "Allow",
  createdAt: at,
  ticks: [],
  request,
};

async function apply(file: string, { isThere = true, args = [] as string[] } = {}) {
  await using signed = await signedIn();
  const { hub, cli } = signed;
  if (isThere) hub.routes.set("GET /api/v1/schedules/nightly", () => ({ status: 200, body: nightly }));
  const path = join(cli.home, "nightly.yaml");
  await writeFile(path, file);
  const result = await cli.run(["schedule", "apply", "-f", path, "--dry-run", ...args]);
  return { ...result, changes: hub.requests.filter(({ line }) => line.startsWith("PUT")).length };
}

test("what is the same, in whatever order and by default or not, is no difference: exit code 0", async () => {
  const same = "{request: {all: true, kind: manifests}, timeZone: UTC, name: nightly, cron: '30 2 * * *'}";

  expect(await apply(same)).toEqual({ code: 0, stdout: "", stderr: "Nothing would change.\n", changes: 0 });
});

test("a difference is printed, nothing is changed, and the exit code is 1", async () => {
  const other = "{name: nightly, cron: '45 3 * * *', timeZone: UTC, request: {kind: manifests, all: true}}";

  const { code, stdout, stderr, changes } = await apply(other);

  expect([code, stderr, changes]).toEqual([1, "", 0]);
  expect(stdout).toMatch(/^--- schedule\/nightly \(hub\)\n\+\+\+ schedule\/nightly \(file\)\n/);
  expect(stdout).toContain("\n-cron: 30 2 * * *\n+cron: 45 3 * * *\n");
});

test("what isn't there yet is all new", async () => {
  const { code, stdout } = await apply("{name: nightly, cron: '45 3 * * *', timeZone: UTC, request: {kind: x}}", {
    isThere: false,
  });

  expect(code).toBe(1);
  expect(stdout).toMatch(/^--- \/dev\/null\n/);
  expect(stdout).not.toMatch(/^-(?!--)/m);
});

test("as JSON the answer says whether anything differs", async () => {
  const other = "{name: nightly, cron: '45 3 * * *', timeZone: UTC, request: {kind: manifests, all: true}}";

  const { code, stdout } = await apply(other, { args: ["--json"] });

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ what: "schedule/nightly", differs: true, after: { cron: "45 3 * * *" } });
});
