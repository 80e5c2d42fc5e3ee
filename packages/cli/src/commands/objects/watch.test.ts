import type { LiveMessage, ObjectItem } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import {
  deploymentTable,
  makeAge,
  makeDeployment,
  makeList,
  makePod,
  podTable,
} from "../../testing/objects.fixture.ts";

async function watching(...args: string[]) {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  hub.routes.set("GET /api/v1/objects?kind=pods&limit=1", () => ({ status: 200, body: makeList() }));
  hub.routes.set("GET /api/v1/objects?kind=pods%2Cdeploy&limit=1", () => ({ status: 200, body: makeList() }));
  hub.routes.set("GET /api/v1/objects?kind=events&limit=1", () => ({ status: 200, body: makeList() }));
  const interrupt = new AbortController();
  const ended = cli.run(["get", ...args, "-w"], { signal: interrupt.signal });
  return {
    hub,
    ended,
    stop: () => {
      interrupt.abort(new Error("interrupted"));
      return ended;
    },
    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
}

const table = [podTable];
const items = (...list: ObjectItem[]): LiveMessage => ({ type: "items", id: "1", items: list, tables: table });
const removed = (...list: ObjectItem[]): LiveMessage => ({ type: "removed", id: "1", items: list });
const synced = (cursor: string, isReset?: true): LiveMessage => ({ type: "synced", id: "1", cursor, isReset });
const ages = (...clusters: ReturnType<typeof makeAge>[]): LiveMessage => ({ type: "ages", id: "1", clusters });
const ready = (name: string, text: string): ObjectItem => makePod("east", name, { cells: [name, text, 0, null, null] });

test("first the table, then a line for each change that shows, and for what is deleted", async () => {
  await using at = await watching("pods");
  const connection = await at.hub.live.next();
  expect(await connection.receive()).toEqual({ type: "subscribe", id: "1", filter: { kind: "pods" } });

  await connection.say(ages(makeAge("east")), items(ready("web-1", "1/1")), items(ready("web-0", "1/1")), synced("c1"));
  await connection.say(
    items(ready("web-0", "0/1")),
    items({ ...ready("web-0", "0/1"), labels: { a: "b" } }),
    synced("c2"),
  );
  await connection.say(
    ages(makeAge("east", { ageMs: 700 })),
    items(ready("web-1-longer", "1/1")),
    removed(ready("web-1", "")),
  );

  expect(await at.stop()).toEqual({
    code: 130,
    stdout:
      "CLUSTER  NAMESPACE  NAME   READY  RESTARTS  AGE  AGE-OF-DATA\n" +
      "east     shop       web-0  1/1    0              3s\n" +
      "east     shop       web-1  1/1    0              3s\n" +
      "east     shop       web-0  0/1    0              3s\n" +
      "east     shop       web-1-longer  1/1    0              1s\n" +
      "east     shop       web-1         1/1    0              deleted\n",
    stderr: "",
  });
});

test("a connection that is cut is made again from the cursor, and nothing is printed twice", async () => {
  await using at = await watching("pods");
  const before = await at.hub.live.next();
  await before.receive();
  await before.say(ages(makeAge("east")), items(ready("web-0", "1/1"), ready("web-1", "1/1")), synced("c1"));
  before.cut();

  const after = await at.hub.live.next();
  expect(await after.receive()).toMatchObject({ type: "subscribe", cursor: "c1" });
  await after.say(items(ready("web-0", "1/1")), removed(ready("web-1", "")), synced("c2"));
  await after.say(items(ready("web-2", "1/1")));
  const { stdout, stderr } = await at.stop();

  expect(
    stdout
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ +/).slice(2, 4).join(" ")),
  ).toEqual(["web-0 1/1", "web-1 1/1", "web-1 1/1", "web-2 1/1", ""]);
  expect(stderr).toMatch(/^The hub at \S+ can't be reached: .*trying again\.\nThe hub is back\.\n$/);
});

