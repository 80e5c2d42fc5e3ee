// A client's own connection to the Redis of the hub's Argo CD. Commands go there and replies come back byte for byte, at
// the pace of the slower side; nothing but the place where a reply ends is looked at.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Clock, orAbort, reasonOf } from "@fairlead/kernel";
import type { RespClient } from "./client.ts";
import { resourceTreeErrors } from "./errors.ts";
import { bulkReply, listReply, ReplyFrames, type RespVersion } from "./resp/index.ts";

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  /** Read again for each connection. */
  readonly passwordFile: string | undefined;
  /** Undefined: without TLS. */
  readonly tls: { readonly caFile: string | undefined } | undefined;
}

export interface RedisUpstream extends Disposable {
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the client the next reply, and what is pushed before it. */
  relayReply(): Promise<void>;
  /** Gives it all that comes, until the connection ends. */
  relayAll(): Promise<void>;
}

/** Rejects with RESOURCE_TREE_UPSTREAM_FAILED. The client's connection ends with this one. */
export async function openRedisUpstream(options: {
  readonly address: RedisAddress;
  readonly version: RespVersion;
  readonly client: RespClient;
  readonly clock: Clock;
}): Promise<RedisUpstream> {
  const { address, version, client, clock } = options;
  let socket: Socket | undefined;
  try {
    const greeting = await makeGreeting(address, version);
    socket = await dial(address, clock, client.closed);
    const upstream = new Connection(socket, client, clock);
    if (greeting) await upstream.greet(greeting);
    upstream.bind();
    return upstream;
  } catch (error) {
    socket?.destroy();
    throw resourceTreeErrors.RESOURCE_TREE_UPSTREAM_FAILED({ reason: reasonOf(error), cause: error });
  }
}

class Connection implements RedisUpstream {
  readonly #socket: Socket;
  readonly #client: RespClient;
  readonly #clock: Clock;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #frames = new ReplyFrames();
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, client: RespClient, clock: Clock) {
    this.#socket = socket;
    this.#client = client;
    this.#clock = clock;
    this.#chunks = (socket as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async greet(greeting: Buffer): Promise<void> {
    await this.write(greeting);
    const reply = await this.#takeReply();
    if (reply[0] === 0x2d) throw new Error(reply.toString("latin1", 1).trim().slice(0, 200));
  }

  /** From now on one connection ends with the other. */
  bind(): void {
    const { socket, closed } = this.#client;
    this.#socket.once("close", () => socket.destroy());
    closed.addEventListener("abort", () => this.#socket.destroy(), { once: true });
    if (this.#socket.destroyed) socket.destroy();
    if (closed.aborted) this.#socket.destroy();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#socket.destroyed) throw new Error("the connection has ended");
    if (this.#socket.write(bytes)) return;
    await orAbort(once(this.#socket, "drain"), this.#client.closed);
  }

  async relayReply(): Promise<void> {
    while (true) {
      const chunk = await this.#next(replyMs);
      const { bytes, ended } = this.#frames.pass(chunk);
      this.#rest = chunk.subarray(bytes);
      await this.#client.send(chunk.subarray(0, bytes));
      if (ended === "reply") return;
    }
  }

  async relayAll(): Promise<void> {
    while (true) await this.#client.send(await this.#next(undefined));
  }

  async #takeReply(): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let sizeBytes = 0; sizeBytes <= longestGreeting; ) {
      const chunk = await this.#next(replyMs);
      const { bytes, ended } = this.#frames.pass(chunk);
      this.#rest = chunk.subarray(bytes);
      taken.push(chunk.subarray(0, bytes));
      sizeBytes += bytes;
      if (ended === "reply") return Buffer.concat(taken);
    }
    throw new Error("its greeting has no end");
  }

  async #next(waitMs: number | undefined): Promise<Buffer> {
    if (this.#rest.length > 0) {
      const rest = this.#rest;
      this.#rest = Buffer.alloc(0);
      return rest;
    }
    const cancel = waitMs === undefined ? undefined : this.#clock.after(waitMs, () => this.#socket.destroy());
    const { done, value } = await this.#chunks.next().finally(() => cancel?.());
    if (done) throw new Error("the connection has ended");
    return value;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

async function dial(address: RedisAddress, clock: Clock, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = address;
  const ca = tls?.caFile === undefined ? undefined : await readFile(tls.caFile, "utf8");
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = tls ? connectTls({ host, port, ...name, ...(ca !== undefined && { ca }) }) : connect({ host, port });
  socket.setNoDelay(true);
  // Reads and writes fail by themselves.
  socket.on("error", () => undefined);
  const cancel = clock.after(dialMs, () => socket.destroy(new Error("it doesn't answer")));
  try {
    await orAbort(once(socket, tls ? "secureConnect" : "connect"), signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    cancel();
  }
}

async function makeGreeting(address: RedisAddress, version: RespVersion): Promise<Buffer | undefined> {
  const { username = "default", passwordFile } = address;
  const password = passwordFile === undefined ? undefined : (await readFile(passwordFile, "utf8")).trimEnd();
  const words = [
    ...(version === 3 ? ["HELLO", "3"] : []),
    ...(password === undefined
      ? []
      : ["AUTH", ...(version === 2 && address.username === undefined ? [] : [username]), password]),
  ];
  return words.length === 0 ? undefined : listReply(words.map((word) => bulkReply(word)));
}

const dialMs = 5_000;
/** For a reply to begin or to go on. */
const replyMs = 60_000;
const longestGreeting = 65_536;
