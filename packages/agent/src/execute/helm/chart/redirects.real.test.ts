// Where a repository leads Helm besides itself: by the addresses in its index, and by redirects.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { judgeHost } from "../../../policy/judge-host.ts";
import { type Policy, policySchema } from "../../../policy/schema.ts";
import { type Egress, openEgress } from "../../egress/index.ts";
import { configMap, type Harness, openHarness } from "../harness.fixture.ts";
import { archiveOf, chartFile } from "./archive/tar.fixture.ts";
import { login } from "./repositories.fixture.ts";
import { type Answer, type Outside, type Place, redirectTo, startOutside, startPlace } from "./web.fixture.ts";

const undo = new AsyncDisposableStack();
let harness: Harness;
let [charts, blobs, near]: Place[] = [];
let outside: Outside;
let [chartsAsked, blobsAsked] = [0, 0];

const archive = archiveOf([chartFile, { name: "web/templates/a.yaml", body: JSON.stringify(configMap("web")) }]);
const there = "http://charts.example.com";
const elsewhere = "http://blobs.example.com/web.tgz";

beforeAll(async () => {
  harness = undo.use(await openHarness());
  [charts, blobs, near] = [undo.use(await startPlace()), undo.use(await startPlace()), undo.use(await startPlace())];
  outside = undo.use(await startOutside({ "charts.example.com:80": charts, "blobs.example.com:80": blobs }));
  const annotations = { "fairlead.dev/hosts": "127.0.0.1" };
  await harness.send("POST", "secrets", { metadata: { name: "login", annotations }, stringData: login });
});
beforeEach(() => {
  if (!charts || !blobs) return;
  blobs.answer = () => ({ body: archive });
  [chartsAsked, blobsAsked] = [charts.asked.length, blobs.asked.length];
});
afterAll(() => undo.disposeAsync());

const byIndex = (): Answer => index(elsewhere);
const byRedirect = (path: string): Answer => (path === "/web.tgz" ? redirectTo(elsewhere) : index("web.tgz"));
const indexByRedirect = (path: string): Answer =>
  path === "/index.yaml" ? redirectTo("http://blobs.example.com/index.yaml") : { body: archive };
const ways = [
  ["an address in its index", byIndex],
  ["a redirect of the archive", byRedirect],
  ["a redirect of the index", indexByRedirect],
] as const;

test.each(ways)("%s to a host that no list names is refused before it is asked", async (_, answer) => {
  place(charts).answer = answer;
  const policy = policyOf({ charts: [there], network: ["*"] });
  await using egress = await open(policy);
  const task = { policy, egress };
  await expect(harness.run({ release: "none", chart: chartAt(there) }, task)).rejects.toMatchObject({
    code: "EGRESS_HOST_REFUSED",
    message: expect.stringMatching(/blobs\.example\.com.*execute\.charts\.repositories\.allow/),
  });
  expect(place(blobs).asked).toHaveLength(blobsAsked);
  expect(place(charts).asked.length).toBeGreaterThan(chartsAsked);
});

test.each(ways)("%s to a host that a list names is followed", async (_, answer) => {
  place(charts).answer = answer;
  place(blobs).answer = (path) => (path === "/index.yaml" ? index("web.tgz") : { body: archive });
  for (const policy of [
    policyOf({ charts: [there, "http://blobs.example.com"] }),
    policyOf({ charts: [there], network: ["charts.example.com", "blobs.example.com:80"] }),
    policyOf({}),
  ]) {
    await using egress = await open(policy);
    const done = await harness.plan({ release: "led", chart: chartAt(there) }, { policy, egress, isDryRun: true });
    expect(done).toMatchObject({ isEmpty: false });
  }
  expect(place(blobs).asked.length).toBeGreaterThan(blobsAsked);
});

test.each([
  ["another port of the agent's machine", () => `${place(near).url}/web.tgz`],
  ["the same by its other name", () => `http://localhost:${place(near).port}/web.tgz`],
  ["another address of it", () => `http://127.0.0.2:${place(near).port}/web.tgz`],
  ["a file", () => "file:///etc/hostname"],
  ["a registry there", () => `oci://127.0.0.1:${place(near).port}/charts/web:1.2.3`],
])("%s is reached by neither way", async (_, address) => {
  const policy = policyOf({ charts: [place(charts).url] });
  await using egress = await open(policy);
  for (const answer of [
    () => index(address()),
    (path: string) => (path === "/web.tgz" ? redirectTo(address()) : index("web.tgz")),
  ]) {
    place(charts).answer = answer;
    const running = harness.run({ release: "none", chart: chartAt(place(charts).url) }, { policy, egress });
    await expect(running).rejects.toMatchObject({ code: "HELM_CHART_UNREACHABLE" });
  }
  expect(place(near).asked).toEqual([]);
});

test.each(ways)("credentials of a repository go nowhere else by %s", async (_, answer) => {
  const wanted = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  place(charts).answer = (path, { headers }) => (headers.authorization === wanted ? answer(path) : { status: 401 });
  place(blobs).answer = (path) => (path === "/index.yaml" ? index("web.tgz") : { body: archive });
  const policy = policyOf({ charts: [place(charts).url, "http://blobs.example.com"] });
  await using egress = await open(policy);
  const chart = { ...chartAt(place(charts).url), credentials: { secret: `${harness.namespace}/login` } };
  const done = await harness.plan({ release: "led", chart }, { policy, egress, isDryRun: true });
  expect(done).toMatchObject({ isEmpty: false });
  const asked = place(blobs).asked.slice(blobsAsked);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

function place(found: Place | undefined): Place {
  if (found === undefined) throw new Error("It isn't there yet.");
  return found;
}

function index(url: string): Answer {
  const entry = { apiVersion: "v2", name: "web", version: "1.2.3", urls: [url] };
  return { body: JSON.stringify({ apiVersion: "v1", entries: { web: [entry] } }) };
}

function chartAt(repository: string): object {
  return { repository, name: "web", version: "1.2.3" };
}

function policyOf(allow: { readonly charts?: readonly string[]; readonly network?: readonly string[] }): Policy {
  return policySchema.parse({
    execute: {
      ...(allow.charts && { charts: { repositories: { allow: allow.charts } } }),
      ...(allow.network && { network: { hosts: { allow: allow.network } } }),
    },
  });
}

async function open(policy: Policy): Promise<Egress> {
  return await openEgress({
    judgeHost: (target) => judgeHost(policy, target),
    environment: outside.environment,
    resolve: () => Promise.reject(new Error("the proxy alone knows names")),
  });
}
