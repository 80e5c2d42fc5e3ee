// Serves one client. Commands are taken one after the other, as Redis does: each is answered before the next is looked
// at. The answer comes from here, from a cluster, or from the Redis of the hub's Argo CD. Other clients don't wait.
import type { Clock } from "@fairlead/kernel";
import { answerGet, answerInfo, type RequireDestination } from "./answer-get.ts";
import { parseCachedKey } from "./cached-key.ts";
import type { RespClient } from "./client.ts";
import type { ClusterInfos } from "./cluster-infos.ts";
import type { ClusterTrees } from "./cluster-trees.ts";
import { Conversation } from "./conversation.ts";
import { resourceTreeErrors } from "./errors.ts";
import type { ClientPassword } from "./password.ts";
import type { PlaceOfKey } from "./place-of-key.ts";
import { type RespCommand, type RespCredentials, readCommand } from "./read-command.ts";
import {
  bulkReply,
  failureReply,
  integerReply,
  listReply,
  nothingReply,
  okReply,
  type RespCommandPart,
  RespCommandReader,
  type RespVersion,
} from "./resp/index.ts";
import { TreeSubscriptions } from "./subscriptions.ts";
import type { TreeWatches } from "./tree-watches.ts";
import type { RedisAddress, RedisUpstream } from "./upstream.ts";

export interface RespSessionOptions {
  readonly client: RespClient;
  /** Undefined: every client may ask. */
  readonly password: ClientPassword | undefined;
  readonly upstream: RedisAddress;
  readonly placeOf: PlaceOfKey;
  readonly requireDestination: RequireDestination;
  readonly infos: ClusterInfos;
  readonly trees: Pick<ClusterTrees, "read">;
  readonly watches: Pick<TreeWatches, "listen">;
  /** The client has shown that it may ask. */
  readonly onAdmitted: () => void;
  readonly clock: Clock;
}

type Stage =
  | { readonly is: "stranger" }
  | { readonly is: "commands" }
  /** All goes to the Redis of the hub's Argo CD until the transaction ends. */
  | { readonly is: "transaction" }
  /** Listens to channels of clusters, and asks for nothing else. */
  | { readonly is: "subscriber"; readonly subscriptions: TreeSubscriptions }
  /** Listens to channels of the Redis of the hub's Argo CD, which answers all. */
  | { readonly is: "relayed"; readonly upstream: RedisUpstream }
  | { readonly is: "over" };

export class RespSession {
  readonly #options: RespSessionOptions;
  readonly #conversation: Conversation;
  #stage: Stage;

  constructor(options: RespSessionOptions) {
    const { client, upstream: address, clock, password, onAdmitted } = options;
    this.#options = options;
    this.#conversation = new Conversation({ client, address, clock });
    this.#stage = { is: password ? "stranger" : "commands" };
    if (!password) onAdmitted();
  }

  /** Until the connection is over. */
  async run(): Promise<void> {
    const { client, clock } = this.#options;
    const { socket } = client;
    const reader = new RespCommandReader(commandLimits);
    try {
      // The last answer may still be on its way when this ends.
      for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        for (const part of reader.read(chunk)) {
          await this.#take(part);
          if (this.#stage.is === "over") return;
        }
      }
    } catch (error) {
      if (!resourceTreeErrors.is(error, "RESOURCE_TREE_PROTOCOL")) throw error;
      await this.#conversation.refuse(`Protocol error: ${error.message}`);
    } finally {
      this.#end();
      socket.end();
      clock.after(lingerMs, () => socket.destroy());
    }
  }

  #end(): void {
    if (this.#stage.is === "subscriber") this.#stage.subscriptions[Symbol.dispose]();
    this.#stage = { is: "over" };
  }

