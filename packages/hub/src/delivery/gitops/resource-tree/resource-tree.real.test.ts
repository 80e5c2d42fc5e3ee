// The endpoint as Argo CD beside the hub sees it, with a real Redis behind it.
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { CachedPart } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTreeHarness, password, RawClient, type TreeHarness } from "./tree-harness.fixture.ts";

let harness: TreeHarness;
/** Questions that the agent of east got. */
const asked: string[] = [];
const published = new Map<string, () => void>();
const easternInfo = { cacheInfo: { resourcesCount: 8, apisCount: 61 }, applicationsCount: 7, serverVersion: "1.36" };
let value: Buffer | undefined | "never" | "short" = Buffer.from("tree of web");

beforeAll(async () => {
  harness = await openTreeHarness();
  const east = await harness.join("east", {
    async *read({ application, shard, isCompressed }, { signal }) {
      asked.push(
        `${application?.namespace}/${application?.name} ${application?.part} ${application?.cacheVersion} ${shard} ${isCompressed}`,
      );
      if (value === "never")
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left"))));
      if (value === "short") return yield* [{ found: true, sizeBytes: 10n, data: Buffer.from("half") }];
      if (!Buffer.isBuffer(value)) return yield { found: false };
      yield { found: true, sizeBytes: BigInt(value.length) };
      for (let at = 0; at < value.length; at += 65_536) yield { data: value.subarray(at, at + 65_536) };
    },
    readClusterInfo: ({ isCompressed }) => ({
      found: true,
      data: isCompressed ? gzipSync(JSON.stringify(easternInfo)) : Buffer.from("not JSON"),
    }),
    async *watch({ application }, { signal }) {
      while (!signal.aborted) {
        yield {};
        await new Promise<void>((resolve) => {
          published.set(application?.name ?? "", resolve);
          signal.addEventListener("abort", () => resolve());
        });
      }
    },
  });
  easternLink = east;
  await harness.join("west", undefined);
  for (const cluster of ["east", "west"]) await harness.make(cluster, "web", { name: cluster });
});
let easternLink: Awaited<ReturnType<TreeHarness["join"]>>;
afterAll(() => harness?.[Symbol.asyncDispose]());

test("a cluster's tree is read from the cluster, and all else from the hub's Redis, byte for byte", async () => {
  value = Buffer.from("tree of web");
  const client = await harness.open();
  asked.length = 0;
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  expect(await client.read("web\r\n")).toBe("$11\r\ntree of web\r\n");
  client.send("GET", "app|resources-tree|east_web|2|1.8.3.gz");
  client.send("GET", "app|managed-resources|east_web|1.8.3");
  client.send("SET", "app|resources-tree|local|1.8.3.gz", "here\r\n");
  client.send("GET", "app|resources-tree|local|1.8.3.gz");
  client.send("GET", "app|resources-tree|nowhere_web|1.8.3.gz");
  expect(await client.read("_\r\n")).toBe("$11\r\ntree of web\r\n$11\r\ntree of web\r\n+OK\r\n$6\r\nhere\r\n\r\n_\r\n");
  const { RESOURCES_TREE, MANAGED_RESOURCES } = CachedPart;
  expect(asked).toEqual([
    `/web ${RESOURCES_TREE} 1.8.3 0 true`,
    `/web ${RESOURCES_TREE} 1.8.3 2 true`,
    `/web ${MANAGED_RESOURCES} 1.8.3 0 false`,
  ]);
});

test("a cluster never writes the tree of an application whose destination is another cluster, such as the hub's own", async () => {
  value = Buffer.from("tree of web");
  const client = await harness.open();
  for (const [name, destination] of Object.entries({
    center: { server: "https://kubernetes.default.svc" },
    west: { name: "west" },
    turned: { name: "east" },
  }))
    await harness.make("east", name, destination);
  asked.length = 0;
  const keysOf = (name: string) => [
    `app|resources-tree|east_${name}|1.8.3.gz`,
    `app|managed-resources|east_${name}|1.8.3`,
  ];
  for (const key of [...keysOf("center"), ...keysOf("west"), ...keysOf("missing")])
    expect(await client.ask("GET", key)).toMatch(/^-ERR RESOURCE_TREE_DESTINATION_OTHER: east\/\w+ runs in east/);
  expect(asked).toEqual([]);
  client.send("GET", `app|resources-tree|east_turned|1.8.3`);
  await client.read("web\r\n");
  await harness.make("east", "turned", { name: "in-cluster" });
  expect(await client.ask("GET", "app|resources-tree|east_turned|1.8.3")).toMatch(/^-ERR RESOURCE_TREE_DESTINATION/);
});

