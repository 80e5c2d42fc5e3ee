import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArgoObject, ArgoObjectList } from "@fairlead/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../../hub.fixture.ts";
import { addRobot } from "../../../report.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  const keyFile = join(mkdtempSync(join(tmpdir(), "fairlead-key-")), "key");
  writeFileSync(keyFile, Buffer.alloc(32, 7).toString("base64"), { mode: 0o600 });
  harness = await openTestHub({ config: { keyEncryptionKeyFile: keyFile } });
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

const spec = { sourceRepos: ["*"], sourceNamespaces: ["*"], destinations: [{ server: "*", namespace: "*" }] };
const labels = { "argocd.argoproj.io/secret-type": "repository" };

it("makes projects, lists them page by page, replaces just the version that the caller says, and removes them", async () => {
  for (const name of ["a", "b", "c"]) expect((await ask("PUT", `projects/${name}`, { spec })).status).toBe(200);
  const first = (await ask("GET", "projects?limit=2")).json as ArgoObjectList;
  expect(first.items.map(({ name }) => name)).toEqual(["a", "b"]);
  const rest = (await ask("GET", `projects?limit=2&cursor=${first.next}`)).json as ArgoObjectList;
  expect([rest.items.map(({ name }) => name), rest.next]).toEqual([["c"], undefined]);
  const { resourceVersion } = (await ask("GET", "projects/a")).json as ArgoObject;
  const changed = { spec: { ...spec, description: "new" }, resourceVersion };
  expect((await ask("PUT", "projects/a", changed)).json).toMatchObject({ spec: { description: "new" } });
  expect(await code("PUT", "projects/a", changed)).toBe("GITOPS_APPLICATION_CONFLICT");
  expect((await ask("DELETE", "projects/a")).status).toBe(204);
  expect(await code("GET", "projects/a")).toBe("GITOPS_ARGO_OBJECT_NOT_FOUND");
});

it("takes passwords of repositories and shows none of them", async () => {
  const data = { url: "https://user:hunter2@git.example", password: "hunter2", project: "a" };
  const answers = [
    await ask("PUT", "repositories/r", { labels, data }),
    await ask("GET", "repositories/r"),
    await ask("GET", "repositories"),
  ];
  expect(answers.map(({ text }) => text).join("")).not.toMatch(/hunter2|aHVudGVyM/);
  expect(answers[1]?.json).toMatchObject({ project: "a", valueNames: ["password", "project", "url"], data: {} });
  expect(answers[2]?.json).toMatchObject({ items: [{ name: "r", project: "a" }] });
});

it("takes the three ConfigMaps under their names, and nothing that isn't of its kind", async () => {
  const data = { ssh_known_hosts: "git.example ssh-ed25519 AAAA" };
  expect((await ask("PUT", "known-hosts/argocd-ssh-known-hosts-cm", { data })).json).toMatchObject({ data });
  expect(await code("PUT", "known-hosts/other", { data })).toBe("GITOPS_APPLICATION_REFUSED");
  expect(await code("PUT", "repositories/r", { data: {}, labels: {} })).toBe("GITOPS_APPLICATION_REFUSED");
  expect(await code("PUT", "projects/a", { data })).toBe("GITOPS_REQUEST_INVALID");
  expect(await code("PUT", "gpg-keys/argocd-gpg-keys-cm", { spec })).toBe("GITOPS_REQUEST_INVALID");
  expect(await code("PUT", "applications/a", { spec })).toBe("GITOPS_REQUEST_INVALID");
});

it("lets nobody near who has no right, kind by kind", async () => {
  const rules = [{ resources: ["argo/projects"], verbs: ["get", "list"] }];
  const role = { hubRules: rules, clusterRules: [], groups: [] };
  expect((await ask("PUT", "/api/v1/roles/project-reader", role)).status).toBeLessThan(300);
  const token = await addRobot(harness, "reader", { role: "project-reader", clusters: { all: true } });
  const headers = { authorization: `Bearer ${token}` };
  expect((await ask("GET", "projects", undefined, headers)).status).toBe(200);
  for (const [method, path, body] of [
    ["PUT", "projects/new", { spec }],
    ["DELETE", "projects/b"],
    ["GET", "repositories"],
    ["GET", "repositories/r"],
    ["PUT", "repositories/r", { labels, data: {} }],
  ] as const)
    expect([path, (await ask(method, path, body, headers)).status]).toEqual([path, 403]);
});

async function code(method: string, path: string, body?: object): Promise<string | undefined> {
  return ((await ask(method, path, body)).json as { code?: string } | undefined)?.code;
}

function ask(method: string, path: string, body?: object, who: object = harness.admin): Promise<TestAnswer> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const whole = path.startsWith("/") ? path : `/api/v1/argo/${path}`;
  return call(harness.hub.peopleUrl, whole, { method, headers: { ...who, ...json }, ...content });
}
