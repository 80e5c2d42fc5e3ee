// What a hub gives out once, or keeps as its secret, is looked for in all that it writes: logs of the lowest level, files
// and every row of its database.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, enrollWith, openTestHub, type TestHub } from "./hub.fixture.ts";

let folder: string;
let harness: TestHub;
let sealingKey: Buffer;
const secrets = new Map<string, string>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-at-rest-"));
  sealingKey = randomBytes(32);
  const keyEncryptionKeyFile = join(folder, "key");
  await writeFile(keyEncryptionKeyFile, sealingKey.toString("base64"), { mode: 0o600 });
  const dataDir = join(folder, "data");
  harness = await openTestHub({
    args: ["--log-level", "trace"],
    config: { inMemory: false, dataDir, keyEncryptionKeyFile },
  });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it("a hub writes none of its secrets, and none that it gives out, in the clear: not to its log, files or database", async () => {
  secrets.set("admin token", harness.hub.firstAdminToken ?? "");
  const { join: joining } = await post("/api/v1/clusters", { name: "east", roles: ["proxy"] });
  secrets.set("join token", joining.token);
  secrets.set("secret of the join token", joining.token.split("_")[2] ?? "");
  const { key = "" } = await enrollWith(joining.token, harness);
  secrets.set("agent's key", key.split("\n")[1] ?? "");
  const unused = await post("/api/v1/clusters/east/tokens", {});
  secrets.set("unused join token", unused.token.split("_")[2] ?? "");
  await post("/api/v1/robots", { name: "ci" });
  const robot = await post("/api/v1/robots/ci/tokens", { ttlMs: 3_600_000 });
  secrets.set("robot's token", robot.token.slice(-20));
  const session = await post("/api/v1/sessions", { token: harness.hub.firstAdminToken });
  for (const [name, value] of Object.entries(session)) {
    if (typeof value === "string" && /token$/i.test(name)) secrets.set(`session's ${name}`, value.slice(-20));
  }
  expect([...secrets.keys()].filter((name) => name.startsWith("session's"))).not.toEqual([]);
  expect(
    (await call(harness.hub.peopleUrl, "/api/v1/ca/rotate", { method: "POST", headers: json(), body: "{}" })).status,
  ).toBe(200);
  await call(harness.hub.peopleUrl, "/api/v1/clusters", { headers: { authorization: `Bearer ${robot.token}` } });
  for (const form of ["base64", "base64url", "hex"] as const)
    secrets.set(`sealing key in ${form}`, sealingKey.toString(form));
  secrets.set("any private key", "PRIVATE KEY");
  secrets.set("private part of a JWK", '"d":');

  const audit = await call(harness.hub.peopleUrl, "/api/v1/audit?limit=1000", { headers: harness.admin });
  const places = new Map([
    ["audit", audit.text],
    ["log", harness.lines.join("")],
    ...(await readFiles()),
    ...(await readTables()),
  ]);
  expect([...places.keys()]).toEqual(
    expect.arrayContaining(["log", "pki/ca.key", "table join_token", "table session"]),
  );
  const found = [...places].flatMap(([place, text]) =>
    [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
  // The look itself finds what is there.
  expect([...secrets].filter(([, secret]) => secret.length < 4)).toEqual([]);
  expect(places.get("audit")).toContain("/api/v1/robots/ci/tokens");
  expect(places.get("pki/ca.key")).toContain("fairleadSealed");
  expect(places.get("table join_token")).toContain("east");
  expect(harness.lines.length).toBeGreaterThan(5);
});

it("nobody but the hub's user may read the files that it makes", async () => {
  const data = join(folder, "data");
  const names = await readdir(data, { recursive: true });
  const open = await Promise.all(
    names.map(async (name) => (((await stat(join(data, name))).mode & 0o077) === 0 ? [] : [name])),
  );
  expect(open.flat()).toEqual([]);
});

interface Answer extends Readonly<Record<string, unknown>> {
  readonly token: string;
  readonly join: { readonly token: string };
}

function json(): Record<string, string> {
  return { ...harness.admin, "content-type": "application/json" };
}

async function post(path: string, body: object): Promise<Answer> {
  const answer = await call(harness.hub.peopleUrl, path, {
    method: "POST",
    headers: json(),
    body: JSON.stringify(body),
  });
  expect([path, answer.status, answer.text]).toMatchObject([
    path,
    expect.toSatisfy((status) => status < 300),
    expect.anything(),
  ]);
  return answer.json as Answer;
}

async function readFiles(): Promise<[string, string][]> {
  const data = join(folder, "data");
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path.slice(data.length + 1), await readFile(path, "latin1")]),
  );
}

/** Each row as the database writes it. */
async function readTables(): Promise<[string, string][]> {
  const { db } = harness.store;
  const tables = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(db);
  return await Promise.all(
    tables.rows.map(async ({ name }): Promise<[string, string]> => {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
      return [`table ${name}`, rows.map(({ row }) => row).join("\n")];
    }),
  );
}
