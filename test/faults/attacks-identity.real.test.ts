// The cluster knows a caller by the API server's own word, whatever a client, a hub or a cluster tries.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { createAgentKubeconfig, joinCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot, type TestRobot } from "../fleet/robots.ts";
import { sendRaw } from "../fleet/send-raw.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let viewer: TestRobot;
let operator: TestRobot;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet({ groups: ["devs"] }));
  [viewer, operator] = await Promise.all([
    createRobot(fleet.hub, { role: "viewer" }),
    createRobot(fleet.hub, { role: "operator" }),
  ]);
});
afterAll(() => undo.disposeAsync());

describe("the API server's word for who asks", () => {
  test("is the caller's own name and the groups of the roles", async () => {
    expect(await whoAmI(viewer)).toEqual({ user: viewer.name, groups: ["fairlead:viewers", "system:authenticated"] });
    expect(await whoAmI(operator)).toMatchObject({ groups: ["fairlead:operators", "system:authenticated"] });
  });

  test.each<[string, readonly string[]]>([
    [
      "Connection names the identity's headers",
      ["Connection: close, Impersonate-User, Impersonate-Group, Authorization"],
    ],
    ["X-Remote-* is sent", ["X-Remote-User: system:admin", "X-Remote-Group: system:masters", "x-remote-extra-a: b"]],
    ["X-Remote-* is sent with underscores", ["X_Remote_User: system:admin", "X_Remote_Group: system:masters"]],
    ["a front proxy's headers are sent", ["X-Forwarded-User: root", "X-Forwarded-For: 127.0.0.1"]],
    ["a cookie is sent", ["Cookie: token=root"]],
  ])("stays the same when %s", async (_, lines) => {
    expect(await whoAmI(operator, lines)).toEqual(await whoAmI(operator));
  });

  test.each<[string, readonly string[]]>([
    ["a user", ["Impersonate-User: system:admin"]],
    ["a user in another case", ["IMPERSONATE-USER: root"]],
    ["two users", ["Impersonate-User: bob", "Impersonate-User: system:admin"]],
    ["a user twice, in two cases", ["Impersonate-User: bob", "impersonate-user: bob"]],
    ["a folded user", ["Impersonate-User: bob\r\n root"]],
    ["groups without a user", ["Impersonate-Group: system:masters"]],
    ["an extra", ["Impersonate-User: bob", "Impersonate-Extra-scopes: all"]],
    ["an underscore", ["Impersonate_User: root"]],
    ["a user that Connection names", ["Connection: close, Impersonate-User", "Impersonate-User: root"]],
  ])("isn't given to those who may not impersonate and send %s", async (_, lines) => {
    const answer = await sendRaw(fleet.hub, selfReview(operator.token, lines));
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(answer).not.toContain("SelfSubjectReview");
  });

  test("is another's for an admin who asks for it, but never one of the cluster's own", async () => {
    const as = (...args: string[]) => fleet.kubectl(["auth", "whoami", "-o", "json", ...args], { allowFailure: true });
    const bob = JSON.parse((await as("--as", "bob", "--as-group", "devs")).stdout);
    expect(bob.status.userInfo).toMatchObject({ username: "bob", groups: ["devs", "system:authenticated"] });
    for (const args of [
      ["--as", "system:admin"],
      ["--as", "bob", "--as-group", "system:masters"],
    ]) {
      const refused = await fleet.kubectl(["get", "pods", ...args], { allowFailure: true });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("system:")]);
    }
  });
});

