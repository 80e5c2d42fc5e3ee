// A whole hub with its endpoint for Argo CD, a real Redis behind it, and agents whose answers tests script.
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createClient, type ServiceImpl } from "@connectrpc/connect";
import {
  capabilities,
  createLinkTransport,
  createRpcAcceptor,
  type Link,
  LinkService,
  ResourceTreeService,
} from "@fairlead/protocol";
import { createAuthority, issueCertificate, reservePorts, startRedis, type TestRedis } from "@fairlead/testkit";
import { call, dial, enroll, openTestHub, type TestHub, type TestIdentity } from "../../../hub.fixture.ts";

export const password = "correct horse";

export interface TreeHarness extends AsyncDisposable {
  readonly on: TestHub;
  readonly redis: TestRedis;
  readonly port: number;
  /** The hub's address for people, without a slash at its end. */
  readonly publicUrl: string;
  /** A cluster that syncs applications, and an agent of it. */
  join(cluster: string, trees: Partial<ServiceImpl<typeof ResourceTreeService>> | undefined): Promise<JoinedAgent>;
  /** An application of the cluster on the hub, with this destination. */
  make(cluster: string, name: string, destination: object): Promise<void>;
  /** A connection to the endpoint, which has shown the password unless told. */
  open(options?: { readonly isStranger?: boolean }): Promise<RawClient>;
}

export interface JoinedAgent {
  readonly link: Link;
  /** After its link was closed. */
  dialAgain(): Promise<void>;
}

