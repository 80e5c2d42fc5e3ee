// The hub's policy refuses someone whom the cluster itself would let do anything: so whatever comes through here was
// read in one way by the hub and in another by the API server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot, type TestRobot } from "../fleet/robots.ts";
import { sendRaw } from "../fleet/send-raw.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let reader: TestRobot;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet());
  const role = {
    clusterRules: [{ verbs: ["get", "list", "watch"], resources: ["*"], except: ["secrets", "secrets/*", "*/proxy"] }],
    groups: ["fairlead:admins"],
  };
  await requestHub(fleet.hub, "/api/v1/roles/reader", { method: "PUT", body: JSON.stringify(role) });
  reader = await createRobot(fleet.hub, { role: "reader" });
  await fleet.kubectl(["create", "secret", "generic", "s", `--from-literal=key=${canary}`]);
  await fleet.kubectl(["create", "configmap", "c", "--from-literal=key=open"]);
});
afterAll(() => undo.disposeAsync());

test("the reader is let in, and the cluster lets them do anything", async () => {
  const answer = await send(`GET /api/v1/namespaces/NS/configmaps/c`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain('"open"');
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  const spec = { resourceAttributes: { verb: "get", resource: "secrets" } };
  const may = await send("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", [], { ...review, spec });
  expect(may).toContain('"allowed":true');
});

describe("a secret", () => {
  test.each([
    "GET /api/v1/secrets",
    "GET /api/v1/secrets/",
    "GET /api/v1/namespaces/NS/secrets",
    "GET /api/v1/namespaces/NS/secrets/s",
    "GET /api/v1/namespaces/NS/secrets/s/",
    "HEAD /api/v1/namespaces/NS/secrets/s",
    "GET /api/v1/namespaces/NS/secrets/s/status",
    "GET /api/v1/namespaces/NS/secrets?watch=1",
    "GET /api/v1/namespaces/NS/secrets?watch=%ff",
    "GET /api/v1/namespaces/NS/secrets?fieldSelector=metadata.name%3Ds",
    "GET /api/v1/watch/secrets",
    "GET /api/v1/watch/namespaces/NS/secrets",
    "GET /api/v1/watch/namespaces/NS/secrets/s",
    "GET /api/v1/w%61tch/namespaces/NS/secrets/s",
    "DELETE /api/v1/watch/namespaces/NS/secrets/s",
    "GET /api/v1/%73ecrets",
    "GET /api/v1/namespaces/NS/%73ecrets/s",
    "GET /%61pi/v1/namespaces/NS/secrets/s",
    "GET /api/v1/namespaces/NS%2Fsecrets/s",
    "GET /api/v1/namespaces/NS/configmaps%2f..%2fsecrets/s",
    "GET /api/v1/namespaces/NS/configmaps/../secrets/s",
    "GET /api/v1/namespaces/NS/configmaps/%2e%2e/secrets/s",
    "GET /api/v1/namespaces/NS/./secrets/s",
    "GET /api/v1/namespaces/NS//secrets/s",
    "GET //api/v1/namespaces/NS/secrets/s",
    "GET /version/../api/v1/namespaces/NS/secrets/s",
    "GET /openapi/%2e%2e/api/v1/namespaces/NS/secrets/s",
    "GET /openapi//../api/v1/namespaces/NS/secrets/s",
    "GET /healthz/../api/v1/secrets",
    "GET /api/v1/namespaces/NS/secrets/s#/configmaps",
    "GET /api/v1/namespaces/NS/secrets;/s",
    "GET /api/v1/namespaces/NS/secrets%3f/s",
    "GET /api/v1/namespaces/NS/SECRETS/s",
    "GET /api/v1/proxy/namespaces/NS/secrets/s",
    "OPTIONS /api/v1/namespaces/NS/secrets/s",
    "PATCH /api/v1/namespaces/NS/secrets/s",
    "PUT /api/v1/namespaces/NS/secrets/s",
    "DELETE /api/v1/namespaces/NS/secrets/s",
    "DELETE /api/v1/namespaces/NS/secrets",
    "POST /api/v1/namespaces/NS/secrets/s",
    "LOCK /api/v1/namespaces/NS/secrets/s",
    "M-SEARCH /api/v1/secrets",
  ])("isn't shown by %s", async (start) => {
    const answer = await send(start, ["Accept: application/json;as=Table;g=meta.k8s.io;v=v1,application/json"]);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    for (const secret of [canary, canaryBase64, '"name":"s"']) expect(answer).not.toContain(secret);
  });

  test("is there still", async () => {
    const { stdout } = await fleet.kubectl(["get", "secret", "s", "-o", "jsonpath={.data.key}"]);
    expect(stdout).toBe(canaryBase64);
  });

  test.each(["X-HTTP-Method-Override: GET", "X-Original-URL: /api/v1/secrets", "X-Rewrite-Url: /api/v1/secrets"])(
    "isn't shown for %s",
    async (line) => {
      expect(await send("GET /api/v1/namespaces/NS/configmaps/c", [line])).not.toContain(canaryBase64);
      expect(await send("POST /api/v1/namespaces/NS/secrets/s", [line], {})).toMatch(/^HTTP\/1\.1 403 /);
    },
  );
});

describe("someone who only reads", () => {
  test.each([
    "POST /api/v1/namespaces/NS/serviceaccounts/default/token",
    "GET /api/v1/nodes/n/proxy/pods",
    "GET /api/v1/nodes/n/proxy",
    "GET /api/v1/nodes/n:10250/proxy/run/a/b/c",
    "GET /api/v1/namespaces/NS/pods/p/proxy/",
    "GET /api/v1/namespaces/NS/pods/p/pr%6fxy/",
    "GET /api/v1/namespaces/NS/services/https:s:443/proxy/",
    "GET /api/v1/proxy/nodes/n/",
    "GET /api/v1/proxy/namespaces/NS/services/s/",
    "GET /api/v1/namespaces/NS/pods/p/exec?command=id",
    "GET /api/v1/namespaces/NS/pods/p/%65xec?command=id",
    "GET /api/v1/namespaces/NS/pods/p/attach",
    "GET /api/v1/namespaces/NS/pods/p/portforward?ports=80",
    "PATCH /api/v1/namespaces/NS/pods/p/ephemeralcontainers",
    "POST /api/v1/namespaces/NS/pods/p/eviction",
    "DELETE /api/v1/namespaces/NS/configmaps/c",
    "DELETE /api/v1/namespaces/NS/configmaps",
    "DELETE /api/v1/namespaces/NS",
    "PUT /api/v1/namespaces/NS/finalize",
    "POST /api/v1/namespaces",
    "GET /metrics",
    "GET /logs/",
    "GET /debug/pprof/",
    "GET /debug/pprof/heap",
    "GET /configz",
    "POST /version",
    "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
    "POST /apis/authentication.k8s.io/v1/tokenreviews",
  ])("doesn't get %s past the hub", async (start) => {
    const answer = await send(start);
    expect(answer).toMatch(/^HTTP\/1\.1 40[034] /);
    expect(answer).toMatch(/PROXY_(?:ACCESS_DENIED|PATH_INVALID)/);
  });
});

const canary = `canary-${crypto.randomUUID()}`;
const canaryBase64 = Buffer.from(canary).toString("base64");

/**
 * NS stands for the fleet's namespace. Answers that go on for ever, as a watch would, are cut after a moment of
 * silence.
 */
function send(start: string, lines: readonly string[] = [], body?: object): Promise<string> {
  const [method = "", path = ""] = start.replaceAll("NS", fleet.namespace.name).split(" ");
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = [
    "Host: hub",
    `Authorization: Bearer ${reader.token}`,
    "Connection: close",
    `Content-Length: ${text.length}`,
    ...(text === "" ? [] : ["Content-Type: application/json"]),
    ...lines,
  ];
  const head = all.map((line) => `${line}\r\n`).join("");
  return sendRaw(fleet.hub, `${method} /k8s/clusters/east${path} HTTP/1.1\r\n${head}\r\n${text}`);
}
