// Commands from the command line to the cluster and back: a hub, an agent with the role `execute`, and a real API server.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CommandDetail } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followRun } from "../fleet/follow-run.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-commands-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"] }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
});
afterAll(() => undo.disposeAsync());

test("a set is applied with its log, found unchanged, and pruned", async () => {
  const objects = [configMap("one"), configMap("two")];
  const first = await run(await writeSet("numbers", objects), "--follow");
  expect(first.stdout).toContain(`created ConfigMap ${fleet.namespace.name}/one\n`);
  expect(first.stdout).toMatch(/^east: succeeded \(cmd_\w+\)$/m);
  expect(await read("configmap", "two")).toMatchObject({ data: { name: "two" } });
  expect(didOf(await finish(await writeSet("numbers", objects)))).toEqual({ one: "unchanged", two: "unchanged" });
  const file = await writeSet("numbers", [configMap("one", { name: "uno" })], { prune: true });
  expect(didOf(await finish(file, "--dry-run"))).toEqual({ one: "changed", two: "deleted" });
  expect(await dryRun(file)).toEqual({ code: 1, lines: ["~ ConfigMap one", "- ConfigMap two"] });
  expect(await read("configmap", "two")).toMatchObject({ data: { name: "two" } });
  expect(didOf(await finish(file))).toEqual({ one: "changed", two: "deleted" });
  expect(await dryRun(file)).toEqual({ code: 0, lines: [] });
  await expect(fleet.kubectl(["get", "configmap", "two"])).rejects.toThrow(/NotFound/);
});

test("the example of a set is applied, and pruned but for what is to be kept", async () => {
  const example = await readFile(join(import.meta.dirname, "../../deploy/examples/manifests.yaml"), "utf8");
  const own = example.replace("namespace: default", `namespace: ${fleet.namespace.name}`);
  const file = join(folder, "example.yaml");
  await writeFile(file, own);
  expect(didOf(await finish(file))).toEqual({ "web-page": "created", "web-notes": "created", web: "created" });
  await writeFile(file, own.slice(0, own.indexOf("  ---")));
  expect(didOf(await finish(file))).toMatchObject({ "web-page": "unchanged", web: "deleted" });
  expect(await read("configmap", "web-notes")).toMatchObject({ metadata: { name: "web-notes" } });
});

test("a run comes along on the live socket: its states, its log and its end", async () => {
  const { items } = await submit(await writeSet("live", [configMap("live")]));
  const messages = await followRun(fleet.hub, items[0]?.id ?? "");
  const states = messages.flatMap((message) => (message.type === "run" ? [message.run.state] : []));
  expect(states.at(-1)).toBe("succeeded");
  const log = messages.flatMap((message) => (message.type === "log" ? [Buffer.from(message.data, "base64")] : []));
  expect(Buffer.concat(log).toString()).toContain(`created ConfigMap ${fleet.namespace.name}/live\n`);
});

test("asked for twice under one key it is one run, and another set under that key is refused", async () => {
  const file = await writeSet("keyed", [configMap("keyed")]);
  const [first, again] = [await finish(file, "--key", "build-1"), await finish(file, "--key", "build-1")];
  expect([again.id, again.claims]).toEqual([first.id, 1]);
  const other = await writeSet("keyed", [configMap("other")]);
  await expect(run(other, "--key", "build-1")).rejects.toThrow(/COMMAND_IDEMPOTENCY_MISMATCH/);
});

test("a run goes on when its agent and then its hub are killed, and ends once", async () => {
  const label = `go-${fleet.namespace.name}`;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "waits" },
    spec: { nodeSelector: { [label]: "yes" }, containers: [{ name: "main", image: "demo" }] },
  };
  const { items } = await submit(await writeSet("waiting", [configMap("before"), pod]));
  const id = items[0]?.id ?? "";
  await expect.poll(async () => (await show(id)).state).toBe("running");
  const { uid } = (await poll(() => read("pod", "waits"))).metadata;
  await fleet.joined.agent.stop("KILL");
  await fleet.joined.agent.start();
  // The dead agent's lease runs out first.
  await expect.poll(async () => (await show(id)).claims, { timeout: 90_000 }).toBe(2);
  await expect.poll(async () => (await show(id)).state).toBe("running");
  await fleet.hub.stop("KILL");
  await sleep(1_000);
  await fleet.hub.start();
  const nodes = await fleet.cluster.kubectl(["get", "nodes", "-o", "name"]);
  const [node = ""] = nodes.stdout.trim().split("\n");
  await fleet.cluster.kubectl(["label", node, `${label}=yes`]);
  undo.defer(async () => void (await fleet.cluster.kubectl(["label", node, `${label}-`])));
  await expect.poll(async () => (await show(id)).finishedAt, { timeout: 120_000 }).toBeDefined();
  const ended = await show(id);
  expect(ended).toMatchObject({ state: "succeeded", claims: 2 });
  expect(ended.trouble).toBeUndefined();
  expect(ended.history.filter(({ to }) => to === "succeeded")).toHaveLength(1);
  expect((await read("pod", "waits")).metadata.uid).toBe(uid);
});

