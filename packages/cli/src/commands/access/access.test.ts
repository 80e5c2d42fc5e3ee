import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const at0 = new Date(hubNow).toISOString();
const binding = {
  id: "bnd_1",
  subject: { kind: "user", name: "alice@example.com" },
  role: "viewer",
  clusters: { names: ["east"] },
  createdAt: at0,
  createdBy: "admin",
};

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  const sent = (): unknown => JSON.parse(hub.requests.at(-1)?.body ?? "");
  return { hub, cli, sent, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test.each([
  [true, 0, "yes: by the role viewer\n"],
  [false, 8, "no: by the role viewer\n"],
])("explain answers %s with exit code %i, and says which bindings were looked at", async (allowed, code, verdict) => {
  await using at = await signedIn();
  const considered = [{ binding: "bnd_1", role: "viewer", matched: allowed, why: "it gives\u001b[2J this" }];
  const explanation = { allowed, reason: "by the role viewer", considered };
  at.hub.routes.set("POST /api/v1/access/explain", () => ({ status: 200, body: explanation }));

  const args = ["access", "explain", "alice@example.com", "create", "pods/exec", "--cluster", "east"];
  const result = await at.cli.run([...args, "-n", "shop", "--group", "dev", "--group", "ops"]);

  expect(result.code).toBe(code);
  expect(result.stdout.startsWith(verdict)).toBe(true);
  expect(result.stdout).toContain("it gives�[2J this");
  expect(at.sent()).toEqual({
    subject: { kind: "user", name: "alice@example.com", groups: ["dev", "ops"] },
    verb: "create",
    resource: "pods/exec",
    cluster: "east",
    namespace: "shop",
  });
  const json = await at.cli.run([...args, "-o", "json"]);
  expect(json).toMatchObject({ code, stderr: "" });
  expect(JSON.parse(json.stdout)).toEqual(explanation);
});

test.each([
  [["robot:ci"], { kind: "robot", name: "ci" }],
  [["admin"], { kind: "admin-token", name: "admin" }],
  [["admin", "--kind", "user"], { kind: "user", name: "admin" }],
])("explain %j asks about %j", async (who, subject) => {
  await using at = await signedIn();
  const explanation = { allowed: true, reason: "so", considered: [] };
  at.hub.routes.set("POST /api/v1/access/explain", () => ({ status: 200, body: explanation }));

  const [user = "", ...options] = who;
  await at.cli.run(["access", "explain", user, "list", "clusters", ...options]);

  expect(at.sent()).toMatchObject({ subject });
});

test("who-can lists who, by which role and binding", async () => {
  await using at = await signedIn();
  const items = [
    { subject: { kind: "group", name: "dev" }, role: "viewer", binding: "bnd_1" },
    { subject: { kind: "robot", name: "ci" }, role: "operator", binding: "bnd_2" },
  ];
  at.hub.routes.set("POST /api/v1/access/who-can", () => ({ status: 200, body: { items } }));

  expect((await at.cli.run(["access", "who-can", "get", "pods", "--cluster", "east"])).stdout).toBe(
    "WHO        ROLE      BINDING\ngroup dev  viewer    bnd_1\nrobot:ci   operator  bnd_2\n",
  );
});

test.each([
  [["--user", "a", "--cluster", "east", "--cluster", "west"], { kind: "user", name: "a" }, { names: ["east", "west"] }],
  [
    ["--group", "dev", "--cluster-selector", "env=prod", "--cluster-selector", "tier=web"],
    { kind: "group", name: "dev" },
    { selector: { matchLabels: { env: "prod", tier: "web" } } },
  ],
  [["--robot", "ci", "--all-clusters"], { kind: "robot", name: "ci" }, { all: true }],
])("bind %j binds %j in %j", async (options, subject, clusters) => {
  await using at = await signedIn();
  at.hub.routes.set("POST /api/v1/bindings", (body) => ({ status: 201, body: { ...binding, ...JSON.parse(body) } }));

  const result = await at.cli.run(["access", "binding", "create", "viewer", "--record", ...options]);

  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("(binding bnd_1).\n") });
  expect(at.sent()).toEqual({ subject, role: "viewer", clusters, record: true });
});

