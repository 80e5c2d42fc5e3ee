import { usualGitopsRules } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { makeCluster, startContractHub } from "../testing/hub.fixture.ts";

test("labels are set and removed as kubectl's, with display name and protection", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { labels: { tier: "1" } }));
  const set = async (...flags: string[]) => {
    const { code } = await cli.run(["cluster", "set", "east", ...flags]);
    return { code, sent: JSON.parse(hub.requests.at(-1)?.body ?? "null") };
  };

  expect(await set("--label", "env=prod", "--label", "tier-", "--label", "empty=", "--label", "odd=a-b")).toEqual({
    code: 0,
    sent: { labels: { env: "prod", tier: null, empty: "", odd: "a-b" } },
  });
  expect(await set("--display-name", "Payments, Frankfurt", "--protected")).toEqual({
    code: 0,
    sent: { displayName: "Payments, Frankfurt", protected: true },
  });
  expect(await set("--display-name", "", "--no-protected")).toEqual({
    code: 0,
    sent: { displayName: null, protected: false },
  });
  expect(hub.requests.at(-1)).toMatchObject({ line: "PATCH /api/v1/clusters/east" });
});

test("what was set is shown by the answer, by get and by the wide list", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { labels: { env: "prod" } }));

  const { stdout } = await cli.run(["cluster", "set", "east", "--display-name", "Payments", "--protected"]);
  expect(stdout).toBe("'east' (Payments) has the labels env=prod, and is protected.\n");
  const shown = (await cli.run(["cluster", "get", "east"])).stdout;
  expect(shown).toContain("Shown as:    Payments\n");
  expect(shown).toContain("Protected:   yes: it can't be deleted or revoked\n");
  expect((await cli.run(["cluster", "list", "-o", "wide"])).stdout).toMatch(/ Payments +yes\n$/);
});

test.each([
  [["--label", "env"], "'env' isn't a label."],
  [["--label", "-"], "'-' isn't a label."],
  [["--label", "=x"], "'=x' isn't a label."],
  [[], "No change is specified."],
])("%j is refused before anything is sent", async (flags, text) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const before = hub.requests.length;
  expect(await cli.run(["cluster", "set", "east", ...flags])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(text),
  });
  expect(hub.requests).toHaveLength(before);
});

test.each(["delete", "revoke"])("no application of a protected cluster is let go by `%s`", async (verb) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { protected: true }));
  const leaving = { status: 200, body: { cluster: "east", applications: 2, deleting: 0 } };
  hub.routes.set("GET /api/v1/clusters/east/gitops/leaving", () => leaving);
  const flags = verb === "revoke" ? ["--let-applications-go", "--yes"] : ["--yes"];

  const result = await cli.run(["cluster", verb, "east", ...flags]);
  expect(result).toMatchObject({ code: 5, stderr: expect.stringContaining("--no-protected") });
  expect(hub.requests.every(({ line }) => line.startsWith("GET "))).toBe(true);
});

test("--dry-run prints what the named settings would change, sends nothing, and exits with 1 where something would", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { labels: { env: "prod", tier: "1" } }));
  const settings = { cluster: "east", mode: "managed", mapping: "destination", rules: usualGitopsRules, generation: 1 };
  hub.routes.set("GET /api/v1/clusters/east/gitops", () => ({ status: 200, body: settings }));
  const choice = { cluster: "east", profile: "fairlead", generation: 0 };
  hub.routes.set("GET /api/v1/clusters/east/profile", () => ({ status: 200, body: choice }));
  const foresee = (...flags: string[]) => cli.run(["cluster", "set", "east", ...flags, "--dry-run"]);

  const labelled = await foresee("--label", "env=test", "--label", "tier-", "--display-name", "Payments");
  expect(labelled).toMatchObject({ code: 1, stderr: "" });
  expect(labelled.stdout).toMatch(/^--- cluster\/east \(hub\)\n\+\+\+ cluster\/east \(flags\)\n/);
  for (const line of ["+displayName: Payments", "-  env: prod", '-  tier: "1"', "+  env: test"])
    expect(labelled.stdout.split("\n")).toContain(line);
  const other = await foresee("--gitops-mode", "autonomous", "--gitops-guard-min", "9", "--fitness-profile", "own");
  expect(other).toMatchObject({ code: 1, stderr: "" });
  for (const line of ["-  mapping: destination", "+  mapping: namespace", "+    guardMin: 9", "+fitnessProfile: own"])
    expect(other.stdout.split("\n")).toContain(line);
  const same = await foresee("--label", "env=prod", "--label", "none-", "--no-protected", "--gitops-mode", "managed");
  expect(same).toMatchObject({ code: 0, stderr: "Nothing would change.\n" });
  expect(hub.requests.filter(({ line }) => !line.startsWith("GET "))).toEqual([]);
});