test("what isn't there after a cursor that was too old is gone", async () => {
  await using at = await watching("pods");
  const before = await at.hub.live.next();
  await before.receive();
  await before.say(items(ready("web-0", "1/1"), ready("web-1", "1/1")), synced("c1"));
  before.cut();

  const after = await at.hub.live.next();
  await after.receive();
  await after.say(items(ready("web-1", "1/1")), synced("c9", true), items(ready("web-2", "1/1")));

  const { stdout } = await at.stop();
  expect(stdout.trimEnd().split("\n").slice(3)).toEqual([
    expect.stringMatching(/web-0 .* deleted$/),
    expect.stringMatching(/web-2 /),
  ]);
});

test("after a change of rights everything is asked for anew", async () => {
  await using at = await watching("pods");
  const before = await at.hub.live.next();
  await before.receive();
  await before.say(items(ready("web-0", "1/1")), synced("c1"));
  await before.say({ type: "error", id: "1", code: "LIVE_RIGHTS_CHANGED", message: "Rights have changed." });

  const after = await at.hub.live.next();
  expect(await after.receive()).toEqual({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await after.say(synced("c2"), items(ready("web-1", "1/1")));

  const { stdout, stderr } = await at.stop();
  expect(stdout).toMatch(/web-0 .* deleted\n.*web-1 /);
  expect(stderr).toBe("");
});

test("a token that the hub doesn't take any more is renewed for the connection too", async () => {
  await using at = await watching("pods");
  const before = await at.hub.live.next();
  await before.receive();
  await before.say(items(ready("web-0", "1/1")), synced("c1"));
  at.hub.sessions.accessTokens.clear();
  before.cut();

  const after = await at.hub.live.next();
  await after.receive();
  await after.say(items(ready("web-1", "1/1")));
  await at.stop();

  const [first, refused, renewed] = at.hub.live.tokens;
  expect(refused).toBe(first);
  expect(renewed).not.toBe(first);
});

test("a session that has ended ends the watch, and says so", async () => {
  await using at = await watching("pods");
  const connection = await at.hub.live.next();
  await connection.receive();
  await connection.say(items(ready("web-0", "1/1")), synced("c1"));
  at.hub.sessions.endAll();
  connection.cut();

  expect(await at.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("CLI_SESSION_ENDED") });
});

test("a cluster that goes away is told, and that it is back only when its data is right again", async () => {
  await using at = await watching("pods");
  const connection = await at.hub.live.next();
  await connection.receive();
  const verified = (seconds: number) => new Date(hubNow + seconds * 1000).toISOString();
  await connection.say(
    ages(makeAge("east", { verifiedAt: verified(0) })),
    items(ready("web-0", "1/1")),
    synced("c1"),
    ages(makeAge("east", { state: "stale", ageMs: 7_000, verifiedAt: verified(0) })),
    ages(makeAge("east", { state: "offline", ageMs: 9_000, verifiedAt: verified(0) })),
    ages(makeAge("east", { state: "offline", ageMs: 14_000, verifiedAt: verified(0) })),
    items(ready("web-0", "0/1")),
    ages(makeAge("east", { ageMs: 20_000, verifiedAt: verified(0) })),
    ages(makeAge("east", { ageMs: 1_000, verifiedAt: verified(20) })),
    ages(makeAge("east", { troubles: [{ kind: "pods", state: "unavailable", message: "No right." }] })),
    items(ready("web-0", "1/1")),
    ages(makeAge("east")),
    items(ready("web-0", "0/1")),
  );

  const { stdout, stderr } = await at.stop();
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/).at(-1)),
  ).toEqual(["AGE-OF-DATA", "3s", "offline 14s", "unknown", "3s"]);
  expect(stderr).toBe(
    "Warning: east is stale. Its printed state was right 7s ago.\n" +
      "Warning: east is offline. Its printed state was right 9s ago.\n" +
      "east is back: its data is 1s old.\n" +
      "Warning: pods of east are unknown from now on. No right.\n" +
      "pods of east are known again.\n",
  );
});

test("lines of another kind stand under a heading of their own", async () => {
  await using at = await watching("pods,deploy");
  const connection = await at.hub.live.next();
  await connection.receive();
  const tables = [podTable, deploymentTable];
  const both = [makePod("east", "web-0"), makeDeployment("east", "web")];
  await connection.say({ type: "items", id: "1", items: both, tables }, synced("c1"), items(ready("web-0", "0/1")));

  const { stdout } = await at.stop();
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ +/)[2]);
  expect(names).toEqual(["NAME", "deployment.apps/web", undefined, "NAME", "pod/web-0", "pod/web-0"]);
});