test.each([
  [["--user", "a"], "chosen in exactly one way"],
  [["--all-clusters"], "exactly one subject"],
  [["--user", "a", "--group", "b", "--all-clusters"], "exactly one subject"],
  [["--user", "a", "--cluster", "east", "--all-clusters"], "chosen in exactly one way"],
])("bind %j is refused before anyone is asked: nobody gets a role by accident", async (options, why) => {
  await using at = await signedIn();

  const result = await at.cli.run(["access", "binding", "create", "viewer", ...options]);

  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(at.hub.requests).toEqual([]);
});

test("a role that was shown can be set again from its file, and one that is no role is refused here", async () => {
  await using at = await signedIn();
  const role = { hubRules: [], clusterRules: [{ verbs: ["get"], resources: ["pods"] }], groups: ["dev"] };
  const items = [{ name: "mine", isBuiltIn: false, ...role }];
  at.hub.routes.set("GET /api/v1/roles", () => ({ status: 200, body: { items } }));
  at.hub.routes.set("PUT /api/v1/roles/mine", () => ({ status: 200, body: items[0] }));
  const file = join(at.cli.home, "role.yaml");

  const { stdout } = await at.cli.run(["access", "role", "get", "mine"]);
  expect(parse(stdout)).toEqual(role);
  await writeFile(file, stdout);
  expect(await at.cli.run(["access", "role", "apply", "mine", "--file", file])).toMatchObject({ code: 0 });
  expect(at.sent()).toEqual(role);

  for (const [text, why] of [
    ["clusterRules: [{verbs: [get]}]", "clusterRules.0.resources"],
    ["name: other", "is named 'other', not 'mine'"],
    ["- a", "isn't a mapping"],
    [": :\n\t-", "isn't YAML"],
  ] as const) {
    const wrong = await at.cli.run(["access", "role", "apply", "mine", "--file", "-"], { stdin: text });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  }
  expect(await at.cli.run(["access", "role", "get", "nobody"])).toMatchObject({ code: 4 });
});

test("a robot's token goes to a private file, or to standard output when asked", async () => {
  await using at = await signedIn();
  const made = { id: "rbt_1", token: "flb_secret", expiresAt: new Date(hubNow + 7 * 86_400_000).toISOString() };
  at.hub.routes.set("POST /api/v1/robots/ci/tokens", () => ({ status: 201, body: made }));
  const file = join(at.cli.home, "ci.token");
  const args = ["access", "robot", "token", "create", "ci", "--ttl", "7d", "--cluster", "east", "--verb", "get"];

  const kept = await at.cli.run([...args, "--token-out", file]);
  expect(at.sent()).toEqual({ ttlMs: 604_800_000, scope: { clusters: ["east"], verbs: ["get"] } });
  const json = await at.cli.run([...args, "--token-out", file, "--json"]);
  const shown = await at.cli.run([...args, "--token-out", "-"]);
  const neither = await at.cli.run(args);

  expect(kept.stdout + kept.stderr + json.stdout + json.stderr).not.toContain("flb_secret");
  expect(await readFile(file, "utf8")).toBe("flb_secret\n");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(shown).toMatchObject({ code: 0, stdout: "flb_secret\n" });
  expect(neither).toMatchObject({ code: 2, stderr: expect.stringContaining("--token-out") });
});

