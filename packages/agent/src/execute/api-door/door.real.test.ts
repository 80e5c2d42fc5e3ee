// What passes the door, judged by a real API server.

import { once } from "node:events";
import { connect } from "node:net";
import { until } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdmittedRun, type ApiDoor, type Door, isReleaseSecret, openApiDoor, openDoor } from "./index.ts";

const undo = new AsyncDisposableStack();
let kube: KubeClient;
let own: TestNamespace;
let team: TestNamespace;
let door: Door;

beforeAll(async () => {
  const cluster = await sharedCluster();
  own = undo.use(await createNamespace(cluster, "agents"));
  team = undo.use(await createNamespace(cluster, "team"));
  kube = undo.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  door = undo.use(await openDoor());
  for (const name of ["named", "hidden", "sh.helm.release.v1.web.v1", "sh.helm.release.v1.web.v2.v1"])
    await makeSecret(team.name, name);
  await makeSecret(own.name, "identity");
  await make(team.name, "configmaps", { metadata: { name: "site" }, data: { text: "x" } });
  await make(team.name, "serviceaccounts", { metadata: { name: "deployer" } });
  await make(own.name, "serviceaccounts", { metadata: { name: "agent" } });
  await make(own.name, "configmaps", { metadata: { name: "settings" } });
});
afterAll(() => undo.disposeAsync());

test.each([
  ["reads an object", "GET", "configmaps/site"],
  ["lists", "GET", "configmaps?limit=5"],
  ["tries a creation", "POST", "configmaps?dryRun=All"],
  ["tries a deletion", "DELETE", "configmaps/site?dryRun=All"],
  ["tries an apply", "PATCH", "configmaps/site?dryRun=All&fieldManager=x&force=true"],
])("a plan %s", async (_, method, path) => {
  await using run = admit({ phase: "plan" });
  const { status } = await ask(run, method, ofTeam(path), bodyOf(method, path));
  expect(status).toBeLessThan(300);
  expect(await text(team.name, "configmaps/site")).toContain('"text":"x"');
});