test("values of many MiB pass both ways, and a transaction is the hub's Redis' own", async () => {
  value = Buffer.alloc(3_000_000, "t");
  const client = await harness.open();
  const large = "x".repeat(2_000_000);
  expect(await client.ask("SET", "large", large)).toBe("+OK\r\n");
  client.send("GET", "large");
  expect(await client.read("x\r\n")).toBe(`$2000000\r\n${large}\r\n`);
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  expect(await client.read("t\r\n")).toBe(`$3000000\r\n${"t".repeat(3_000_000)}\r\n`);
  client.send("MULTI");
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  client.send("EXEC");
  client.send("PING");
  expect(await client.read("PONG\r\n")).toBe("+OK\r\n+QUEUED\r\n*1\r\n_\r\n+PONG\r\n");
});

test("who listens to a cluster's channel is told of each publish, and hears nothing of others", async () => {
  const client = await harness.open();
  client.send("SUBSCRIBE", "app|managed-resources|east_web|1.8.3");
  expect(await client.read(":1\r\n")).toBe(
    ">3\r\n$9\r\nsubscribe\r\n$36\r\napp|managed-resources|east_web|1.8.3\r\n:1\r\n",
  );
  await expect.poll(() => published.has("web")).toBe(true);
  published.get("web")?.();
  const message = ">3\r\n$7\r\nmessage\r\n$36\r\napp|managed-resources|east_web|1.8.3\r\n$0\r\n\r\n";
  expect(await client.read("$0\r\n\r\n")).toBe(message);
  expect(await client.ask("PING")).toBe("+PONG\r\n");
  expect(await client.ask("GET", "large")).toMatch(/^-ERR only/);
  client.send("SUBSCRIBE", "app|managed-resources|local|1.8.3");
  expect(await client.read("\r\n")).toMatch(/^-ERR RESOURCE_TREE_CHANNELS_MIXED/);
  client.send("UNSUBSCRIBE");
  expect(await client.read(":0\r\n")).toContain("unsubscribe");
  expect(await client.ask("PING")).toBe("+PONG\r\n");
});

test("a cluster's info is what its Argo CD says of it, with the connection as the hub has it", async () => {
  const client = await harness.open();
  expect(await readInfo(client, "east")).toMatchObject({ ...easternInfo, connectionState: { status: "Successful" } });
});

test.each([
  ["whose agent doesn't read it", "west|1.8.3", "No agent of west"],
  ["whose Argo CD says what isn't its", "east|1.8.3", "unreadable"],
])("a cluster %s is connected all the same, and why it says no more is shown", async (_, ending, why) => {
  const client = await harness.open();
  client.send("GET", `cluster|info|${harness.publicUrl}/k8s/clusters/${ending}`);
  const [, text = ""] = (await client.read("}\n\r\n")).split("\r\n");
  const { connectionState, serverVersion } = JSON.parse(text);
  expect(connectionState).toMatchObject({ status: "Successful", message: expect.stringContaining(why) });
  expect(serverVersion).toBe("v1.36.3");
});

test("the info of what is none of the hub's clusters is that of the hub's Redis", async () => {
  const client = await harness.open();
  for (const place of [
    "https://kubernetes.default.svc",
    `${harness.publicUrl}/k8s/clusters/nowhere`,
    "https://other/k8s/clusters/east",
  ]) {
    expect(await client.ask("SET", `cluster|info|${place}|1.8.3.gz`, "of the hub")).toBe("+OK\r\n");
    client.send("GET", `cluster|info|${place}|1.8.3.gz`);
    expect(await client.read("hub\r\n")).toBe("$10\r\nof the hub\r\n");
  }
});