test("a run that needs approval is planned, approved by somebody else, and done, also when the hub is killed then", async () => {
  const rule = { verbs: ["get", "list", "approve"], resources: ["commands/manifests"] };
  const role = JSON.stringify({ hubRules: [rule], clusterRules: [], groups: [] });
  expect((await requestHub(fleet.hub, "/api/v1/roles/approver", { method: "PUT", body: role })).status).toBeLessThan(
    300,
  );
  const approver = await createRobot(fleet.hub, { role: "approver" });
  const { items } = await submit(await writeSet("gated", [configMap("gated")]), "--approval");
  const id = items[0]?.id ?? "";
  await expect.poll(async () => (await show(id)).state).toBe("awaiting-approval");
  const shown = await fleet.hub.cli(["run", "get", id]);
  expect(shown.stdout).toContain("did: created");
  const digest = /^Plan's digest: +([0-9a-f]{64})$/m.exec(shown.stdout)?.[1] ?? "";
  await expect(fleet.hub.cli(["run", "approve", id, "--digest", digest])).rejects.toThrow(
    "COMMAND_APPROVER_IS_REQUESTER",
  );
  await expect(read("configmap", "gated")).rejects.toThrow(/NotFound/);
  const approved = await requestHub(fleet.hub, `/api/v1/commands/${id}/approve`, {
    method: "POST",
    body: JSON.stringify({ digest, comment: "go" }),
    authorization: `Bearer ${approver.token}`,
  });
  expect([approved.status, approved.json()]).toEqual([200, expect.objectContaining({ state: "approved" })]);
  await fleet.hub.stop("KILL");
  await fleet.hub.start();
  await expect.poll(async () => (await show(id)).finishedAt).toBeDefined();
  expect(await show(id)).toMatchObject({ state: "succeeded", approvals: [{ by: approver.name, comment: "go" }] });
  expect(await read("configmap", "gated")).toMatchObject({ data: { name: "gated" } });
  const audit = await requestHub(fleet.hub, `/api/v1/audit?cluster=east&user=${approver.name}&limit=1`);
  expect(audit.json()).toMatchObject({
    items: [{ resource: "commands", subresource: "approve", name: id, status: 200 }],
  });
});

test("a run that waits is cancelled, and what it did is told", async () => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "never" },
    spec: { nodeSelector: { nowhere: "yes" }, containers: [{ name: "main", image: "demo" }] },
  };
  const { items } = await submit(await writeSet("cancelled", [pod]));
  const id = items[0]?.id ?? "";
  await poll(() => read("pod", "never"));
  await fleet.hub.cli(["run", "cancel", id]);
  await expect.poll(async () => (await show(id)).finishedAt).toBeDefined();
  expect(await show(id)).toMatchObject({ state: "cancelled", trouble: { code: "COMMAND_CANCELLED" } });
  const retried = JSON.parse((await fleet.hub.cli(["run", "retry", id, "--json"])).stdout) as CommandDetail;
  expect(retried.retryOf).toBe(id);
  await fleet.hub.cli(["run", "cancel", retried.id]);
  await expect.poll(async () => (await show(retried.id)).finishedAt).toBeDefined();
});

