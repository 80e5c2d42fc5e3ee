// Two clusters and a real Redis for each, told apart by the cluster's name in the address: here by the machine's loopback
// addresses, 127.0.0.1 for the cluster `1` and 127.0.0.2 for the cluster `2`.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, type Link, SharedBackend, SharedBackendService } from "@fairlead/protocol";
import { startRedis, type TestRedis } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dial, enroll, openTestHub, sayHello, type TestHub } from "../../../hub.fixture.ts";

const undo = new AsyncDisposableStack();
let on: TestHub;
let first: TestRedis;
let second: TestRedis;

beforeAll(async () => {
  first = undo.use(await startRedis());
  second = undo.use(await startRedis());
  const relay = createServer((socket) => {
    const there = connect(second.port, "127.0.0.1");
    for (const end of [socket, there]) end.on("error", () => undefined);
    socket.pipe(there).pipe(socket);
  });
  relay.listen(first.port, "127.0.0.2");
  await once(relay, "listening");
  undo.defer(() => void relay.close());
  const args = ["--argo-shared-redis", `127.0.0.{cluster}:${first.port}`, "--argo-share-with", "1,2"];
  on = undo.use(await openTestHub({ args }));
});
afterAll(() => undo.disposeAsync());

test("a cluster finds no key of another cluster, and changes none, whatever it asks of Redis", async () => {
  const [one, two] = [await join("1"), await join("2")];
  expect(await ask(one, "SET app|resources-tree|web|1.8.3 first")).toBe("+OK\r\n");
  expect(await ask(two, "GET app|resources-tree|web|1.8.3")).toBe("$-1\r\n");
  expect(await ask(two, "KEYS *")).toBe("*0\r\n");
  for (const command of ["SET app|resources-tree|web|1.8.3 evil", "SELECT 1", "FLUSHALL", "SWAPDB 0 1"])
    await ask(two, command);
  expect(await ask(one, "GET app|resources-tree|web|1.8.3")).toBe("$5\r\nfirst\r\n");
  expect(await first.run("get", "app|resources-tree|web|1.8.3")).toBe("first");
});

async function join(cluster: string): Promise<Link> {
  const link = await dial(await enroll(cluster, on, ["gitops"]), on, () => ({ onData: () => undefined }) as never);
  undo.defer(() => link.close("test is done"));
  await sayHello(link, cluster);
  return link;
}

/** On a connection of its own. */
async function ask(link: Link, command: string): Promise<string> {
  const client = createClient(SharedBackendService, createLinkTransport({ link }));
  const over = Promise.withResolvers<void>();
  let answer = "";
  const requests = async function* () {
    yield { backend: SharedBackend.REDIS };
    yield { data: Buffer.from(`${command}\r\nQUIT\r\n`) };
    // A Redis answers nobody who has left.
    await over.promise;
  };
  for await (const { data } of client.connect(requests())) answer += Buffer.from(data).toString();
  over.resolve();
  expect(answer).toMatch(/\+OK\r\n$/);
  return answer.slice(0, -"+OK\r\n".length);
}
