import { expect, test } from "vitest";
import { hubNow } from "../../testing/hub.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const at = new Date(hubNow - 60_000).toISOString();
const [first, second, third] = ["3h7kaaaa", "3h7kbbbb", "9zzzcccc"].map((start) => `cmd_${start.padEnd(26, "0")}`);

function makeRun(id: string | undefined, more: object = {}): object {
  return {
    id,
    cluster: "east",
    kind: "helm",
    target: "helm/shop/web",
    namespace: "shop",
    dryRun: false,
    state: "running",
    requester: "alice",
    priority: 5,
    createdAt: at,
    deadlineAt: at,
    claims: 1,
    logBytes: 0,
    history: [],
    ...more,
  };
}

async function run(...args: string[]) {
  await using signed = await signedIn();
  const { hub, cli } = signed;
  const items = [makeRun(third), makeRun(second, { requester: "admin" }), makeRun(first)];
  hub.routes.set("GET /api/v1/commands?limit=200", () => ({ status: 200, body: { items } }));
  for (const id of [first, second, third]) {
    hub.routes.set(`GET /api/v1/commands/${id}`, () => ({ status: 200, body: makeRun(id) }));
    hub.routes.set(`POST /api/v1/commands/${id}/cancel`, () => ({ status: 200, body: makeRun(id) }));
  }
  const result = await cli.run(args);
  return { ...result, lines: hub.requests.map(({ line }) => line) };
}

test.each(["cmd_9zzz", "9zzz", "9zzzcc", "cmd_9zzzcccc"])(
  "the beginning of an ID is enough: run get %s",
  async (typed) => {
    expect(await run("run", "get", typed, "-o", "name")).toMatchObject({
      code: 0,
      stdout: `run/${third}\n`,
      stderr: "",
    });
  },
);

test("a whole ID isn't looked for in the list", async () => {
  const { code, lines } = await run("run", "get", String(first));

  expect(code).toBe(0);
  expect(lines.filter((line) => line.includes("?limit"))).toEqual([]);
});

test("what two IDs begin with fails with both of them, and nothing is cancelled", async () => {
  const { code, stderr, lines } = await run("run", "cancel", "3h7k");

  expect(code).toBe(5);
  expect(stderr).toContain("(CLI_ID_AMBIGUOUS)");
  for (const id of [first, second]) expect(stderr).toContain(`${id} (helm/shop/web, running)`);
  expect(lines.filter((line) => line.startsWith("POST /api/v1/commands"))).toEqual([]);
});

test("less than four characters aren't looked for", async () => {
  const { code, lines } = await run("run", "get", "9zz");

  expect(code).toBe(4);
  expect(lines.filter((line) => line.includes("/commands"))).toEqual(["GET /api/v1/commands/cmd_9zz"]);
});

test("a beginning that no ID has is said to be that", async () => {
  const { code, stderr } = await run("run", "logs", "7777");

  expect([code, stderr]).toEqual([
    4,
    expect.stringContaining("has an ID that begins with 'cmd_7777'. (CLI_ID_UNKNOWN)"),
  ]);
});

test("--last is the newest run of whoever asks, and not the newest one", async () => {
  expect(await run("run", "get", "--last", "-o", "name")).toMatchObject({ code: 0, stdout: `run/${second}\n` });
  expect((await run("run", "cancel", "--last")).lines).toContain(`POST /api/v1/commands/${second}/cancel`);
});

test("an ID and --last together, and neither of them, are usage errors", async () => {
  expect((await run("run", "get", "9zzz", "--last")).code).toBe(2);
  expect(await run("run", "get")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("The run isn't specified."),
  });
});