test("a robot's token that can't be kept is revoked", async () => {
  await using at = await signedIn();
  const made = { id: "rbt_1", token: "flb_secret", expiresAt: at0 };
  at.hub.routes.set("POST /api/v1/robots/ci/tokens", () => ({ status: 201, body: made }));
  at.hub.routes.set("DELETE /api/v1/robots/ci/tokens/rbt_1", () => ({ status: 204 }));

  const result = await at.cli.run([
    "access",
    "robot",
    "token",
    "create",
    "ci",
    "--ttl",
    "1h",
    "--token-out",
    at.cli.home,
  ]);

  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("CLI_FILE_NOT_WRITTEN") });
  expect(at.hub.requests.at(-1)?.line).toBe("DELETE /api/v1/robots/ci/tokens/rbt_1");
});

test("binding create --dry-run prints the binding, creates none, and fails for a role that isn't there", async () => {
  await using at = await signedIn();
  const viewer = { name: "viewer", isBuiltIn: true, hubRules: [], clusterRules: [], groups: [] };
  at.hub.routes.set("GET /api/v1/roles", () => ({ status: 200, body: { items: [viewer] } }));
  const create = (role: string) =>
    at.cli.run([
      "access",
      "binding",
      "create",
      role,
      "--user",
      "alice",
      "--cluster",
      "east",
      "--for",
      "4h",
      "--dry-run",
    ]);

  const { code, stdout } = await create("viewer");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ binding \(flags\)\n/);
  for (const line of ["+role: viewer", "+    - east", "+  name: alice", "+ttlMs: 14400000"])
    expect(stdout.split("\n")).toContain(line);
  expect(await create("vewer")).toMatchObject({ stderr: expect.stringContaining("CLI_ROLE_UNKNOWN") });
  expect(at.hub.requests.filter(({ line }) => line.startsWith("POST "))).toEqual([]);
});

test.each([
  [["access", "binding", "delete", "bnd_1"], "DELETE /api/v1/bindings/bnd_1"],
  [["access", "role", "delete", "mine"], "DELETE /api/v1/roles/mine"],
  [["access", "user", "delete", "a@b"], "DELETE /api/v1/users/a%40b"],
  [["access", "robot", "delete", "ci"], "DELETE /api/v1/robots/ci"],
])("%j needs a yes, of a person or of --yes", async (args, line) => {
  await using at = await signedIn();
  at.hub.routes.set(line, () => ({ status: 204 }));

  expect(await at.cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  expect(await at.cli.run(args, { isTTY: true, stdin: "n\n" })).toMatchObject({ code: 1 });
  expect(at.hub.requests).toEqual([]);
  expect(await at.cli.run([...args, "--yes"])).toMatchObject({ code: 0 });
  expect(at.hub.requests.at(-1)?.line).toBe(line);
});

test("lists are tables, and JSON when asked by -o or --json", async () => {
  await using at = await signedIn();
  const user = { name: "alice@example.com", uid: "u", issuer: "i", groups: ["dev"], createdAt: at0 };
  const users = { items: [{ ...user, lastSignedInAt: new Date(hubNow - 60_000).toISOString(), sessions: 2 }] };
  at.hub.routes.set("GET /api/v1/users", () => ({ status: 200, body: users }));

  expect((await at.cli.run(["access", "user", "list"])).stdout).toBe(
    "USER               GROUPS  SESSIONS  SIGNED IN\nalice@example.com  dev     2         60s ago\n",
  );
  for (const flags of [["-o", "json"], ["--output=json"], ["--json"]]) {
    expect(JSON.parse((await at.cli.run(["access", "user", "list", ...flags])).stdout)).toEqual(users);
  }
});

test("who is signed in but not allowed to gets an exit code of his own", async () => {
  await using at = await signedIn();
  const problem = { type: "t", title: "t", status: 403, code: "ACCESS_DENIED", detail: "You may not." };
  at.hub.answer = { status: 403, body: JSON.stringify(problem) };

  expect(await at.cli.run(["access", "user", "list"])).toMatchObject({
    code: 7,
    stderr: "fairlead: You may not. (ACCESS_DENIED)\n",
  });
});

test("a binding with an end says when it ends and why, and so does the list", async () => {
  await using at = await signedIn();
  const endsAt = new Date(hubNow + 4 * 3_600_000).toISOString();
  const ending = { ...binding, endsAt, reason: "on call" };
  at.hub.routes.set("POST /api/v1/bindings", () => ({ status: 201, body: ending }));
  at.hub.routes.set("GET /api/v1/bindings", () => ({ status: 200, body: { items: [ending, binding] } }));
  const where = ["--user", "alice@example.com", "--cluster", "east"];

  const made = await at.cli.run([
    "access",
    "binding",
    "create",
    "viewer",
    ...where,
    "--for",
    "4h",
    "--reason",
    "on call",
  ]);
  expect(at.sent()).toMatchObject({ ttlMs: 4 * 3_600_000, reason: "on call" });
  expect(made.stdout).toBe(`alice@example.com is viewer in east until ${endsAt} (binding bnd_1).\n`);
  const { stdout } = await at.cli.run(["access", "binding", "list"]);
  expect(stdout).toMatch(/in 4h +on call/);
  expect(stdout).toMatch(/never/);
});

const pending = {
  id: "arq_1",
  user: "alice@example.com",
  role: "operator",
  clusters: { names: ["east"] },
  ttlMs: 4 * 3_600_000,
  reason: "INC-7",
  createdAt: at0,
  expiresAt: new Date(hubNow + 86_400_000).toISOString(),
  state: { kind: "pending" },
};

test("a request for a role names role, clusters, time and reason, and says until when it waits", async () => {
  await using at = await signedIn();
  at.hub.routes.set("POST /api/v1/access/requests", () => ({ status: 201, body: pending }));
  const args = ["access", "request", "create", "--role", "operator", "--for", "4h", "--reason", "INC-7"];

  const made = await at.cli.run([...args, "--cluster", "east"]);
  expect(at.sent()).toEqual({ role: "operator", clusters: { names: ["east"] }, ttlMs: 4 * 3_600_000, reason: "INC-7" });
  expect(made.stdout).toBe(
    `alice@example.com wants operator in east for 4h: INC-7\nRequest arq_1 is pending until ${pending.expiresAt}.\n`,
  );
  expect(await at.cli.run(args)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("chosen in exactly one way"),
  });
});