test("a subscription outlives the cluster's absence, and its client is told when the cluster is back", async () => {
  const client = await harness.open();
  client.send("SUBSCRIBE", "app|managed-resources|east_back|1.8.3");
  await client.read(":1\r\n");
  await expect.poll(() => published.has("back")).toBe(true);
  easternLink.link.close("the cluster goes away");
  const other = await harness.open();
  await expect.poll(() => other.ask("GET", "app|resources-tree|east_web|1.8.3.gz")).toBe("_\r\n");
  expect(client.unread).toBe("");
  const away = { status: "Failed", message: expect.stringMatching(/^The agent is away since 2.*Z\.$/) };
  await expect.poll(() => readInfo(other, "east")).toMatchObject({ connectionState: away, serverVersion: "v1.36.3" });
  await easternLink.dialAgain();
  expect(await client.read("$0\r\n\r\n")).toContain("message");
  await expect.poll(() => readInfo(other, "east")).toMatchObject({ connectionState: { status: "Successful" } });
});

test("channels of the hub's Redis are listened to as ever", async () => {
  const client = await harness.open();
  client.send("SUBSCRIBE", "app|managed-resources|local|1.8.3");
  expect(await client.read(":1\r\n")).toContain("subscribe");
  const other = await harness.open();
  expect(await other.ask("PUBLISH", "app|managed-resources|local|1.8.3", "now")).toBe(":1\r\n");
  expect(await client.read("now\r\n")).toContain("message");
});

test("without the right password nothing is answered", async () => {
  const without = await harness.open({ isStranger: true });
  expect(await without.ask("GET", "app|resources-tree|east_web|1.8.3.gz")).toMatch(/^-NOAUTH /);
  expect(await without.ask("HELLO", "3")).toMatch(/^-NOAUTH /);
  for (const wrong of [
    ["AUTH", "wrong"],
    ["AUTH", "someone", password],
    ["HELLO", "3", "AUTH", "default", "wrong"],
  ]) {
    const client = await harness.open({ isStranger: true });
    client.send(...wrong);
    expect(await client.readAll()).toMatch(/^-WRONGPASS /);
  }
});