  async #take(part: RespCommandPart): Promise<void> {
    if (part.is === "piece") return await this.#takePiece(part);
    const command = readCommand(part.args);
    if (command.is === "quit") {
      await this.#conversation.reply(okReply());
      return this.#end();
    }
    switch (this.#stage.is) {
      case "stranger":
        return await this.#takeOfStranger(command);
      case "commands":
        return await this.#takeCommand(command, part.raw);
      case "transaction":
        if (command.is === "finish") this.#stage = { is: "commands" };
        return await this.#conversation.pass(part.raw);
      case "subscriber":
        return await this.#takeOfSubscriber(command, this.#stage.subscriptions);
      case "relayed":
        return await this.#takeRelayed(command, part.raw, this.#stage.upstream);
      case "over":
        return;
    }
  }

  /** Clients write values of any size. Commands that are answered here are short. */
  async #takePiece({ name, isLast, raw }: RespCommandPart & { readonly is: "piece" }): Promise<void> {
    const mayWrite = this.#stage.is === "commands" || this.#stage.is === "transaction";
    if (!mayWrite || (name !== undefined && !longCommands.has(name))) return this.#end();
    const upstream = await this.#conversation.upstream();
    await upstream.write(raw);
    if (isLast) await upstream.relayReply();
  }

  async #takeOfStranger(command: RespCommand): Promise<void> {
    if (command.is === "auth") return await this.#admit(command.credentials, undefined);
    if (command.is === "hello" && command.credentials) return await this.#admit(command.credentials, command.version);
    await this.#conversation.reply(failureReply("NOAUTH", "Authentication required."));
  }

  /** `version` comes with a HELLO. A wrong password ends the session: another try costs another connection. */
  async #admit(credentials: RespCredentials, version: RespVersion | undefined): Promise<void> {
    const { password, onAdmitted } = this.#options;
    if (!password) return await this.#conversation.refuse("AUTH called without any password configured");
    if (!(await password.matches(credentials))) {
      await this.#conversation.reply(failureReply("WRONGPASS", "invalid username-password pair or user is disabled."));
      return this.#end();
    }
    if (this.#stage.is === "stranger") {
      this.#stage = { is: "commands" };
      onAdmitted();
    }
    if (version === undefined) await this.#conversation.reply(okReply());
    else await this.#conversation.greet(version);
  }

  async #takeCommand(command: RespCommand, raw: Buffer): Promise<void> {
    const conversation = this.#conversation;
    switch (command.is) {
      case "hello": {
        const { version = conversation.version, credentials } = command;
        return credentials ? await this.#admit(credentials, version) : await conversation.greet(version);
      }
      case "auth":
        return await this.#admit(command.credentials, undefined);
      case "introduce":
        return await conversation.reply(okReply());
      case "get":
        return await this.#get(command.key, raw);
      case "subscribe":
        return await this.#subscribe(command.channels, raw);
      case "subscribe-otherwise":
        return await this.#relay(raw);
      case "unsubscribe":
        return await conversation.reply(
          listReply([bulkReply("unsubscribe"), nothingReply(conversation.version), integerReply(0)]),
        );
      case "begin":
        this.#stage = { is: "transaction" };
        return await conversation.pass(raw);
      case "malformed":
        return await conversation.reply(failureReply(command.word, command.reason));
      case "refused":
        return await conversation.refuse(`${command.name.toUpperCase()} isn't taken through Fairlead`);
      case "ping":
      case "finish":
      case "other":
        return await conversation.pass(raw);
      case "quit":
        return;
    }
  }

  async #takeOfSubscriber(command: RespCommand, subscriptions: TreeSubscriptions): Promise<void> {
    const conversation = this.#conversation;
    if (command.is === "subscribe") return await this.#add(subscriptions, command.channels);
    if (command.is === "unsubscribe") {
      await subscriptions.remove(command.channels);
      if (subscriptions.count === 0) this.#stage = { is: "commands" };
      return;
    }
    if (command.is !== "ping")
      return await conversation.refuse("only (UN)SUBSCRIBE, PING and QUIT are taken from who listens to channels");
    const text = bulkReply(command.text ?? "");
    if (conversation.version === 2) return await conversation.reply(listReply([bulkReply("pong"), text]));
    await conversation.reply(command.text ? text : Buffer.from("+PONG\r\n"));
  }

  /** Replies come by themselves, and nothing can be put in between. A command that needs an answer from here ends the session. */
  async #takeRelayed(command: RespCommand, raw: Buffer, upstream: RedisUpstream): Promise<void> {
    const isOfCluster = command.is === "subscribe" && (await this.#countOfClusters(command.channels)) > 0;
    if (isOfCluster || !relayed.has(command.is)) return this.#end();
    await upstream.write(raw);
  }

  async #get(bytes: Buffer, raw: Buffer): Promise<void> {
    const { placeOf, requireDestination, infos, trees } = this.#options;
    const conversation = this.#conversation;
    const key = parseCachedKey(bytes);
    const outcome = key
      ? await answerGet({ key, conversation, placeOf, requireDestination, trees })
      : await answerInfo({ key: bytes, conversation, infos });
    if (outcome === "of-no-cluster") await this.#conversation.pass(raw);
    if (outcome === "broken") this.#end();
  }

  async #subscribe(channels: readonly Buffer[], raw: Buffer): Promise<void> {
    if ((await this.#countOfClusters(channels)) === 0) return await this.#relay(raw);
    const { watches, placeOf } = this.#options;
    const subscriptions = new TreeSubscriptions({ watches, placeOf, conversation: this.#conversation });
    this.#stage = { is: "subscriber", subscriptions };
    await this.#add(subscriptions, channels);
    if (subscriptions.count === 0) this.#stage = { is: "commands" };
  }

  async #add(subscriptions: TreeSubscriptions, channels: readonly Buffer[]): Promise<void> {
    try {
      await subscriptions.add(channels);
    } catch (error) {
      await this.#conversation.fail(error);
    }
  }

  async #countOfClusters(channels: readonly Buffer[]): Promise<number> {
    const found = await Promise.all(channels.map((channel) => this.#options.placeOf(parseCachedKey(channel))));
    return found.filter((cluster) => cluster !== undefined).length;
  }

  /** Hands the client over to the Redis of the hub's Argo CD: what that pushes comes whenever it likes. */
  async #relay(raw: Buffer): Promise<void> {
    const upstream = await this.#conversation.upstream();
    this.#stage = { is: "relayed", upstream };
    await upstream.write(raw);
    upstream.relayAll().catch(() => this.#options.client.socket.destroy());
  }
}

const commandLimits = { wholeBytes: 16_384, mostBytes: 64 * 1_024 * 1_024, mostArgs: 65_536 };
const lingerMs = 1_000;
const longCommands: ReadonlySet<string> = new Set([
  "set",
  "setex",
  "psetex",
  "setnx",
  "getset",
  "mset",
  "msetnx",
  "append",
  "setrange",
  "del",
  "unlink",
  "exists",
  "mget",
  "publish",
  "hset",
  "hmset",
  "sadd",
  "zadd",
  "lpush",
  "rpush",
  "eval",
  "evalsha",
]);
const relayed: ReadonlySet<RespCommand["is"]> = new Set([
  ...(["subscribe", "subscribe-otherwise", "unsubscribe", "ping", "other"] as const),
]);
