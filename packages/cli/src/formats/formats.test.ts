import { expect, test } from "vitest";
import type { Command } from "../command.ts";
import { createProgram } from "../program.ts";
import { createTestTerminal } from "../testing/cli.fixture.ts";
import { hubNow, makeCluster } from "../testing/hub.fixture.ts";
import { signedIn } from "../testing/signed-in.fixture.ts";

const at = new Date(hubNow - 60_000).toISOString();
const east = makeCluster("east", { labels: { env: "prod" }, kubeSystemUid: "u-1", lastSeenAt: at });
const run = {
  id: "cmd_3h7k0000000000000000000000",
  cluster: "east",
  kind: "helm",
  target: "helm/shop/web",
  namespace: "shop",
  dryRun: false,
  state: "failed",
  requester: "alice",
  priority: 5,
  createdAt: at,
  deadlineAt: at,
  claims: 1,
  logBytes: 0,
};
const none = { all: 2, waiting: 0, running: 0, succeeded: 2, failed: 0, skipped: 0 };
const rollout = { ...run, id: "rol_1", state: "succeeded", wave: 1, waves: 1, version: 1, clusters: none };
const stack = { name: "shop", owner: "alice", resources: 2, createdAt: at };
const schedule = {
  name: "nightly",
  cron: "30 2 * * *",
  timeZone: "UTC",
  missed: "one",
  paused: false,
  owner: "alice",
  kind: "helm",
  concurrencyPolicy: "Forbid",
  createdAt: at,
};
const application = {
  cluster: "east",
  namespace: "east",
  name: "shop",
  project: "default",
  mode: "managed",
  isDeleting: false,
  sync: "Synced",
  health: "Healthy",
  phase: "",
  revision: "",
};
const robot = { name: "ci", description: "deploys", ttlMs: 1_000, createdAt: at, createdBy: "alice", tokens: [] };

async function print(...args: string[]) {
  await using signed = await signedIn();
  const { hub, cli } = signed;
  hub.clusters.set("east", east);
  hub.clusters.set("west", makeCluster("west"));
  const answer = (line: string, body: unknown): unknown => hub.routes.set(`GET ${line}`, () => ({ status: 200, body }));
  answer("/api/v1/commands?limit=50", { items: [run] });
  answer("/api/v1/rollouts?limit=50", { items: [rollout] });
  answer("/api/v1/stacks?limit=500", { items: [stack] });
  answer("/api/v1/schedules", { items: [schedule] });
  answer("/api/v1/applications?limit=500", {
    items: [application, { ...application, namespace: "argo", name: "api" }],
  });
  answer("/api/v1/robots", { items: [robot] });
  return await cli.run(args);
}

test.each([
  ["cluster list", "cluster/east\ncluster/west\n"],
  ["cluster get east", "cluster/east\n"],
  ["run list", `run/${run.id}\n`],
  ["rollout list", "rollout/rol_1\n"],
  ["stack list", "stack/shop\n"],
  ["schedule list", "schedule/nightly\n"],
  ["argo app list", "application/east/shop\napplication/east/argo/api\n"],
  ["access robot list", "robot/ci\n"],
])("%s -o name prints the type and the name of each", async (line, printed) => {
  expect(await print(...line.split(" "), "-o", "name")).toEqual({ code: 0, stdout: printed, stderr: "" });
});

test.each([
  ["cluster list", "jsonpath={.items[*].name}", "east west"],
  ["cluster get east", "jsonpath={.labels.env}", "prod"],
  ["run list", "jsonpath={range .items[*]}{.id} {.state}{end}", `${run.id} failed`],
  ["run list", "custom-columns=ID:.id,IN:.cluster", `ID                              IN\n${run.id}  east\n`],
  ["cluster list", "custom-columns=NAME:.name,ENV:.labels.env", "NAME  ENV\neast  prod\nwest  <none>\n"],
  ["cluster get east", "custom-columns=NAME:.name", "NAME\neast\n"],
  ["stack list", "yaml", `items:\n  - name: shop\n    owner: alice\n    createdAt: ${at}\n    resources: 2\n`],
  ["whoami", "jsonpath={.name}", "admin"],
])("%s prints by -o %s what it prints as JSON", async (line, format, printed) => {
  const result = await print(...line.split(" "), "-o", format);

  expect(result).toEqual({ code: 0, stdout: printed, stderr: "" });
});

test("--no-headers leaves out the headings of tables and columns", async () => {
  expect((await print("cluster", "list", "--no-headers")).stdout).toMatch(/^east /);
  expect((await print("cluster", "list", "--no-headers", "-o", "custom-columns=N:.name")).stdout).toBe("east\nwest\n");
});

test("-o wide has more columns than a table", async () => {
  const narrow = (await print("cluster", "list")).stdout;
  const wide = (await print("cluster", "list", "-o", "wide")).stdout;
  const [heading, first] = wide.split("\n");

  expect(heading).toMatch(/^NAME .* LABELS +SEEN +UID +ALARMS +DISPLAY-NAME +PROTECTED$/);
  expect(first).toMatch(/ env=prod +60s +u-1 +0 +- +no$/);
  expect(narrow).not.toContain("UID");
  expect((await print("run", "list", "-o", "wide")).stdout).toMatch(/NAMESPACE +RUNS-AS/);
});

test.each([
  ["xml", "'xml' is invalid. Allowed choices are table, wide, json, yaml, name, jsonpath=, custom-columns="],
  ["jsonpath={.a", "isn't a JSONPath template"],
  ["custom-columns=NAME", "isn't a valid custom column"],
])("-o %s is a usage error, and the hub isn't asked", async (format, told) => {
  const result = await print("cluster", "list", "-o", format);

  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toContain(told);
});

test("each command that lists or shows something has all formats", async () => {
  const program = await createProgram(createTestTerminal("/nowhere").terminal);
  const commands = leavesOf(program).filter(({ path }) =>
    /^fairlead (?!addon image|addons|feature|gateways|change).*(list|get)$/.test(path),
  );
  const lacking = commands.filter(({ options }) => !formatsOf(options).includes("custom-columns="));

  expect(commands.length).toBeGreaterThan(25);
  expect(lacking.map(({ path }) => path)).toEqual([]);
});

function leavesOf(command: Command): Command[] {
  return command.children.length === 0 ? [command] : command.children.flatMap(leavesOf);
}

function formatsOf(options: Command["options"]): readonly string[] {
  return options.find(({ long }) => long === "--output")?.argChoices ?? [];
}