/** With TLS everything speaks it, by one certificate of an authority of its own. */
export async function openTreeHarness({ isTls = false } = {}): Promise<TreeHarness> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-trees-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, `${password}\n`);
  const tls = isTls ? await writeCertificate(folder) : undefined;
  const redis = undo.use(await startRedis({ password: "upstream's own", tls }));
  const upstreamFile = join(folder, "upstream");
  await writeFile(upstreamFile, "upstream's own\n");
  const [port = 0, publicPort = 0] = undo.use(await reservePorts(2)).ports;
  const publicUrl = `https://127.0.0.1:${publicPort}`;
  const on = undo.use(
    await openTestHub({
      config: { listen: `127.0.0.1:${publicPort}`, publicUrl },
      args: [
        "--argo-redis-listen",
        `127.0.0.1:${port}`,
        "--argo-redis-password-file",
        passwordFile,
        "--argo-redis-upstream",
        `${isTls ? "rediss" : "redis"}://${redis.address}`,
        "--argo-redis-upstream-password-file",
        upstreamFile,
        ...(tls ? ["--argo-redis-tls-cert-file", tls.certFile, "--argo-redis-tls-key-file", tls.keyFile] : []),
        ...(tls ? ["--argo-redis-upstream-ca-file", tls.caFile] : []),
      ],
    }),
  );
  const owned = undo.move();
  return {
    on,
    redis,
    port,
    publicUrl,
    async join(cluster, trees) {
      const identity = await enroll(cluster, on, ["gitops"]);
      const headers = { ...on.admin, "content-type": "application/json" };
      const body = JSON.stringify({ mode: "managed" });
      const { status, text } = await call(on.hub.peopleUrl, `/api/v1/clusters/${cluster}/gitops`, {
        method: "PUT",
        headers,
        body,
      });
      if (status !== 200) throw new Error(text);
      const joined = {
        link: await dialAgent(on, { cluster, identity, trees }),
        async dialAgain() {
          joined.link = await dialAgent(on, { cluster, identity, trees });
        },
      };
      owned.defer(() => joined.link.close("test is done"));
      return joined;
    },
    async make(cluster, name, destination) {
      const source = { repoURL: "https://git.example/web.git", path: "web" };
      const spec = { project: "default", source, destination: { ...destination, namespace: name } };
      const { status, text } = await call(
        on.hub.peopleUrl,
        `/api/v1/clusters/${cluster}/applications/${cluster}/${name}`,
        {
          method: "PUT",
          headers: { ...on.admin, "content-type": "application/json" },
          body: JSON.stringify({ spec }),
        },
      );
      if (status === undefined || status >= 300) throw new Error(text);
    },
    async open({ isStranger = false } = {}) {
      const client = await RawClient.connect(port, tls?.caFile);
      owned.defer(() => client[Symbol.dispose]());
      if (isStranger) return client;
      client.send("HELLO", "3", "AUTH", "default", password);
      await client.read("modules\r\n*0\r\n");
      return client;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function writeCertificate(folder: string): Promise<{ certFile: string; keyFile: string; caFile: string }> {
  const authority = await createAuthority("test authority");
  const pair = await issueCertificate(authority, { commonName: "redis", ipAddresses: ["127.0.0.1"], usage: "server" });
  const files = { certFile: join(folder, "cert"), keyFile: join(folder, "key"), caFile: join(folder, "ca") };
  await writeFile(files.certFile, pair.certPem);
  await writeFile(files.keyFile, pair.keyPem);
  await writeFile(files.caFile, authority.certPem);
  return files;
}

async function dialAgent(
  on: TestHub,
  agent: {
    readonly cluster: string;
    readonly identity: TestIdentity;
    readonly trees: Partial<ServiceImpl<typeof ResourceTreeService>> | undefined;
  },
): Promise<Link> {
  const { cluster, identity, trees } = agent;
  const accept = createRpcAcceptor({
    routes: (router) => void (trees && router.service(ResourceTreeService, trees)),
  });
  const link = await dial(identity, on, accept);
  await createClient(LinkService, createLinkTransport({ link })).hello({
    cluster,
    agentInstanceId: `of ${cluster}`,
    agentVersion: "0.1.0",
    protocolVersions: [1],
    capabilities: [
      ...(trees ? [capabilities.resourceTrees] : []),
      ...(trees?.readClusterInfo ? [capabilities.clusterInfo] : []),
    ],
    kubernetesVersion: "v1.36.3",
    sentAtMs: BigInt(Date.now()),
  });
  return link;
}

/** Sends commands, and waits for texts. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  #received = "";
  #isOver = false;

  static async connect(port: number, caFile?: string): Promise<RawClient> {
    if (caFile === undefined) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return new RawClient(socket);
    }
    const socket = connectTls({ port, host: "127.0.0.1", ca: await readFile(caFile) });
    await once(socket, "secureConnect");
    return new RawClient(socket);
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#received += text;
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#isOver = true;
    });
  }

  get unread(): string {
    return this.#received;
  }

  send(...args: readonly string[]): void {
    const words = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
    this.socket.write(`*${args.length}\r\n${words.join("")}`);
  }

  /** Everything up to the text, the text included. */
  async read(text: string): Promise<string> {
    return await this.#take(() => {
      const at = this.#received.indexOf(text);
      return at === -1 ? undefined : at + text.length;
    });
  }

  /** As latin1. */
  async readBytes(count: number): Promise<string> {
    return await this.#take(() => (this.#received.length < count ? undefined : count));
  }

  async ask(...args: readonly string[]): Promise<string> {
    this.send(...args);
    return await this.read("\r\n");
  }

  /** The rest of what came, once the other side has ended. */
  async readAll(): Promise<string> {
    if (!this.#isOver) await once(this.socket, "close");
    return this.#received;
  }

  async #take(findEnd: () => number | undefined): Promise<string> {
    let end = findEnd();
    while (end === undefined) {
      if (this.#isOver) throw new Error(`the connection ended after ${JSON.stringify(this.#received)}`);
      await this.#untilMore();
      end = findEnd();
    }
    const read = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return read;
  }

  async #untilMore(): Promise<void> {
    const done = new AbortController();
    const events = ["data", "close"].map((event) =>
      once(this.socket, event, { signal: done.signal }).catch(() => undefined),
    );
    await Promise.race(events);
    done.abort();
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