test.each([
  ["creates", "POST", "configmaps"],
  ["replaces", "PUT", "configmaps/site"],
  ["patches", "PATCH", "configmaps/site"],
  ["deletes", "DELETE", "configmaps/site"],
  ["deletes many", "DELETE", "configmaps"],
  ["says another dry run", "PATCH", "configmaps/site?dryRun=None"],
  ["says it twice", "PATCH", "configmaps/site?dryRun=All&dryRun=All"],
  ["says it in another spelling", "PATCH", "configmaps/site?dry%52un=All"],
  ["says it in lower case", "PATCH", "configmaps/site?dryrun=All"],
  ["asks for a token in a dry run", "POST", "serviceaccounts/deployer/token?dryRun=All"],
  ["runs something by a GET", "GET", "pods/x/exec?command=sh&dryRun=All"],
  ["goes behind a service", "GET", "services/x/proxy/delete"],
  ["judges others", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews"],
  ["reviews a token", "POST", "/apis/authentication.k8s.io/v1/tokenreviews"],
  ["posts where no resource is", "POST", "/version"],
])("a plan that %s is refused, and nothing changes", async (_, method, path) => {
  await using run = admit({ phase: "plan" });
  const url = path.startsWith("/") ? path : ofTeam(path);
  const answer = await ask(run, method, url, bodyOf(method, path));
  expect(answer).toMatchObject({ status: 403 });
  expect(answer.text).toContain("DOOR_PLAN_WRITES");
  expect(await text(team.name, "configmaps/site")).toContain('"text":"x"');
});

test("a deletion whose body says otherwise than its query is none of a plan's", async () => {
  await make(team.name, "configmaps", { metadata: { name: "doomed" } });
  const body = { apiVersion: "v1", kind: "DeleteOptions" };
  const path = ofTeam("configmaps/doomed?dryRun=All");
  // The API server goes by the body: such a request deletes.
  await using planning = admit({ phase: "plan" });
  expect((await ask(planning, "DELETE", path, body)).text).toContain("DOOR_PLAN_WRITES");
  expect(await text(team.name, "configmaps/doomed")).toContain("doomed");
  await using applying = admit({ phase: "apply" });
  await ask(applying, "DELETE", path, body);
  await expect(text(team.name, "configmaps/doomed")).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});

test("a plan asks about its own rights, and keeps its lock", async () => {
  const lock = { apiGroup: "coordination.k8s.io", resource: "leases", namespace: team.name, name: "lock-a" };
  await using run = admit({ phase: "plan", keeps: [lock] });
  const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
  expect(await ask(run, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)).toMatchObject({
    status: 201,
  });
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${team.name}/leases`;
  const lease = (name: string): object => ({ metadata: { name }, spec: { holderIdentity: "me" } });
  expect(await ask(run, "POST", leases, lease("lock-a"))).toMatchObject({ status: 201 });
  expect((await ask(run, "POST", leases, lease("lock-b"))).text).toContain("DOOR_PLAN_WRITES");
  expect((await ask(run, "POST", leases, { metadata: { generateName: "lock-a" } })).text).toContain("DOOR_PLAN_WRITES");
  expect((await ask(run, "DELETE", `${leases}/lock-b`)).text).toContain("DOOR_PLAN_WRITES");
  expect(await ask(run, "DELETE", `${leases}/lock-a`)).toMatchObject({ status: 200 });
});

test.each([
  ["creates there", "POST", "configmaps"],
  ["patches there", "PATCH", "configmaps/settings"],
  ["deletes there", "DELETE", "configmaps/settings"],
  ["deletes many there", "DELETE", "configmaps"],
  ["deletes the namespace", "DELETE", ""],
  ["reads a Secret", "GET", "secrets/identity"],
  ["reads it in another spelling", "GET", "secret%73/identit%79"],
  ["reads it with a slash behind", "GET", "secrets/identity/"],
  ["lists Secrets", "GET", "secrets"],
  ["watches Secrets", "GET", "secrets?watch=1"],
  ["gets a token", "POST", "serviceaccounts/agent/token"],
  ["runs something in a pod", "POST", "pods/agent/exec?command=sh"],
  ["runs something by a GET", "GET", "pods/agent/exec?command=sh"],
  ["attaches", "GET", "pods/agent/attach"],
  ["forwards a port", "POST", "pods/agent/portforward"],
  ["goes behind a pod", "GET", "pods/agent/proxy/metrics"],
  ["goes behind a node", "GET", "/api/v1/nodes/n/proxy/exec/x/y/z"],
  ["lists Secrets everywhere", "GET", "/api/v1/secrets"],
  ["deletes many everywhere", "DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles?labelSelector=none%3Dsuch"],
])("in the agent's own namespace, whoever %s is refused", async (_, method, path) => {
  await using run = admit({ phase: "apply", ownNamespace: own.name });
  const answer = await ask(run, method, path.startsWith("/") ? path : ofOwn(path), bodyOf(method, path));
  expect(answer.status).toBe(403);
  expect(answer.text).toContain("DOOR_OWN_NAMESPACE");
  expect(answer.text).not.toContain(value);
});

test.each(["%2e%2e/agents/secrets", "%2e/x", "secrets%2fidentity", "/secrets/identity", "./secrets", "..%2fsecrets"])(
  "a path that can be read in two ways doesn't pass: %s",
  async (path) => {
    await using run = admit({ phase: "apply", ownNamespace: own.name });
    const { port } = door;
    const { status, body } = await raw(port, `GET ${new URL(run.url).pathname}${ofOwn(path)} HTTP/1.1`);
    expect(status).toBe(403);
    expect(body).toContain("POLICY_DENIED");
  },
);

test("a resource in another case is none, and what isn't closed there is read", async () => {
  await using run = admit({ phase: "apply", ownNamespace: own.name });
  expect(await ask(run, "GET", ofOwn("Secrets/identity"))).toMatchObject({ status: 404 });
  expect(await ask(run, "GET", ofOwn("configmaps/settings"))).toMatchObject({ status: 200 });
});

test("Secrets are seen that the command names, that are its own, or that the run made", async () => {
  const isOwn = isReleaseSecret({ namespace: team.name, name: "web" });
  await using run = admit({ phase: "apply", secrets: { names: [`${team.name}/named`], isOwn } });
  const seen = ["named", "sh.helm.release.v1.web.v1"];
  for (const name of seen) expect((await ask(run, "GET", ofTeam(`secrets/${name}`))).text).toContain(value);
  for (const name of ["hidden", "sh.helm.release.v1.web.v2.v1"]) {
    const answer = await ask(run, "GET", ofTeam(`secrets/${name}`));
    expect(answer).toMatchObject({ status: 403 });
    expect(answer.text).toContain("DOOR_SECRET_HIDDEN");
  }
  expect(namesIn(await ask(run, "GET", ofTeam("secrets"), undefined, protobuf))).toEqual(seen);
  expect(namesIn(await ask(run, "GET", ofTeam("secrets?fieldSelector=metadata.name%3Dhidden")))).toEqual([]);
  expect(namesIn(await ask(run, "GET", "/api/v1/secrets"))).toEqual(seen);
  const made = { metadata: { generateName: "made-" }, stringData: { text: "mine" } };
  const { name } = JSON.parse((await ask(run, "POST", ofTeam("secrets"), made)).text).metadata;
  expect(await ask(run, "GET", ofTeam(`secrets/${name}`))).toMatchObject({ status: 200 });
  await using other = admit({ phase: "apply", secrets: { names: [] } });
  expect(await ask(other, "GET", ofTeam(`secrets/${name}`))).toMatchObject({ status: 403 });
  expect(namesIn(await ask(other, "GET", ofTeam("secrets")))).toEqual([]);
});

test("no change tells what is in a Secret that the run doesn't see", async () => {
  await using run = admit({ phase: "apply", secrets: { names: [] } });
  const body = { metadata: { annotations: { a: "b" } } };
  const patched = await ask(run, "PATCH", ofTeam("secrets/hidden"), body, mergePatch);
  expect(patched).toMatchObject({ status: 200 });
  expect(patched.text).not.toContain(value);
  const copy = [{ op: "copy", from: "/data/text", path: "/metadata/annotations/a" }];
  for (const contentType of ["application/json-patch+json", "APPLICATION/JSON-PATCH+JSON; charset=utf-8"]) {
    const copied = await ask(run, "PATCH", ofTeam("secrets/hidden"), copy, { "content-type": contentType });
    expect(copied.text).toContain("DOOR_SECRET_HIDDEN");
  }
  const tried = await ask(run, "PATCH", ofTeam("secrets/hidden?dryRun=All"), body, mergePatch);
  expect(tried.text).not.toContain(value);
  await makeSecret(team.name, "held", { finalizers: ["example.com/held"] });
  const deleted = await ask(run, "DELETE", ofTeam("secrets/held"));
  expect(deleted).toMatchObject({ status: 200 });
  expect(deleted.text).not.toContain(value);
  const deletedMany = await ask(run, "DELETE", ofTeam("secrets?fieldSelector=metadata.name%3Dheld"));
  expect(deletedMany.text).not.toContain(value);
  await kube.request({
    method: "PATCH",
    path: ofTeam("secrets/held"),
    body: { metadata: { finalizers: null } },
    headers: mergePatch,
  });
});

test("what a dry run creates isn't seen when somebody else creates it", async () => {
  await using run = admit({ phase: "plan", secrets: { names: [] } });
  const body = { metadata: { name: "later" }, stringData: { text: "mine" } };
  expect(await ask(run, "POST", ofTeam("secrets?dryRun=All"), body)).toMatchObject({ status: 201 });
  await makeSecret(team.name, "later");
  expect((await ask(run, "GET", ofTeam("secrets/later"))).text).toContain("DOOR_SECRET_HIDDEN");
});

test("a watch of Secrets has the events of those that the run sees", async () => {
  await using run = admit({ phase: "apply", secrets: { names: [`${team.name}/named`] } });
  const response = await fetch(`${run.url}${ofTeam("secrets?watch=1&timeoutSeconds=2")}`, { headers: protobuf });
  const events = (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(["ADDED named"]);
});

test("for a proposal other Secrets look as if they weren't there", async () => {
  await using run = admit({ phase: "plan", secrets: { names: [], isProposal: true } });
  const answer = await ask(run, "GET", ofTeam("secrets/hidden"));
  expect(answer).toMatchObject({ status: 404 });
  expect(JSON.parse(answer.text)).toMatchObject({ reason: "NotFound" });
});

test("a run's way ends with it, and nobody comes in by another key", async () => {
  const run = admit({ phase: "apply" });
  await using other = admit({ phase: "apply" });
  const watching = fetch(`${run.url}${ofTeam("configmaps?watch=1")}`).then((response) => response.text());
  const caught = expect(watching).rejects.toThrow();
  expect(await ask(run, "GET", "/version")).toMatchObject({ status: 200 });
  await run[Symbol.asyncDispose]();
  await caught;
  expect(await ask(run, "GET", "/version")).toMatchObject({ status: 404 });
  expect(await ask(other, "GET", "/version")).toMatchObject({ status: 200 });
  const guess = `${new URL(other.url).origin}/${"0".repeat(48)}`;
  expect(await ask({ ...other, url: guess }, "GET", "/version")).toMatchObject({ status: 404 });
});

test("an upgrade isn't offered, and a door of one run passes everything without further rules", async () => {
  await using run = await openApiDoor({ kube, conceal: () => undefined, userAgent: "test" });
  expect((await ask(run, "GET", ofTeam("secrets/hidden"))).text).toContain(value);
  const { port, pathname } = new URL(run.url);
  const line = `GET ${pathname}${ofTeam("pods/x/exec")} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`;
  expect(await raw(Number(port), line)).toMatchObject({ status: 501 });
});

test("a run has so many requests under way and no more, and others notice nothing", async () => {
  await using narrow = await openDoor({ requestsOfRun: 2 });
  const means = { kube, conceal: () => undefined, userAgent: "test" };
  await using one = narrow.admit(means);
  await using other = narrow.admit(means);
  const stopping = new AbortController();
  const watch = (): Promise<Response> =>
    fetch(`${one.url}${ofTeam("configmaps?watch=1")}`, { signal: stopping.signal });
  await Promise.all([watch(), watch()]);
  const refused = await ask(one, "GET", "/version");
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining("DOOR_TOO_MANY_REQUESTS") });
  expect(await ask(other, "GET", "/version")).toMatchObject({ status: 200 });
  stopping.abort();
  await until(async () => (await ask(one, "GET", "/version")).status === 200, "there is room again");
});

test("whoever only dials keeps nobody out, and ends nothing that is under way", async () => {
  await using narrow = await openDoor({ strangers: 3 });
  await using run = narrow.admit({ kube, conceal: () => undefined, userAgent: "test" });
  const watching = await fetch(`${run.url}${ofTeam("configmaps?watch=1")}`);
  const dialled = Array.from({ length: 10 }, () => connect({ host: "127.0.0.1", port: narrow.port }));
  await using _ended = { [Symbol.asyncDispose]: async () => dialled.forEach((socket) => void socket.destroy()) };
  for (const socket of dialled.slice(0, 7)) await once(socket.resume(), "close");
  expect(await ask(run, "GET", "/version")).toMatchObject({ status: 200 });
  expect(await watching.body?.getReader().read()).toMatchObject({ done: false });
});

function admit(options: Partial<AdmittedRun>): ApiDoor {
  return door.admit({ kube, conceal: () => undefined, userAgent: "test", ...options });
}

async function ask(
  { url }: Pick<ApiDoor, "url">,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const type = method === "PATCH" ? { "content-type": "application/apply-patch+yaml" } : json;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body && type), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** As it is written, which `fetch` wouldn't send. */
async function raw(port: number, head: string): Promise<{ readonly status: number; readonly body: string }> {
  const socket = connect({ host: "127.0.0.1", port });
  const isUpgrade = head.includes("Upgrade");
  socket.end(`${head}\r\nHost: x\r\n${isUpgrade ? "" : "Connection: close\r\n"}\r\n`);
  let body = "";
  for await (const chunk of socket) body += String(chunk);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(body)?.[1]), body };
}

function bodyOf(method: string, path: string): object | undefined {
  if (method === "GET" || method === "HEAD" || method === "DELETE") return undefined;
  const metadata = method === "POST" ? { generateName: "new-" } : { name: "site" };
  if (path.includes("/token")) return { spec: { audiences: [] } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "changed" } };
}

function namesIn({ text: body }: { readonly text: string }): string[] {
  expect(body.includes(value) || body.includes('"items":[]')).toBe(true);
  const { items } = JSON.parse(body) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).sort();
}

async function makeSecret(namespace: string, name: string, more: object = {}): Promise<void> {
  await make(namespace, "secrets", { metadata: { name, ...more }, data: { text: value } });
}

async function make(namespace: string, resource: string, body: object): Promise<void> {
  await kube.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/${resource}`, body });
}

async function text(namespace: string, path: string): Promise<string> {
  return JSON.stringify(await kube.request({ path: `/api/v1/namespaces/${namespace}/${path}` }));
}

function ofTeam(path: string): string {
  return `/api/v1/namespaces/${team.name}/${path}`;
}

function ofOwn(path: string): string {
  return path === "" ? `/api/v1/namespaces/${own.name}` : `/api/v1/namespaces/${own.name}/${path}`;
}

const value = Buffer.from("canary-5f2c7e").toString("base64");
const json = { "content-type": "application/json" };
const mergePatch = { "content-type": "application/merge-patch+json" };
const protobuf = { accept: "application/vnd.kubernetes.protobuf", "accept-encoding": "gzip" };
