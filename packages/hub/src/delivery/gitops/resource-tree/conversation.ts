// The means that all stages of a client's session share: answers, and the way to the Redis of the hub's Argo CD.
import { type Clock, toFairleadError } from "@fairlead/kernel";
import type { RespClient } from "./client.ts";
import { bulkReply, failureReply, integerReply, listReply, type RespVersion, tableReply } from "./resp/index.ts";
import { openRedisUpstream, type RedisAddress, type RedisUpstream } from "./upstream.ts";

export class Conversation {
  readonly client: RespClient;
  readonly #address: RedisAddress;
  readonly #clock: Clock;
  #version: RespVersion = 2;
  #upstream: RedisUpstream | undefined;

  constructor({ client, address, clock }: ConversationOptions) {
    this.client = client;
    this.#address = address;
    this.#clock = clock;
  }

  get version(): RespVersion {
    return this.#version;
  }

  async reply(bytes: Buffer): Promise<void> {
    await this.client.send(bytes);
  }

  async fail(thrown: unknown): Promise<void> {
    const error = toFairleadError(thrown);
    await this.reply(failureReply("ERR", `${error.code}: ${error.message}`));
  }

  async refuse(message: string): Promise<void> {
    await this.reply(failureReply("ERR", message));
  }

  /** As Redis greets, so that no client needs the hub's Redis for it. */
  async greet(version: RespVersion): Promise<void> {
    if (this.#upstream && version !== this.#version) return await this.refuse("HELLO comes before other commands");
    this.#version = version;
    await this.reply(
      tableReply(version, [
        ["server", bulkReply("redis")],
        ["version", bulkReply("7.2.0")],
        ["proto", integerReply(version)],
        ["id", integerReply(1)],
        ["mode", bulkReply("standalone")],
        ["role", bulkReply("master")],
        ["modules", listReply([])],
      ]),
    );
  }

  /** A command that the Redis of the hub's Argo CD answers. While that is away the client is told so, and stays. */
  async pass(raw: Buffer): Promise<void> {
    let upstream: RedisUpstream;
    try {
      upstream = await this.upstream();
    } catch (error) {
      return await this.fail(error);
    }
    await upstream.write(raw);
    await upstream.relayReply();
  }

  /** The client's own connection there; made when it is needed. */
  async upstream(): Promise<RedisUpstream> {
    this.#upstream ??= await openRedisUpstream({
      address: this.#address,
      version: this.#version,
      client: this.client,
      clock: this.#clock,
    });
    return this.#upstream;
  }
}

interface ConversationOptions {
  readonly client: RespClient;
  readonly address: RedisAddress;
  readonly clock: Clock;
}