test("in JSON each change is a line in the words of Kubernetes' watches", async () => {
  await using at = await watching("pods", "-o", "json");
  const connection = await at.hub.live.next();
  expect(await connection.receive()).toMatchObject({ include: "object" });
  const whole = { ...ready("web-0", "1/1"), object: { metadata: { name: "web-0" }, spec: {} } };
  const changed = { ...whole, changedAt: new Date(hubNow).toISOString() };
  await connection.say(
    ages(makeAge("east")),
    items(whole),
    synced("c1"),
    items(changed),
    items(changed),
    removed(whole),
  );

  const { stdout, stderr } = await at.stop();
  const typed = { apiVersion: "v1", kind: "Pod" };
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { type: "CLUSTERS", clusters: [makeAge("east")] },
    { type: "ADDED", cluster: "east", object: { ...typed, ...whole.object } },
    { type: "MODIFIED", cluster: "east", object: { ...typed, ...whole.object } },
    {
      type: "DELETED",
      cluster: "east",
      object: { ...typed, metadata: { namespace: "shop", name: "web-0", uid: "east-web-0", labels: {} } },
    },
  ]);
  expect(stderr).toBe("");
});

test.each([
  [["-o", "json"], /^\{"type":"CLUSTERS".*\}\n\{"type":"ADDED".*\}\n\{"type":"ADDED".*\}\n$/],
  [["-o", "name"], /^east\/pod\/web-0\neast\/pod\/web-1\n$/],
  [["-o", "custom-columns=NAME:.metadata.name"], /^NAME\nweb-0\nweb-1\n$/],
  [["--no-headers"], /^east +shop +web-0 .*\neast +shop +web-1 .*\n$/],
])("with %j stderr says that the hub is away and back, and stdout has the answer alone", async (format, stdout) => {
  await using at = await watching("pods", ...format);
  const named = (name: string) => ({ ...ready(name, "1/1"), object: { metadata: { name } } });
  const first = await at.hub.live.next();
  await first.receive();
  await first.say(ages(makeAge("east")), items(named("web-0")), synced("c1"));
  first.cut();
  const second = await at.hub.live.next();
  await second.receive();
  await second.say(ages(makeAge("east")), items(named("web-0")), synced("c2"), items(named("web-1")));

  const told = await at.stop();
  expect(told.stderr).toMatch(/^The hub at .* can't be reached.* trying again\.\nThe hub is back\.\n$/);
  expect(told.stdout).toMatch(stdout);
});

test("what is wrong with the question is said before anything is watched", async () => {
  await using at = await watching("pods", "--search", "x");

  expect((await at.ended).code).toBe(4);
  expect(at.hub.live.tokens).toEqual([]);
});

test("events are printed by their own time, the newest last, however they come", async () => {
  await using at = await watching("events", "-o", "name");
  const connection = await at.hub.live.next();
  await connection.receive();
  const event = (name: string, agoS: number) =>
    makePod("east", name, {
      kind: "events",
      kindName: "Event",
      changedAt: new Date(hubNow - agoS * 1000).toISOString(),
    });
  await connection.say(items(event("a", 10), event("b", 30)), items(event("c", 20)), synced("c1"));
  await connection.say(items(event("e", 1), event("d", 5)), synced("c2"));

  const { stdout } = await at.stop();
  expect(stdout).toBe("bcade".replace(/./g, "east/event/$&\n"));
});

test("two states of an event within a second are two lines", async () => {
  await using at = await watching("events", "-o", "json");
  const connection = await at.hub.live.next();
  await connection.receive();
  const event = (resourceVersion: string) =>
    makePod("east", "a", { kind: "events", object: { metadata: { name: "a", resourceVersion } } });
  await connection.say(items(event("1")), synced("c1"), items(event("1")), items(event("2")), synced("c2"));

  const { stdout } = await at.stop();
  expect(stdout.match(/"type":"(ADDED|MODIFIED)"/g)).toHaveLength(2);
});
