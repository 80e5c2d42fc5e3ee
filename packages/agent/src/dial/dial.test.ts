import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeHub } from "../identity/hub.fixture.ts";
import { chooseProxy } from "./choose-proxy.ts";
import { connectHub } from "./connect.ts";
import { findHubCa } from "./pin.ts";

const proxy = "http://proxy.corp:3128";

test.each([
  ["https://hub.example:8444", "", false],
  ["https://hub.example:8444", "other.example", false],
  ["https://hub.example:8444", "hub.example", true],
  ["https://a.hub.example", "hub.example", true],
  ["https://hub.example", ".hub.example", false],
  ["https://a.hub.example", "*.hub.example", true],
  ["https://nothub.example", "hub.example", false],
  ["https://HUB.example:8444", "hub.EXAMPLE:8444", true],
  ["https://hub.example:8444", "hub.example:443", false],
  ["https://hub.example", "*", true],
  ["https://10.1.2.3", "10.0.0.0/8", true],
  ["https://10.1.2.3", "10.2.0.0/16, 192.168.0.0/16", false],
  ["https://[fd00::1]:8444", "fd00::/8", true],
  ["https://[fd00::1]:8444", "[fd00::1]:8444", true],
  ["https://10.1.2.3", "10.0.0.0/99", false],
])("%s with NO_PROXY=%j goes without the proxy: %j", (url, noProxy, isDirect) => {
  const chosen = chooseProxy({ hub: new URL(url), env: { HTTPS_PROXY: proxy, NO_PROXY: noProxy } });
  expect(chosen === undefined).toBe(isDirect);
});

test("loopback is never proxied, and the lower-case names and a bare host:port count too", () => {
  for (const url of ["https://localhost:1", "https://127.0.0.9:1", "https://[::1]:1"]) {
    expect(chooseProxy({ hub: new URL(url), env: { HTTPS_PROXY: proxy } })).toBeUndefined();
  }
  const hub = new URL("https://hub.example");
  expect(chooseProxy({ hub, env: { https_proxy: "proxy:3128" } })?.href).toBe("http://proxy:3128/");
  expect(chooseProxy({ hub, env: {} })).toBeUndefined();
});

test("a proxy that was named counts for every hub, and none means none", () => {
  const hub = new URL("https://127.0.0.1:8444");
  const env = { HTTPS_PROXY: proxy, NO_PROXY: "*" };
  expect(chooseProxy({ hub, proxy: "https://user:pw@gate:3129", env })?.host).toBe("gate:3129");
  expect(chooseProxy({ hub: new URL("https://hub.example"), proxy: "none", env: { HTTPS_PROXY: proxy } })).toBe(
    undefined,
  );
});

test.each(["socks5://gate:1080", "http://", "not a url", "ftp://gate"])("%j as a proxy is refused", (text) => {
  const hub = new URL("https://hub.example");
  expect(() => chooseProxy({ hub, proxy: text, env: {} })).toThrow(
    expect.objectContaining({ code: "CONFIG_PROXY_INVALID" }),
  );
  expect(() => chooseProxy({ hub, env: { HTTPS_PROXY: text } })).toThrow(
    expect.objectContaining({ code: "CONFIG_PROXY_INVALID" }),
  );
});

interface TestProxy extends AsyncDisposable {
  readonly url: URL;
  readonly seen: string[];
}

async function startProxy(options: { status?: number } = {}): Promise<TestProxy> {
  const seen: string[] = [];
  const server: Server = createServer().on("connect", (request, socket, head) => {
    seen.push(`${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    socket.on("error", () => undefined);
    if (options.status) return void socket.end(`HTTP/1.1 ${options.status} No\r\n\r\n`);
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: new URL(`http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`),
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("the hub is reached and verified through an HTTP proxy that asks for a password", async () => {
  await using hub = await startFakeHub();
  await using via = await startProxy();
  const route = { hub: hub.url, proxy: via.url };
  const ca = await findHubCa({ route, fingerprint: hub.authority.fingerprint });
  const socket = await connectHub({ route, tls: { ca } });
  expect(socket.authorized).toBe(true);
  expect(socket.getProtocol()).toBe("TLSv1.3");
  socket.destroy();
  const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  expect(via.seen).toEqual([`${hub.url.host} ${basic}`, `${hub.url.host} ${basic}`]);
});

test("a proxy that refuses is told apart from a hub that does, without its password", async () => {
  await using hub = await startFakeHub();
  await using via = await startProxy({ status: 407 });
  const error = await connectHub({ route: { hub: hub.url, proxy: via.url }, tls: {} }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "LINK_PROXY_FAILED", message: expect.stringContaining("407"), retryable: true });
  expect(String(error)).not.toContain("p@ss");
  const gone = { hub: hub.url, proxy: new URL("http://127.0.0.1:1") };
  await expect(connectHub({ route: gone, tls: {} })).rejects.toMatchObject({ code: "LINK_PROXY_FAILED" });
});

test("without a CA nothing is trusted, and with another one neither", async () => {
  await using hub = await startFakeHub();
  await using other = await startFakeHub();
  const route = { hub: hub.url };
  await expect(connectHub({ route, tls: {} })).rejects.toMatchObject({ code: "LINK_HUB_UNTRUSTED" });
  const tls = { ca: other.authority.caPem };
  await expect(connectHub({ route, tls })).rejects.toMatchObject({ code: "LINK_HUB_UNTRUSTED" });
});

test("a CA file is trusted in addition, and read anew for each connection", async () => {
  await using hub = await startFakeHub();
  await using other = await startFakeHub();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-ca-"));
  const caFile = join(folder, "ca.pem");
  const connectIt = async (): Promise<boolean> => {
    const socket = await connectHub({ route: { hub: hub.url, caFile }, tls: { ca: other.authority.caPem } });
    socket.destroy();
    return socket.authorized;
  };
  await expect(connectIt()).rejects.toMatchObject({ code: "LINK_CA_FILE_UNUSABLE", retryable: true });
  await writeFile(caFile, "no certificate");
  await expect(connectIt()).rejects.toMatchObject({ code: "LINK_CA_FILE_UNUSABLE" });
  await writeFile(caFile, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  await expect(connectIt()).rejects.toMatchObject({ code: "LINK_CA_FILE_UNUSABLE" });
  await writeFile(caFile, `# ours\n${other.authority.caPem}\n${hub.authority.caPem}`);
  expect(await connectIt()).toBe(true);
  await rm(folder, { recursive: true });
});

test("what accepts and then says nothing is given up, directly and as a proxy", async () => {
  const silent = createTcpServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const hub = new URL(`https://127.0.0.1:${port}`);
  await expect(connectHub({ route: { hub }, tls: {}, timeoutMs: 200 })).rejects.toMatchObject({
    code: "LINK_UNREACHABLE",
  });
  const route = { hub, proxy: new URL(`http://127.0.0.1:${port}`) };
  await expect(connectHub({ route, tls: {}, timeoutMs: 200 })).rejects.toMatchObject({ code: "LINK_PROXY_FAILED" });
  silent.close();
});

test("a server that only speaks an older TLS is refused", async () => {
  await using hub = await startFakeHub({ maxVersion: "TLSv1.2" });
  const tls = { ca: hub.authority.caPem };
  await expect(connectHub({ route: { hub: hub.url }, tls })).rejects.toMatchObject({ code: "LINK_UNREACHABLE" });
});
