// Requests that two readers could take for different ones. The agent of this cluster has a client certificate with all
// rights: whatever came to the API server as a request of its own would be carried out.
import { createNamespace, joinCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { sendRaw, statusesIn } from "../fleet/send-raw.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let namespace: TestNamespace;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet());
  namespace = undo.use(await createNamespace(fleet.cluster));
  const { hub, cluster } = fleet;
  undo.use(await joinCluster({ hub, name: "certified", kubeconfig: cluster.adminKubeconfig }));
});
afterAll(() => undo.disposeAsync());

const ok = "Host: hub\r\n";
/** The beginning of a request, without its length. */
const begin = (lines: string): string =>
  `POST /k8s/clusters/certified${configMaps()}?dryRun=All HTTP/1.1\r\n${ok}Authorization: Bearer ${fleet.hub.adminToken}\r\n` +
  `Content-Type: application/json\r\n${lines}\r\n`;

describe("a request whose end isn't clear", () => {
  test.each<[string, (inner: string) => string]>([
    [
      "a length and chunks",
      (inner) => `${begin("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n")}0\r\n\r\n${inner}`,
    ],
    [
      "chunks and a length",
      (inner) => `${begin("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n")}0\r\n\r\n${inner}`,
    ],
    ["two lengths", (inner) => begin(`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`) + inner],
    ["the same length twice", (inner) => begin("Content-Length: 0\r\nContent-Length: 0\r\n") + inner],
    ["a list of lengths", (inner) => begin(`Content-Length: 0, ${inner.length}\r\n`) + inner],
    ["a length with a sign", (inner) => begin("Content-Length: +0\r\n") + inner],
    ["a hexadecimal length", (inner) => begin(`Content-Length: 0x${inner.length.toString(16)}\r\n`) + inner],
    ["chunked but not last", (inner) => `${begin("Transfer-Encoding: chunked, identity\r\n")}0\r\n\r\n${inner}`],
    ["an unknown coding", (inner) => `${begin("Transfer-Encoding: xchunked\r\n")}0\r\n\r\n${inner}`],
    [
      "two codings",
      (inner) => `${begin("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n")}0\r\n\r\n${inner}`,
    ],
    ["a blank before the colon", (inner) => `${begin("Transfer-Encoding : chunked\r\n")}0\r\n\r\n${inner}`],
    ["a vertical tab in the coding", (inner) => `${begin("Transfer-Encoding: \x0bchunked\r\n")}0\r\n\r\n${inner}`],
    ["a bare CR", (inner) => `${begin("X: a\rTransfer-Encoding: chunked\r\n")}0\r\n\r\n${inner}`],
    ["a NUL", (inner) => `${begin("X: a\0\r\nTransfer-Encoding: chunked\r\n")}0\r\n\r\n${inner}`],
    ["a size beyond numbers", (inner) => `${begin("Transfer-Encoding: chunked\r\n")}10000000000000000\r\n${inner}`],
    ["a size that is none", (inner) => `${begin("Transfer-Encoding: chunked\r\n")}-1\r\n${inner}`],
    ["a bare LF behind a size", (inner) => `${begin("Transfer-Encoding: chunked\r\n")}0\n\r\n${inner}`],
    [
      "a line break in an extension",
      (inner) => `${begin("Transfer-Encoding: chunked\r\n")}1;a\n=b\r\nx\r\n0\r\n\r\n${inner}`,
    ],
    ["a blank behind the size", (inner) => `${begin("Transfer-Encoding: chunked\r\n")}1 \r\nx\r\n0\r\n\r\n${inner}`],
  ])("with %s is refused, and what is behind it is read by nobody", async (name, write) => {
    const marker = `smuggled-${toName(name)}`;
    const received = await sendRaw(fleet.hub, write(innerRequest(marker)));
    expect(statusesIn(received).every((status) => status >= 400)).toBe(true);
    expect(statusesIn(received).length).toBeLessThanOrEqual(1);
    expect(await exists(marker)).toBe(false);
  });

  test("folded over two lines is refused, or is one line to everybody", async () => {
    const marker = "smuggled-folded";
    const folded = "Content-Length: 0\r\nX: a\r\n Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n chunked\r\n";
    const received = await sendRaw(fleet.hub, `${begin(folded)}0\r\n\r\n${innerRequest(marker)}`);
    expect(statusesIn(received).filter((status) => status < 400)).toEqual([]);
    expect(await exists(marker)).toBe(false);
  });
});

