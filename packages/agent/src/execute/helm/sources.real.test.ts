// Charts from a repository, from a registry and from git, and what is said where there is none.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestRepository, startGitHttp } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CommandSource } from "../../policy/index.ts";
import { policyDenied } from "../../policy/index.ts";
import { judgeSource } from "../../policy/judge-source.ts";
import { policySchema } from "../../policy/schema.ts";
import { type ChartPlaces, login, startChartPlaces } from "./chart/repositories.fixture.ts";
import { chart, configMap, type Harness, openHarness } from "./harness.fixture.ts";
import { helmRunner } from "./index.ts";

let harness: Harness;
let three: Harness;
let places: ChartPlaces;
beforeAll(async () => {
  const text = "{{ .Values.a }}";
  [harness, three, places] = await Promise.all([
    openHarness(),
    openHarness({ by: "helm3" }),
    startChartPlaces(chart({ "a.json": configMap("web", { text }) }).files),
  ]);
  const annotations = { "fairlead.dev/hosts": "127.0.0.1" };
  await harness.send("POST", "secrets", { metadata: { name: "login", annotations }, stringData: login });
  await harness.send("POST", "secrets", { metadata: { name: "unmeant" }, stringData: { ...login, token: "t0ken" } });
  await harness.send("POST", "secrets", {
    metadata: { name: "wrong", annotations },
    stringData: { ...login, password: "wrong-password" },
  });
});
afterAll(async () => {
  await places?.[Symbol.asyncDispose]();
  await three?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

test("a chart of a repository and the same one of a registry are installed with credentials of a Secret", async () => {
  const credentials = { secret: `${harness.namespace}/login` };
  const repository = { repository: places.repository, name: "web", version: "1.2.3", credentials };
  const first = await harness.run({ chart: repository, values: { a: "1" } });
  expect(first).toMatchObject({ failure: undefined, json: { revision: 1, status: "deployed" } });
  const { digest } = first.json.chart ?? {};
  expect(await harness.run({ chart: { ...repository, digest } })).toMatchObject({
    failure: undefined,
    json: { revision: 2 },
  });
  const oci = { oci: `oci://${places.registry}/charts/web`, plainHttp: true, credentials };
  for (const which of [{ version: "1.2.3" }, { digest: places.digest }]) {
    const { failure, json } = await harness.run({ chart: { ...oci, ...which }, values: { a: "2" } });
    expect(failure).toBeUndefined();
    expect(json.chart).toMatchObject({ name: "web", version: "1.2.3", digest });
  }
  expect((await harness.get("configmaps/web"))["data"]).toEqual({ text: "2" });
});

test("scenario 15: a chart that is missing, another one, or not for us is told by its code", async () => {
  const right = { secret: `${harness.namespace}/login` };
  const wrong = { secret: `${harness.namespace}/wrong` };
  const digest = `sha256:${"a".repeat(64)}`;
  const repository = { repository: places.repository, name: "web", version: "1.2.3" };
  const oci = { oci: `oci://${places.registry}/charts/web`, version: "1.2.3", plainHttp: true };
  const { version: _version, ...noVersion } = oci;
  const cases: [object, string][] = [
    [{ ...repository, credentials: right, version: "9.9.9" }, "HELM_CHART_NOT_FOUND"],
    [{ ...repository, credentials: right, name: "other" }, "HELM_CHART_NOT_FOUND"],
    [{ ...repository, credentials: right, digest }, "HELM_CHART_DIGEST_MISMATCH"],
    [{ ...repository, credentials: wrong }, "HELM_CHART_UNAUTHORIZED"],
    [repository, "HELM_CHART_UNAUTHORIZED"],
    [{ ...repository, repository: "http://127.0.0.1:9" }, "HELM_CHART_UNREACHABLE"],
    [{ ...repository, credentials: { secret: `${harness.namespace}/none` } }, "HELM_CREDENTIALS_INVALID"],
    [{ ...oci, credentials: right, version: "9.9.9" }, "HELM_CHART_NOT_FOUND"],
    [{ ...noVersion, credentials: right, digest }, "HELM_CHART_NOT_FOUND"],
    [{ ...oci, credentials: wrong }, "HELM_CHART_UNAUTHORIZED"],
    [oci, "HELM_CHART_UNAUTHORIZED"],
    [{ ...oci, plainHttp: false, credentials: right }, "HELM_CHART_UNREACHABLE"],
  ];
  for (const [source, code] of cases) {
    const task = harness.task({ release: "none", chart: source });
    const told = await harness
      .run({ release: "none", chart: source })
      .catch((error: { code: string; message: string }) => error);
    expect([source, told]).toEqual([source, expect.objectContaining({ code })]);
    expect(JSON.stringify(told)).not.toMatch(/p4ss|wrong-/);
    expect(task.lines).toEqual([]);
  }
});

test("scenario 15: Helm 3 tells a repository that wants credentials, too", async () => {
  const source = { repository: places.repository, name: "web", version: "1.2.3" };
  await expect(three.run({ release: "none", chart: source })).rejects.toMatchObject({
    code: "HELM_CHART_UNAUTHORIZED",
  });
});

test("a chart in git is installed as it is at its commit, with files of values beside it", async () => {
  const root = await mkdtemp(join(tmpdir(), "fairlead-helm-git-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(root, { recursive: true, force: true }));
  const http = undo.use(await startGitHttp({ root }));
  const repository = await openTestRepository(root, "charts.git");
  const { files } = chart({ "a.json": configMap("from-git", { text: "{{ .Values.a }}" }) });
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, text]) => [`charts/web/${path}`, text]));
  const commit = await repository.commit({ files: { ...inFolder, "prod.yaml": "a: of the file\n" } });
  await repository.commit({ files: { ...inFolder, "prod.yaml": "a: of later\n" } });
  const git = { url: http.url("charts.git"), commit };
  const release = { release: "git", valuesFiles: ["prod.yaml"] };
  const { failure, json } = await harness.run({ ...release, chart: { git, path: "charts/web" } });
  expect(failure).toBeUndefined();
  expect(json.chart).toMatchObject({ name: "web", version: "1.2.3" });
  expect((await harness.get("configmaps/from-git"))["data"]).toEqual({ text: "of the file" });
  const missing = harness.run({ ...release, chart: { git, path: "charts/other" } });
  await expect(missing).rejects.toMatchObject({ code: "HELM_CHART_NOT_FOUND" });
});