test.each([
  [
    ["approve", "arq_1", "--for", "1h", "--record", "--comment", "ok"],
    { ttlMs: 3_600_000, record: true, comment: "ok" },
  ],
  [["approve", "arq_1"], {}],
  [["deny", "arq_1", "--comment", "no"], { comment: "no" }],
])("%j decides a request", async (args, body) => {
  await using at = await signedIn();
  const state = { kind: "denied", by: "bob\u001b[2J", at: at0 };
  at.hub.routes.set(`POST /api/v1/access/requests/arq_1/${args[0]}`, () => ({
    status: 200,
    body: { ...pending, state },
  }));

  const result = await at.cli.run(["access", "request", ...args]);
  expect(result).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Request arq_1 was denied by bob\ufffd[2J."),
  });
  expect(at.sent()).toEqual(body);
});

test("requests are listed by state, shown and cancelled", async () => {
  await using at = await signedIn();
  at.hub.routes.set("GET /api/v1/access/requests?state=pending", () => ({ status: 200, body: { items: [pending] } }));
  at.hub.routes.set("GET /api/v1/access/requests/arq_1", () => ({ status: 200, body: pending }));
  const state = { kind: "cancelled", at: at0 };
  at.hub.routes.set("POST /api/v1/access/requests/arq_1/cancel", () => ({ status: 200, body: { ...pending, state } }));

  expect((await at.cli.run(["access", "request", "list", "--state", "pending"])).stdout).toMatch(
    /arq_1 +alice@example.com +operator +east +4h +pending +0s +INC-7/,
  );
  expect((await at.cli.run(["access", "request", "show", "arq_1"])).stdout).toContain("is pending");
  expect((await at.cli.run(["access", "request", "cancel", "arq_1"])).stdout).toContain("was cancelled");
});
