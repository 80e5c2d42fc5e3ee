// A real Redis and a real repo-server beside the hub, used through the link by what is in the cluster.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import {
  createAuthority,
  issueCertificate,
  type JoinedCluster,
  joinCluster,
  reservePorts,
  sharedCluster,
  startHub,
  startRedis,
  startRepoServer,
  type TestRedis,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const undo = new AsyncDisposableStack();
let joined: JoinedCluster;
let redis: TestRedis;
let caPem: string;
let redisPort = 0;
let repoServerPort = 0;

beforeAll(async () => {
  const cluster = await sharedCluster();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-shared-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  redis = undo.use(await startRedis({ password: "its own", tls: await writeCertificate(folder) }));
  const ownRedis = undo.use(await startRedis());
  const repoServer = undo.use(await startRepoServer({ redis: ownRedis }));
  const shared = ["--argo-shared-redis", redis.address, "--argo-shared-repo-server", repoServer.address];
  const hub = undo.use(await startHub({ args: [...shared, "--argo-share-with", "backed"] }));
  [redisPort = 0, repoServerPort = 0] = undo.use(await reservePorts(2)).ports;
  joined = undo.use(
    await joinCluster({
      hub,
      name: "backed",
      roles: ["gitops"],
      kubeconfig: cluster.adminKubeconfig,
      agentArgs: [
        "--argo-hub-redis-listen",
        `127.0.0.1:${redisPort}`,
        "--argo-hub-repo-server-listen",
        `127.0.0.1:${repoServerPort}`,
      ],
    }),
  );
});
afterAll(() => undo.disposeAsync());

test("the hub's Redis is used with its own TLS and password, over a cut of the link, too", async () => {
  const client = await openRedis();
  expect(await ask(client, "PING\r\n")).toMatch(/^-NOAUTH/);
  expect(await ask(client, 'AUTH "its own"\r\n')).toBe("+OK\r\n");
  expect(await ask(client, "SET kept there\r\n")).toBe("+OK\r\n");
  expect(await redis.run("get", "kept")).toBe("there");
  joined.cable.cut();
  joined.cable.heal();
  expect(await ask(client, "GET kept\r\n")).toBe("$5\r\nthere\r\n");
  client.end("QUIT\r\n");
  await once(client, "close");
});

test("the hub's repo-server answers as one beside it would", async () => {
  const session = connectHttp2(`http://127.0.0.1:${repoServerPort}`);
  const call = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    te: "trailers",
    "content-type": "application/grpc",
  });
  // A message of no bytes, as gRPC frames it.
  call.end(Buffer.alloc(5));
  const [trailers] = (await once(call.resume(), "trailers")) as [Record<string, string>];
  expect(trailers["grpc-status"]).toBe("0");
  session.close();
});

test("more connections than there is room for are closed, and those that are there go on", async () => {
  const sockets = await Promise.all(Array.from({ length: 40 }, open));
  const isOver = () => sockets.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length;
  await expect.poll(isOver).toBe(8);
  for (const socket of sockets) socket.destroy();
  const client = await openRedis();
  expect(await ask(client, "PING\r\n")).toMatch(/^-NOAUTH/);
  client.destroy();
});

async function open(): Promise<Socket> {
  const socket = connect(redisPort, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket.resume();
}

/** There may be no room for a moment. */
async function openRedis(): Promise<TLSSocket> {
  let client: TLSSocket | undefined;
  const tryOnce = async (): Promise<boolean> => {
    client = connectTls({ port: redisPort, host: "127.0.0.1", ca: caPem });
    client.on("error", () => undefined);
    return await Promise.race([
      once(client, "secureConnect").then(() => true),
      once(client, "close").then(() => false),
    ]).catch(() => false);
  };
  await expect.poll(tryOnce).toBe(true);
  return client as TLSSocket;
}

async function ask(client: TLSSocket, command: string): Promise<string> {
  client.write(command);
  const [answer] = (await once(client, "data")) as [Buffer];
  return answer.toString();
}

async function writeCertificate(folder: string): Promise<{ certFile: string; keyFile: string; caFile: string }> {
  const authority = await createAuthority("the hub's Argo CD");
  const pair = await issueCertificate(authority, { commonName: "redis", ipAddresses: ["127.0.0.1"], usage: "server" });
  caPem = authority.certPem;
  const files = { certFile: join(folder, "cert"), keyFile: join(folder, "key"), caFile: join(folder, "ca") };
  await writeFile(files.certFile, pair.certPem);
  await writeFile(files.keyFile, pair.keyPem);
  await writeFile(files.caFile, authority.certPem);
  return files;
}
