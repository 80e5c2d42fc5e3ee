// Bodies that are too large, or packed, of clients that go on sending.
import { once } from "node:events";
import { createServer, request as requestPlainly, type Server } from "node:http";
import { createServer as createTlsServer, request as requestByTls } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { createAuthority } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../telemetry/index.ts";
import { createApp } from "./app.ts";

const undo = new AsyncDisposableStack();
const ports = { plain: 0, tls: 0 };

beforeAll(async () => {
  const app = await createApp({
    log: createLogger({ level: "silent", name: "test" }),
    counters: { byStatus: new Map(), byErrorCode: new Map() },
    bodyLimitBytes: 64 * 1024,
    routes(routes) {
      routes.post("/api/v1/things", () => ({ taken: true }));
      routes.get("/healthz", () => "ok");
    },
  });
  const authority = await createAuthority({ commonName: "test CA", days: 1 });
  const { certPem: cert, keyPem: key } = await authority.issueServerCertificate({
    names: ["127.0.0.1"],
    ttlMs: 3_600_000,
  });
  ports.plain = await listen(createServer(app.routing));
  ports.tls = await listen(createTlsServer({ cert, key }, app.routing));
});
afterAll(() => undo.disposeAsync());

const large = JSON.stringify({ text: "x".repeat(8 * 1024 * 1024) });

test.each([
  ["with its length", { "content-length": String(large.length) }],
  ["in chunks", { "transfer-encoding": "chunked" }],
  ["with its length, after asking", { "content-length": String(large.length), expect: "100-continue" }],
  ["in chunks, after asking", { "transfer-encoding": "chunked", expect: "100-continue" }],
])("a body that is too large is answered with a code, sent %s", async (_how, headers) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const scheme of ["plain", "tls"] as const) {
      const answer = await post({ "content-type": "application/json", ...headers }, Buffer.from(large), scheme);
      expect(answer).toMatchObject({ status: 413, problem: { code: "API_REQUEST_INVALID" } });
    }
  }
  expect(await (await fetch(`http://127.0.0.1:${ports.plain}/healthz`)).text()).toBe("ok");
});

test.each(["gzip", "br", "deflate", "zstd", "x-unknown", "gzip, identity"])(
  "a body in %s is refused unread, and nothing is unpacked",
  async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect(await post(headers, bomb)).toMatchObject({ status: 415, problem: { code: "API_REQUEST_INVALID" } });
  },
);

test("a body that isn't packed may say so", async () => {
  const headers = { "content-type": "application/json", "content-encoding": "identity" };
  expect(await post(headers, Buffer.from("{}"))).toMatchObject({ status: 200 });
});

test("a client that sends a body without an end is let go", async () => {
  const socket = connect(ports.plain, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    "POST /api/v1/things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
  );
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  const sending = setInterval(() => socket.write(chunk), 1);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(sending);
});

interface Answer {
  readonly status: number | undefined;
  readonly problem: unknown;
}

async function listen(server: Server): Promise<number> {
  undo.defer(() => void server.close());
  undo.defer(() => server.closeAllConnections());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function post(headers: Record<string, string>, body: Buffer, scheme: "plain" | "tls" = "plain"): Promise<Answer> {
  const request = scheme === "tls" ? requestByTls : requestPlainly;
  const to = { port: ports[scheme], host: "127.0.0.1", rejectUnauthorized: false, agent: false } as const;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asked = request({ ...to, path: "/api/v1/things", method: "POST", headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () =>
      resolve({ status: response.statusCode, problem: JSON.parse(Buffer.concat(chunks).toString()) }),
    );
    response.on("error", reject);
  });
  asked.on("error", reject);
  if ("expect" in headers) asked.on("continue", () => asked.end(body));
  else asked.end(body);
  return promise;
}
