// A real Redis, read by the hub over a link.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { systemClock } from "@fairlead/kernel";
import { CachedPart, createLinkTransport, createRpcAcceptor, ResourceTreeService } from "@fairlead/protocol";
import { createAuthority, issueCertificate, startRedis, type TestRedis } from "@fairlead/testkit";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResourceTrees, openArgoRedis } from "./index.ts";
import { openLinkToHub } from "./link-to-hub.fixture.ts";
import type { ArgoRedis } from "./redis.ts";

const undo = new AsyncDisposableStack();
const stopping = new AbortController();
const web: Asked = { namespace: "", name: "web", part: CachedPart.RESOURCES_TREE, cacheVersion: "1.8.3" };
const ownInfo = "cluster|info|https://kubernetes.default.svc|1.8.3.gz";
let redis: TestRedis;
let passwordFile: string;
let hub: Client<typeof ResourceTreeService>;

beforeAll(async () => {
  redis = undo.use(await startRedis({ password: "the default user's" }));
  // No more than docs/argocd-hub.md says.
  const rights = ["-@all", "+getrange", "+subscribe", "+unsubscribe", "+ping", "+hello", "+auth", "+client"];
  await redis.run(
    "acl",
    "setuser",
    "fairlead",
    "on",
    ">secret",
    "resetkeys",
    "~app|*",
    "~cluster|info|*",
    "resetchannels",
    "&app|*",
    ...rights,
  );
  const folder = await mkdtemp(join(tmpdir(), "fairlead-trees-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  passwordFile = join(folder, "password");
  await writeFile(passwordFile, "wrong\n");
  const config = { host: "127.0.0.1", port: redis.port, username: "fairlead", passwordFile, tls: undefined };
  const reader = undo.use(await openArgoRedis(config, { clock: systemClock, log: pino({ level: "silent" }) }));
  const trees = createResourceTrees({
    redis: reader,
    argo: { namespace: "argocd", applicationNamespaces: ["team-a"] },
    stopping: stopping.signal,
  });
  const acceptOnAgent = createRpcAcceptor({ routes: (router) => void router.service(ResourceTreeService, trees) });
  const { link } = undo.use(await openLinkToHub(acceptOnAgent));
  hub = createClient(ResourceTreeService, createLinkTransport({ link }));
});
afterAll(() => undo.disposeAsync());

test("a password that changes is taken over without a restart", async () => {
  await expect(read({})).rejects.toThrow("RESOURCE_TREE_REDIS_FAILED");
  await writeFile(passwordFile, "secret\n");
  await expect.poll(() => read({}).catch(() => "not yet")).toBeUndefined();
});

test("a value is read as it is, in pieces, and of each namespace its own", async () => {
  const large = "tree".repeat(500_000);
  await redis.run("set", "app|managed-resources|team-a_web|1.8.3", "of team-a");
  await redis.run(
    "eval",
    `redis.call('set', KEYS[1], string.rep('tree', 500000))`,
    "1",
    "app|resources-tree|web|1.8.3.gz",
  );
  expect(await read({ isCompressed: true })).toBe(large);
  expect(await read({})).toBeUndefined();
  const other = { ...web, namespace: "team-a", part: CachedPart.MANAGED_RESOURCES };
  expect(await read({ application: other })).toBe("of team-a");
});

test("what Argo CD says of its own cluster is read, and of no other one", async () => {
  const ask = async () => await hub.readClusterInfo({ cacheVersion: "1.8.3", isCompressed: true });
  await redis.run("set", "cluster|info|https://elsewhere|1.8.3.gz", "of another");
  expect((await ask()).found).toBe(false);
  await redis.run("set", ownInfo, "of this one");
  expect(Buffer.from((await ask()).data).toString()).toBe("of this one");
  await redis.run("eval", `redis.call('set', KEYS[1], string.rep('t', 1100000))`, "1", ownInfo);
  await expect(ask()).rejects.toThrow("too large");
});

test("a value that is too large is refused, and not read whole", async () => {
  await redis.run("eval", `redis.call('set', KEYS[1], string.rep('t', 17000000))`, "1", "app|resources-tree|web|1.8.3");
  await expect(read({})).rejects.toThrow("RESOURCE_TREE_TOO_LARGE");
  await redis.run("del", "app|resources-tree|web|1.8.3");
});

test("each publish is told, and what came while the connection was lost is told of when it is back", async () => {
  const stop = new AbortController();
  const messages = hub.watch({ application: { ...web, part: CachedPart.MANAGED_RESOURCES } }, { signal: stop.signal });
  const told = messages[Symbol.asyncIterator]();
  expect((await told.next()).done).toBe(false);
  expect(await redis.run("publish", "app|managed-resources|web|1.8.3", "")).toBe("1");
  expect((await told.next()).done).toBe(false);
  await redis.run("client", "kill", "type", "pubsub");
  await redis.run("client", "kill", "type", "normal", "skipme", "yes");
  expect((await told.next()).done).toBe(false);
  stop.abort();
  await expect(told.next()).rejects.toThrow();
  await expect.poll(() => redis.run("pubsub", "channels")).toBe("");
});

test("what isn't an application's is refused without asking Redis", async () => {
  await expect(read({ application: { ...web, namespace: "kube-system" } })).rejects.toThrow("NAMESPACE_REFUSED");
  await expect(read({ application: { ...web, name: "web|x" } })).rejects.toThrow("REQUEST_INVALID");
});

test("more requests than there is room for are refused, and the rest answered", async () => {
  await redis.run("client", "pause", "500");
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      read({}).then(
        () => "answered",
        (error: Error) => error.message,
      ),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome.includes("RESOURCE_TREE_BUSY"));
  expect(refused.length).toBeGreaterThan(0);
  expect(outcomes.filter((outcome) => outcome === "answered").length + refused.length).toBe(200);
});

test("a Redis with TLS is read where its certificate is trusted, and not where it isn't", async () => {
  const authority = await createAuthority("test authority");
  const request = { commonName: "redis", ipAddresses: ["127.0.0.1"], usage: "server" } as const;
  const { certPem, keyPem } = await issueCertificate(authority, request);
  const { certPem: otherPem } = await createAuthority("another authority");
  const place = (name: string): string => join(dirname(passwordFile), name);
  const texts = { cert: certPem, key: keyPem, ca: authority.certPem, other: otherPem };
  for (const [name, text] of Object.entries(texts)) await writeFile(place(name), text);
  const tls = { certFile: place("cert"), keyFile: place("key"), caFile: place("ca") };
  await using secured = await startRedis({ password: "secret", tls });
  await secured.run("set", "key", "value");
  const open = async (caFile: string) =>
    await openArgoRedis(
      { host: "127.0.0.1", port: secured.port, username: undefined, passwordFile, tls: { caFile } },
      { clock: systemClock, log: pino({ level: "silent" }) },
    );
  const ask = async (reader: ArgoRedis) =>
    (await reader.readBeginning("key", 3, AbortSignal.timeout(5_000)))?.toString();
  using trusting = await open(tls.caFile);
  await expect.poll(() => ask(trusting).catch(String)).toBe("val");
  using wary = await open(place("other"));
  await expect.poll(() => ask(wary).catch(String)).toContain("SELF_SIGNED_CERT_IN_CHAIN");
});

test("what the hub listens to ends when the agent stops, so that its link can drain", async () => {
  const told = hub.watch({ application: { ...web, part: CachedPart.MANAGED_RESOURCES } })[Symbol.asyncIterator]();
  expect((await told.next()).done).toBe(false);
  stopping.abort();
  expect((await told.next()).done).toBe(true);
});

/** Undefined: there is no such value. */
async function read(request: {
  readonly application?: Asked;
  readonly isCompressed?: boolean;
}): Promise<string | undefined> {
  const { application = web, isCompressed = false } = request;
  const pieces: Uint8Array[] = [];
  for await (const { found, data, sizeBytes } of hub.read({ application, shard: 0, isCompressed })) {
    if (sizeBytes === 0n && data.length === 0 && !found) return undefined;
    pieces.push(data);
  }
  return Buffer.concat(pieces).toString();
}

interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly part: CachedPart;
  readonly cacheVersion: string;
}