test("a value of a Secret that a set refers to is in the cluster and nowhere else", async () => {
  const canary = `canary-${crypto.randomUUID()}\n"line two"`;
  const { name: namespace } = fleet.namespace;
  await fleet.cluster.kubectl([
    "create",
    "secret",
    "generic",
    "source",
    `--from-literal=key=${canary}`,
    "-n",
    namespace,
  ]);
  const text = `\${secret:${namespace}/source/key}`;
  // A name that no object may have: the API server's refusal quotes it.
  const objects = [configMap("copy", { value: text }), configMap(`bad ${text}`)];
  const file = await writeSet("secret", objects);
  const { stdout: dry } = await run(file, "--json", "--dry-run");
  const failed = await run(file, "--follow").catch((error: Error) => error.message);
  await run(await writeSet("secret", [configMap("copy", { value: text })]), "--wait");
  expect((await read("configmap", "copy")).data).toEqual({ value: canary });
  const all = await Promise.all(
    (JSON.parse((await fleet.hub.cli(["run", "list", "--json"])).stdout) as { items: CommandDetail[] }).items.map(
      async ({ id }) => [JSON.stringify(await show(id)), (await fleet.hub.cli(["run", "logs", id])).stdout].join("\n"),
    ),
  );
  const logs = [await readFile(fleet.hub.logFile, "utf8"), await readFile(fleet.joined.agent.logFile, "utf8")];
  const needle = canary.split("\n")[0] ?? "";
  const encoded = [needle, Buffer.from(canary).toString("base64").slice(4, -4), encodeURIComponent(canary)];
  for (const place of [dry, String(failed), ...all, ...logs])
    for (const text of encoded) expect(place).not.toContain(text);
});

test("who may look at a cluster may not have it changed", async () => {
  const viewer = await createRobot(fleet.hub, { role: "viewer" });
  const as = { authorization: `Bearer ${viewer.token}` };
  const spec = { set: "denied", namespace: fleet.namespace.name, manifests: JSON.stringify(configMap("denied")) };
  const body = JSON.stringify({ cluster: "east", kind: "manifests", spec });
  const refused = await requestHub(fleet.hub, "/api/v1/commands", { method: "POST", body, ...as });
  expect([refused.status, refused.json()]).toEqual([403, expect.objectContaining({ code: "ACCESS_DENIED" })]);
});

test("an agent without the role is not asked for it", async () => {
  const token = join(folder, "token");
  await fleet.hub.cli(["cluster", "add", "bare", "--role", "proxy", "--token-out", token]);
  const file = await writeSet("bare", [configMap("bare")]);
  const asked = fleet.hub.cli(["run", "manifests", "-f", file, "--cluster", "bare", "--json"]);
  await expect(asked).rejects.toThrow(/COMMAND_\w+/);
});

async function writeSet(set: string, objects: readonly object[], more: object = {}): Promise<string> {
  const file = join(folder, `${set}.json`);
  const manifests = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  await writeFile(file, JSON.stringify({ set, namespace: fleet.namespace.name, manifests, ...more }));
  return file;
}

function run(file: string, ...args: string[]): Promise<{ stdout: string }> {
  // A dry run exits with 1 where anything would change.
  const options = { allowFailure: args.includes("--dry-run") };
  return fleet.hub.cli(["run", "manifests", "-f", file, "--cluster", "east", ...args], options);
}

async function dryRun(file: string): Promise<{ code: number | null; lines: string[] }> {
  const options = { allowFailure: true };
  const args = ["run", "manifests", "-f", file, "--cluster", "east", "--dry-run"];
  const { code, stdout } = await fleet.hub.cli(args, options);
  const changed = [...stdout.matchAll(/^[~+-] .*$/gm)].map(([line]) => line.replace(`${fleet.namespace.name}/`, ""));
  return { code, lines: changed.sort().reverse() };
}

async function submit(file: string, ...args: string[]): Promise<{ items: CommandDetail[] }> {
  return JSON.parse((await run(file, "--json", ...args)).stdout) as { items: CommandDetail[] };
}

async function finish(file: string, ...args: string[]): Promise<CommandDetail> {
  const [ended] = (await submit(file, "--wait", ...args)).items;
  if (ended === undefined) throw new Error("nothing was run");
  return ended;
}

async function show(id: string): Promise<CommandDetail> {
  const answer = await requestHub(fleet.hub, `/api/v1/commands/${id}`);
  return answer.json() as CommandDetail;
}

interface Read {
  readonly metadata: { readonly uid: string };
  readonly data?: Readonly<Record<string, string>>;
}

async function read(kind: string, name: string): Promise<Read> {
  return JSON.parse((await fleet.kubectl(["get", kind, name, "-o", "json"])).stdout) as Read;
}

async function poll<T>(look: () => Promise<T>): Promise<T> {
  let found: T | undefined;
  await waitUntil(
    async () => {
      found = await look().catch(() => undefined);
      return found !== undefined;
    },
    { timeoutMs: 30_000 },
  );
  if (found === undefined) throw new Error("it didn't come");
  return found;
}

function didOf({ result }: CommandDetail): Record<string, string> {
  const { objects } = result as { objects: { name: string; did: string }[] };
  return Object.fromEntries(objects.map(({ name, did }) => [name, did]));
}

function configMap(name: string, data: Record<string, string> = { name }): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}
