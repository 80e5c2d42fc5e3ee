// A hub with declarations, whole and in process: over a database they are in force and read-only; a hub that keeps nothing
// knows its agents again by their certificates.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { createAuthority, createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  call,
  dial,
  enrollWith,
  openSocket,
  openTestHub,
  readRefusal,
  sayHello,
  type TestHub,
  type TestIdentity,
} from "./hub.fixture.ts";
import { createToken } from "./people/access/tokens/index.ts";

let folder: string;
const robot = createToken({ kind: "robot", endsMs: Date.UTC(2099, 0, 1) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-declarations-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function cluster(name: string, more = ""): string {
  return `apiVersion: fairlead.dev/v1\nkind: Cluster\nname: ${name}\nlabels: { env: prod }\n${more}---\n`;
}

const rights = `apiVersion: fairlead.dev/v1
kind: Role
name: reader
hubRules: [{ verbs: [list, get], resources: [clusters, declarations] }]
clusterRules: [{ verbs: [get], resources: ["*"] }]
groups: [readers]
---
apiVersion: fairlead.dev/v1
kind: Robot
name: ci
tokens: [{ sha256: ${robot.sha256}, expiresAt: 2099-01-01T00:00:00Z }]
---
apiVersion: fairlead.dev/v1
kind: Binding
name: ci-reads
subject: { kind: robot, name: ci }
role: reader
clusters: { selector: { matchLabels: { env: prod } } }
---
apiVersion: fairlead.dev/v1
kind: Limits
userApiRequests: 7
`;

const asRobot = { authorization: `Bearer ${robot.token}` };

async function ask(on: TestHub, method: string, path: string, body?: object) {
  const headers = { ...on.admin, ...(body ? { "content-type": "application/json" } : {}) };
  return await call(on.hub.peopleUrl, path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

async function list(on: TestHub): Promise<Map<string, { state: string; drift?: object }>> {
  const { json } = await ask(on, "GET", "/api/v1/declarations");
  const { items } = json as { items: { kind: string; name: string; state: string; drift?: object }[] };
  return new Map(items.map((item) => [`${item.kind} ${item.name}`, item]));
}

describe("over a database", () => {
  let harness: TestHub;
  beforeAll(async () => {
    await writeFile(join(folder, "clusters.yaml"), cluster("east") + cluster("west"));
    await writeFile(join(folder, "rights.yaml"), rights);
    harness = await openTestHub({ config: { inMemory: false, dataDir: join(folder, "data"), declarations: folder } });
  }, 60_000);
  afterAll(() => harness?.[Symbol.asyncDispose]());

  it("what is declared is there and works", async () => {
    const { json } = await call(harness.hub.peopleUrl, "/api/v1/clusters", { headers: asRobot });
    expect((json as { items: object[] }).items).toMatchObject([
      { name: "east", labels: { env: "prod" } },
      { name: "west" },
    ]);
    const states = await list(harness);
    expect(states.get("Limits hub")?.state).toBe("declared");
    expect([...states.values()].filter(({ state }) => state !== "declared")).toMatchObject([{ kind: "Binding" }]);
  });

  it.each([
    ["DELETE", "/api/v1/clusters/east", undefined, "clusters.yaml"],
    ["PATCH", "/api/v1/clusters/east", { displayName: "Payments" }, "clusters.yaml"],
    ["PUT", "/api/v1/roles/reader", {}, "rights.yaml"],
    ["DELETE", "/api/v1/roles/reader", undefined, "rights.yaml"],
    ["DELETE", "/api/v1/bindings/declared-ci-reads", undefined, "rights.yaml"],
    ["DELETE", "/api/v1/robots/ci", undefined, "rights.yaml"],
    ["POST", "/api/v1/robots/ci/tokens", { ttlMs: 60_000 }, "rights.yaml"],
  ])("%s %s is refused, and the file is named", async (method, path, body, file) => {
    const { status, json } = await ask(harness, method, path, body);
    expect([status, json]).toMatchObject([409, { code: "DECLARED_READ_ONLY", detail: expect.stringContaining(file) }]);
  });

  it("a token for it can't be for more roles than declared", async () => {
    const { json } = await ask(harness, "POST", "/api/v1/clusters/east/tokens", { roles: ["observe"] });
    expect(json).toMatchObject({ code: "IDENTITY_ROLE_UNDECLARED" });
  });

  it("bad files change nothing and are shown; good ones cut who was revoked or isn't declared any more", async () => {
    const east = await joinAs(harness, "east");
    const west = await joinAs(harness, "west");
    await writeFile(join(folder, "clusters.yaml"), cluster("east", "identityEpoch: none\n"));
    const problem = async () =>
      ((await ask(harness, "GET", "/api/v1/declarations")).json as { problem?: object }).problem;
    await expect.poll(problem).toMatchObject({
      code: "DECLARATION_INVALID",
      message: expect.stringMatching(/^clusters\.yaml, line 5: Cluster east: identityEpoch: /),
    });
    expect((await ask(harness, "GET", "/metrics")).text).toMatch(/^fairlead_declarations_failing 1$/m);
    expect((await list(harness)).get("Cluster west")?.state).toBe("declared");

    await writeFile(join(folder, "clusters.yaml"), cluster("east", "identityEpoch: 1\n"));
    await Promise.all([east.link.closed, west.link.closed]);
    expect(await refusalOf(east.identity, harness)).toBe("IDENTITY_REVOKED");
    expect(await refusalOf(west.identity, harness)).toBe("IDENTITY_UNDECLARED");
    await expect.poll(problem).toBeUndefined();
    expect((await list(harness)).get("Cluster west")?.state).toBe("withdrawn");

    await writeFile(join(folder, "clusters.yaml"), cluster("east", "identityEpoch: 1\n") + cluster("west"));
    await expect.poll(async () => (await list(harness)).get("Cluster west")?.state).toBe("declared");
    const back = await dial(west.identity, harness, answer("west again"));
    back.close("done");

    const shown = "displayName: Payments, Frankfurt\nprotected: true\n";
    await writeFile(join(folder, "clusters.yaml"), cluster("east", "identityEpoch: 1\n") + cluster("west", shown));
    const seen = async () => (await ask(harness, "GET", "/api/v1/clusters/west")).json;
    await expect.poll(seen).toMatchObject({ displayName: "Payments, Frankfurt", protected: true });
    const revoked = await ask(harness, "POST", "/api/v1/clusters/west/revoke", {});
    expect(revoked.json).toMatchObject({ code: "CLUSTER_PROTECTED" });
    await writeFile(join(folder, "clusters.yaml"), cluster("east", "identityEpoch: 1\n") + cluster("west"));
    await expect.poll(async () => Object.keys((await seen()) as object)).not.toContain("displayName");
    expect(await seen()).not.toMatchObject({ protected: true });
  }, 60_000);
});

describe("a hub that keeps nothing", () => {
  it("knows agents again by their certificates, and no other ones", async () => {
    const { caPem, keyPem, issueAgentCertificate } = await createAuthority({ commonName: "test CA", days: 1 });
    const mine = await mkdtemp(join(folder, "nothing-"));
    const [caCertFile, caKeyFile] = [join(mine, "ca.pem"), join(mine, "ca.key")];
    await writeFile(caCertFile, caPem);
    await writeFile(caKeyFile, keyPem);
    const file = join(mine, "all.yml");
    const names = ["stays", "goes", "revoked", "narrowed"];
    await writeFile(file, names.map((name) => cluster(name)).join("") + rights);
    const start = () =>
      openTestHub({ config: { declarations: mine, caCertFile, caKeyFile, auditLog: join(mine, "audit") } });
    const identities = new Map<string, TestIdentity>();
    {
      await using first = await start();
      expect(first.hub.caPem.trim()).toBe(caPem.trim());
      for (const name of names) identities.set(name, (await joinAs(first, name)).identity);
      expect((await ask(first, "POST", "/api/v1/clusters", { name: "new" })).json).toMatchObject({
        code: "DECLARED_ONLY",
      });
      const revoke = await ask(first, "POST", "/api/v1/clusters/stays/revoke", {});
      expect(revoke.json).toMatchObject({
        code: "DECLARED_READ_ONLY",
        hint: expect.stringContaining("identityEpoch: 1"),
      });
      expect((await ask(first, "POST", "/api/v1/ca/rotate", {})).json).toMatchObject({ code: "PKI_GIVEN" });
    }
    const later = [
      cluster("stays"),
      cluster("revoked", "identityEpoch: 1\n"),
      cluster("narrowed", "roles: [observe]\n"),
    ];
    await writeFile(file, later.join("") + rights);
    await using second = await start();
    const identityOf = (name: string) => identities.get(name) ?? {};
    expect(await refusalOf(identityOf("goes"), second)).toBe("IDENTITY_UNDECLARED");
    expect(await refusalOf(identityOf("revoked"), second)).toBe("IDENTITY_REVOKED");
    expect(await refusalOf(identityOf("narrowed"), second)).toBe("IDENTITY_ROLE_UNDECLARED");

    const issue = async (of: string, epoch?: number): Promise<TestIdentity> => {
      const { keyPem: key, csrDer } = await createCsr({});
      const wanted = { csrDer, cluster: of, epoch, roles: ["proxy"] as const, ttlMs: 60_000 };
      return { key, cert: (await issueAgentCertificate({ ...wanted, trustDomain: "fairlead.local" })).certPem };
    };
    // By a hub that said no epoch, and by one that was ahead of what is declared.
    expect(await refusalOf(await issue("stays"), second)).toBe("IDENTITY_UNKNOWN");
    expect(await refusalOf(await issue("revoked", 0), second)).toBe("IDENTITY_REVOKED");
    (await dial(await issue("revoked", 2), second, answer("ahead"))).close("done");

    const link = await dial(identityOf("stays"), second, answer("still here"));
    await sayHello(link, "stays");
    const proxied = () => call(second.hub.peopleUrl, "/k8s/clusters/stays/api", { headers: asRobot });
    await until(async () => (await proxied()).status === 200, "the link");
    expect((await proxied()).text).toBe("still here");
    const { json } = await ask(second, "GET", "/api/v1/clusters/stays");
    expect(json).toMatchObject({ state: "connected", identities: [{ roles: ["proxy"] }] });
    link.close("done");
  }, 60_000);
});

describe("a start", () => {
  it("without declarations where they should be is refused", async () => {
    const nowhere = await mkdtemp(join(folder, "nowhere-"));
    await expect(openTestHub({ config: { declarations: nowhere } })).rejects.toMatchObject({
      code: "DECLARATIONS_NONE",
    });
  });

  it("shows no admin token where somebody is declared to be admin and nothing is kept", async () => {
    const mine = await mkdtemp(join(folder, "admin-"));
    await writeFile(
      join(mine, "rights.yaml"),
      rights.replace(/role: reader\nclusters: .*/, "role: admin\nclusters: { all: true }"),
    );
    await using harness = await openTestHub({ config: { declarations: mine, auditLog: join(mine, "audit") } });
    expect(harness.hub.firstAdminToken).toBeUndefined();
    const { json } = await call(harness.hub.peopleUrl, "/api/v1/whoami", { headers: asRobot });
    expect(json).toMatchObject({ name: "robot:ci" });
  });
});

async function joinAs(harness: TestHub, name: string) {
  const { json } = await ask(harness, "POST", `/api/v1/clusters/${name}/tokens`, {});
  const identity = await enrollWith((json as { token: string }).token, harness);
  return { identity, link: await dial(identity, harness, answer(name)) };
}

async function refusalOf(identity: TestIdentity, harness: TestHub): Promise<string> {
  return ((await readRefusal(openSocket(identity, harness))).json as { code: string }).code;
}