test("an older client signs in by AUTH, and gets RESP2", async () => {
  value = undefined;
  const client = await harness.open({ isStranger: true });
  expect(await client.ask("AUTH", password)).toBe("+OK\r\n");
  expect(await client.ask("GET", "app|resources-tree|east_web|1.8.3.gz")).toBe("$-1\r\n");
  expect(await client.ask("GET", "nothing")).toBe("$-1\r\n");
  client.send("SUBSCRIBE", "app|managed-resources|east_web|1.8.3");
  expect(await client.read(":1\r\n")).toMatch(/^\*3\r\n/);
  client.send("PING");
  expect(await client.read("$0\r\n\r\n")).toBe("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
});

test("a cluster whose agent reads no Redis is told of by an error", async () => {
  const client = await harness.open();
  expect(await client.ask("GET", "app|resources-tree|west_web|1.8.3.gz")).toMatch(/^-ERR RESOURCE_TREE_UNSUPPORTED/);
});

test("only keys of applications' resources ever reach a cluster", async () => {
  asked.length = 0;
  const client = await harness.open();
  for (const key of [
    "app|resources-tree|east_web",
    "cluster|info|east_web|1.8.3.gz",
    "east_web",
    "app|resources-tree|east_web|1.8.3.gz\r\n",
    "app|secrets|east_web|1.8.3",
  ])
    expect(await client.ask("GET", key)).toBe("_\r\n");
  client.send("MGET", "app|resources-tree|east_web|1.8.3.gz");
  expect(await client.read("_\r\n")).toBe("*1\r\n_\r\n");
  expect(asked).toEqual([]);
});

test("an answer that doesn't end is given up, without holding up other clients", async () => {
  value = "never";
  const waiting = await harness.open();
  waiting.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  const many = await Promise.all(Array.from({ length: 20 }, () => harness.open()));
  for (const client of many) client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  const other = await harness.open();
  expect(await other.ask("PING")).toBe("+PONG\r\n");
  expect(await waiting.read("\r\n")).toMatch(/^-ERR RESOURCE_TREE_CLUSTER_FAILED.*no answer came in time/i);
  value = undefined;
});

test("an answer that breaks off ends the connection, and never passes for a whole one", async () => {
  value = "short";
  const client = await harness.open();
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  expect(await client.readAll()).toBe("$10\r\n");
  value = undefined;
});

test("a tree that unpacks to gigabytes never reaches Argo CD as a whole, and others are answered", async () => {
  const megabyte = gzipSync(Buffer.alloc(1_048_576));
  value = Buffer.concat(Array.from({ length: 2_048 }, () => megabyte));
  const client = await harness.open();
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  expect((await client.readAll()).length).toBeLessThan(value.length);
  value = undefined;
  const other = await harness.open();
  expect(await other.ask("PING")).toBe("+PONG\r\n");
});

test("what no Redis takes ends the connection, with a word why", async () => {
  const client = await harness.open({ isStranger: true });
  client.socket.write("GET / HTTP/1.1\r\n\r\n");
  expect(await client.readAll()).toMatch(/^-ERR Protocol error/);
  const large = await harness.open({ isStranger: true });
  large.socket.write(`*2\r\n$4\r\nAUTH\r\n$1000000\r\n${"x".repeat(100_000)}`);
  expect(await large.readAll()).toBe("");
});

test("connections without the password make room for newer ones", async () => {
  const strangers = [];
  for (let count = 0; count < 70; count++) strangers.push(await RawClient.connect(harness.port));
  const [first] = strangers;
  expect(await first?.readAll()).toBe("");
  const client = await harness.open();
  expect(await client.ask("PING")).toBe("+PONG\r\n");
  for (const each of strangers) each[Symbol.dispose]();
});

test("a client that reads nothing is sent no more than it has room for", async () => {
  value = undefined;
  const client = await harness.open();
  client.socket.pause();
  client.send("SUBSCRIBE", "app|managed-resources|east_flood|1.8.3");
  await expect.poll(() => published.has("flood")).toBe(true);
  for (let count = 0; count < 200; count++) {
    published.get("flood")?.();
    await sleep(1);
  }
  const other = await harness.open();
  expect(await other.ask("PING")).toBe("+PONG\r\n");
});

test("TLS is spoken on both sides where it is asked for, and nothing else", async () => {
  await using secured = await openTreeHarness({ isTls: true });
  const client = await secured.open();
  expect(await client.ask("SET", "key", "value")).toBe("+OK\r\n");
  expect(await secured.redis.run("get", "key")).toBe("value");
  const plain = await RawClient.connect(secured.port);
  plain.send("PING");
  expect(await plain.readAll()).not.toContain("PONG");
});

test("while the hub's Redis is away clusters' trees are answered, and it is used again when it is back", async () => {
  value = Buffer.from("tree of web");
  await harness.redis.component.stop({ graceMs: 0 });
  const client = await harness.open();
  expect(await client.ask("GET", "large")).toMatch(/^-ERR RESOURCE_TREE_UPSTREAM_FAILED/);
  client.send("GET", "app|resources-tree|east_web|1.8.3.gz");
  expect(await client.read("web\r\n")).toBe("$11\r\ntree of web\r\n");
  await harness.redis.component.start();
  expect(await client.ask("PING")).toBe("+PONG\r\n");
});

async function readInfo(client: RawClient, cluster: string): Promise<object> {
  client.send("GET", `cluster|info|${harness.publicUrl}/k8s/clusters/${cluster}|1.8.3.gz`);
  const head = await client.read("\r\n");
  const sizeBytes = Number(/^\$(\d+)\r\n$/.exec(head)?.[1]);
  return JSON.parse(
    gunzipSync(Buffer.from(await client.readBytes(sizeBytes + 2), "latin1").subarray(0, -2)).toString(),
  );
}