describe("what a role doesn't give", () => {
  test("is refused by the hub in a sentence, also to a WebSocket that begins with a GET", async () => {
    const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods/p/exec?command=sh`;
    const lines = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${key}`,
    ];
    const answer = await sendRaw(fleet.hub, format(`GET ${path}`, viewer.token, lines));
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({
      kind: "Status",
      reason: "Forbidden",
      message: expect.stringContaining(`${viewer.name} may not create pods/exec "p"`),
    });
  });

  test("is told by kubectl as it is, also after it has tried its other protocol", async () => {
    const caFile = join(fleet.cluster.stateDir, `${crypto.randomUUID()}.pem`);
    await writeFile(caFile, fleet.hub.caPem);
    const who = ["--server", fleet.joined.url, "--certificate-authority", caFile, "--token", viewer.token];
    const args = [...who, "-n", fleet.namespace.name, "exec", "p", "--", "true"];
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    await fleet.kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
    const { code, stderr } = await fleet.cluster.kubectl(args, { kubeconfig: "/dev/null", allowFailure: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: [^{]*${viewer.name} may not create pods/exec "p" in namespace "`));
  });

  test("is refused by the cluster as well, whose RBAC decides", async () => {
    const nodes = await ask(operator, "/apis/rbac.authorization.k8s.io/v1/clusterroles");
    expect([nodes.status, nodes.text]).toEqual([
      403,
      expect.stringContaining(`User \\"${operator.name}\\" cannot list`),
    ]);
    const secrets = await ask(viewer, "/api/v1/secrets");
    expect([secrets.status, secrets.text]).toEqual([403, expect.stringContaining("may not list secrets")]);
  });

  test("includes other clusters, and whether they exist", async () => {
    const there = await requestHub(fleet.hub, "/k8s/clusters/elsewhere/version", bearer(viewer));
    expect(there.status).toBe(403);
  });
});

describe("a watch in its middle", () => {
  test("is cut when its token is revoked", async () => {
    const robot = await createRobot(fleet.hub, { role: "viewer" });
    const watch = await openWatch(robot);
    const path = `/api/v1/robots/${robot.name.slice("robot:".length)}/tokens/${robot.tokenId}`;
    expect((await requestHub(fleet.hub, path, { method: "DELETE" })).status).toBe(204);
    expect(await watch.ended).toMatch(/"ERROR".*"code":401/);
    expect((await ask(robot, "/version")).status).toBe(401);
  });

  test("is cut when its token expires", async () => {
    const robot = await createRobot(fleet.hub, { role: "viewer", ttlMs: 6_000 });
    const watch = await openWatch(robot);
    expect(await watch.ended).toMatch(/"ERROR".*"code":401/);
    expect((await ask(robot, "/version")).status).toBe(401);
  });

  test("is cut when its user's binding is removed", async () => {
    const robot = await createRobot(fleet.hub, { role: "viewer" });
    const watch = await openWatch(robot);
    await requestHub(fleet.hub, `/api/v1/bindings/${robot.bindingId}`, { method: "DELETE" });
    expect(await watch.ended).toMatch(/"ERROR".*"code":403/);
    expect((await ask(robot, "/version")).status).toBe(403);
  });
});

test("a hub that asks for more than the agent's policy allows is refused, and the policy can be changed meanwhile", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-policy-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const policyFile = join(folder, "policy.yaml");
  await writeFile(policyFile, "readOnly: true\ndenySecretReads: true\n");
  const { hub, cluster } = fleet;
  const kubeconfig = await createAgentKubeconfig(cluster, `agent-${crypto.randomUUID().slice(0, 8)}`);
  await using _ = await joinCluster({ hub, name: "guarded", kubeconfig, agentArgs: ["--policy-file", policyFile] });
  const api = `/k8s/clusters/guarded/api/v1/namespaces/${fleet.namespace.name}`;
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "guarded" } });

  expect((await requestHub(hub, `${api}/pods`)).status).toBe(200);
  const create = () => requestHub(hub, `${api}/configmaps`, { method: "POST", body });
  const refused = await create();
  expect([refused.status, refused.json()]).toMatchObject([403, { message: expect.stringContaining("rule readOnly") }]);
  const secrets = await requestHub(hub, `${api}/secrets`);
  expect(secrets.json()).toMatchObject({ message: expect.stringContaining("rule denySecretReads") });

  await writeFile(policyFile, "denySecretReads: true\n");
  expect(await waitUntil(async () => (await create()).status === 201, { timeoutMs: 30_000 })).toBe(true);
});

const key = "dGhlIHNhbXBsZSBub25jZQ==";

function bearer({ token }: TestRobot): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function ask(robot: TestRobot, path: string) {
  return requestHub(fleet.hub, `/k8s/clusters/east${path}`, bearer(robot));
}

async function whoAmI(robot: TestRobot, lines: readonly string[] = []): Promise<{ user: string; groups: string[] }> {
  const answer = await sendRaw(fleet.hub, selfReview(robot.token, lines));
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  const { status } = JSON.parse(bodyOf(answer)) as {
    status: { userInfo: { username: string; groups: string[] } };
  };
  return { user: status.userInfo.username, groups: status.userInfo.groups.toSorted() };
}

function selfReview(token: string, lines: readonly string[]): string {
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const all = [
    ...lines,
    "Content-Type: application/json",
    "Accept: application/json",
    `Content-Length: ${body.length}`,
  ];
  return format("POST /k8s/clusters/east/apis/authentication.k8s.io/v1/selfsubjectreviews", token, all) + body;
}

function format(start: string, token: string, lines: readonly string[]): string {
  const all = ["Host: hub", `Authorization: Bearer ${token}`, ...lines];
  if (!lines.some((line) => line.startsWith("Connection:"))) all.push("Connection: close");
  return `${start} HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join("")}\r\n`;
}

function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
}

/** Resolves once it shows something; `ended` is the last event of a whole answer, or `broken`. */
async function openWatch(robot: TestRobot): Promise<{ readonly ended: Promise<string> }> {
  const path = `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/serviceaccounts?watch=1`;
  const { hub } = fleet;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${robot.token}` };
    const call = request(
      { host: "127.0.0.1", port: hub.port, ca: hub.caPem, agent: false, path, headers },
      (answer) => {
        let text = "";
        answer.on("data", (chunk) => {
          text += chunk;
        });
        const ended = new Promise<string>((end) => {
          answer.on("end", () => end(answer.complete ? (text.trimEnd().split("\n").at(-1) ?? "") : "broken"));
          answer.on("error", () => end("broken"));
          answer.on("close", () => end("broken"));
        });
        answer.once("data", () => resolve({ ended }));
      },
    );
    call.once("error", reject);
    call.end();
  });
}