test("a Secret goes to no server that neither it nor the policy names, and in clear to none elsewhere", async () => {
  const before = places.asked.length;
  const credentials = { secret: `${harness.namespace}/unmeant` };
  const repository = { repository: places.repository, name: "web", version: "1.2.3", credentials };
  const password = `\${secret:${harness.namespace}/unmeant/token}`;
  const git = { url: `${places.repository}/app.git`, ref: "main", credentials: { password } };
  const refused = { code: "SECRET_HOST_NOT_ALLOWED", message: expect.stringContaining("127.0.0.1") };
  for (const source of [
    repository,
    { oci: `oci://${places.registry}/charts/web`, plainHttp: true, version: "1.2.3", credentials },
    { git },
  ])
    await expect(harness.run({ release: "none", chart: source })).rejects.toMatchObject(refused);
  const elsewhere = { ...repository, repository: "http://charts.example.com" };
  await expect(harness.run({ release: "none", chart: elsewhere })).rejects.toMatchObject({
    code: "SECRET_HOST_UNENCRYPTED",
  });
  expect(places.asked).toHaveLength(before);
  const credentialRules = [{ secret: `${harness.namespace}/unmeant`, hosts: ["127.0.0.1"] }];
  const done = await harness.run(
    { release: "ruled", chart: repository, values: { a: "1" }, wait: false },
    { credentialRules },
  );
  // The same object is in another release of this file.
  expect(done.failure?.code).toBe("HELM_OBJECT_FOREIGN");
});

test("a chart that the policy of the cluster doesn't let in is not even asked for", async () => {
  const before = places.asked.length;
  const repository = { repository: places.repository, name: "web", version: "1.2.3" };
  const task = harness.task({ release: "denied", chart: repository });
  const policy = policySchema.parse({ execute: { charts: { repositories: { allow: ["inline"] } } } });
  const mayUse = (source: CommandSource): void => {
    const verdict = judgeSource(policy, source);
    if (!verdict.allowed) throw policyDenied(verdict);
  };
  await expect(helmRunner.run({ ...task, mayUse })).rejects.toMatchObject({
    code: "POLICY_DENIED",
    message: expect.stringContaining(`rule execute.charts.repositories.allow): ${places.repository} isn't in it`),
  });
  expect(places.asked).toHaveLength(before);
});