test("chunk extensions are read as nothing, and none reaches the API server", async () => {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "whole" } });
  const size = body.length.toString(16);
  const text = begin("Connection: close\r\nTransfer-Encoding: chunked\r\n");
  const received = await sendRaw(fleet.hub, `${text}${size};a=b\r\n${body}\r\n0;c\r\n\r\n`);
  expect(statusesIn(received)).toEqual([201]);
});

test("a request behind one that is whole is judged by itself, and without a token refused", async () => {
  const marker = "smuggled-pipelined";
  const received = await sendRaw(
    fleet.hub,
    `${begin("Content-Length: 2\r\n")}{}${innerRequest(marker, "/k8s/clusters/certified")}`,
  );
  expect(statusesIn(received).at(-1)).toBe(401);
  expect(await exists(marker)).toBe(false);
});

test.each(["websocket", "SPDY/3.1"])(
  "bytes behind an upgrade to %s that the API server refuses are read by nobody",
  async (token) => {
    const marker = `smuggled-${toName(token)}`;
    const path = `/k8s/clusters/certified/api/v1/namespaces/${namespace.name}/pods/none/exec?command=sh&stdout=1`;
    const lines =
      `${ok}Authorization: Bearer ${fleet.hub.adminToken}\r\nConnection: Upgrade\r\nUpgrade: ${token}\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n";
    const received = await sendRaw(fleet.hub, `GET ${path} HTTP/1.1\r\n${lines}\r\n${innerRequest(marker)}`);
    expect(statusesIn(received)).toEqual([404]);
    expect(received).toMatch(/connection: close/i);
    expect(await exists(marker)).toBe(false);
    // The connection isn't given to the next one either.
    const next = await requestHub(fleet.hub, "/k8s/clusters/certified/version");
    expect(next.json()).toMatchObject({ major: "1" });
  },
);

test.each(["h2c", "HTTP/2.0", "TLS/1.0", "websocket, h2c"])("an upgrade to %s goes nowhere", async (token) => {
  const lines = `${ok}Authorization: Bearer ${fleet.hub.adminToken}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${token}\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n`;
  const received = await sendRaw(fleet.hub, `GET /k8s/clusters/certified/api/v1/secrets HTTP/1.1\r\n${lines}\r\n`);
  expect(statusesIn(received)).toEqual([400]);
  expect(received).toContain("PROXY_UPGRADE_UNSUPPORTED");
});

test("headers beyond what anyone needs are refused with a Status", async () => {
  const text = `GET /k8s/clusters/certified/version HTTP/1.1\r\n${ok}X-Large: ${"x".repeat(1_100 * 1024)}\r\n\r\n`;
  const received = await sendRaw(fleet.hub, text);
  expect(statusesIn(received)).toEqual([431]);
  const body: unknown = JSON.parse(received.split("\r\n\r\n")[1] ?? "");
  expect(body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: 431 });
});

test.each([
  "/k8s/clusters/east/../certified/version",
  "/k8s/clusters/./certified/version",
  "/k8s/clusters/east%2f..%2fcertified/version",
  "/k8s/clusters/%63ertified/version",
  "/k8s/clusters/CERTIFIED/version",
  "/k8s/clusters/certified%00/version",
  "/k8s/clusters/certified/%2e%2e/east/version",
  "/k8s/clusters/certified/api/v1/namespaces/x/%2e%2e/%2e%2e/secrets",
  "/k8s/clusters/certified/api/v1/namespaces/a%2f..%2fb/secrets",
  "/k8s/clusters/certified/api/v1/namespaces/a%2Fsecrets",
  "/k8s/clusters/certified//api/v1/secrets",
  "/k8s/clusters/certified/api/v1//secrets",
  "/k8s/clusters/certified\\..\\east/version",
])("the path %s leads nowhere", async (path) => {
  const answer = await requestHub(fleet.hub, path);
  expect([400, 404]).toContain(answer.status);
  expect(answer.json()).toMatchObject({ kind: "Status", details: { causes: [{ reason: "PROXY_PATH_INVALID" }] } });
});

/** As the API server would read it on a connection that has all rights. */
function innerRequest(marker: string, prefix = ""): string {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: marker } });
  return (
    `POST ${prefix}${configMaps()} HTTP/1.1\r\nHost: kubernetes\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

async function exists(name: string): Promise<boolean> {
  const { status } = await fleet.cluster.api.send({ path: `${configMaps()}/${name}` });
  if (status !== 200 && status !== 404) throw new Error(`the API server answered ${status}`);
  return status === 200;
}

function configMaps(): string {
  return `/api/v1/namespaces/${namespace.name}/configmaps`;
}

function toName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
