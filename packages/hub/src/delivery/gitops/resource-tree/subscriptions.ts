// The channels of clusters that one client listens to. A message says that something changed, and no more: of those that
// come while the client is slow one is kept for each channel.
import { type CachedKey, parseCachedKey } from "./cached-key.ts";
import type { Conversation } from "./conversation.ts";
import { resourceTreeErrors } from "./errors.ts";
import type { PlaceOfKey, TreePlace } from "./place-of-key.ts";
import { bulkReply, integerReply, nothingReply, pushReply } from "./resp/index.ts";
import type { TreeWatches } from "./tree-watches.ts";

export class TreeSubscriptions implements Disposable {
  readonly #watches: Pick<TreeWatches, "listen">;
  readonly #placeOf: PlaceOfKey;
  readonly #conversation: Conversation;
  readonly #channels = new Map<string, Disposable>();
  readonly #due = new Set<string>();
  #isSending = false;

  constructor(options: {
    readonly watches: Pick<TreeWatches, "listen">;
    readonly placeOf: PlaceOfKey;
    readonly conversation: Conversation;
  }) {
    this.#watches = options.watches;
    this.#placeOf = options.placeOf;
    this.#conversation = options.conversation;
  }

  get count(): number {
    return this.#channels.size;
  }

  /** Throws RESOURCE_TREE_CHANNELS_MIXED, RESOURCE_TREE_TOO_MANY_CHANNELS, RESOURCE_TREE_CLUSTER_BUSY. */
  async add(channels: readonly Buffer[]): Promise<void> {
    const found = await Promise.all(channels.map((channel) => this.#find(channel)));
    for (const [index, channel] of channels.entries()) {
      const { place, key } = found[index] ?? {};
      if (!place || !key) throw resourceTreeErrors.RESOURCE_TREE_CHANNELS_MIXED();
      const name = channel.toString("latin1");
      if (!this.#channels.has(name)) {
        if (this.count >= mostChannels)
          throw resourceTreeErrors.RESOURCE_TREE_TOO_MANY_CHANNELS({ most: mostChannels });
        this.#channels.set(
          name,
          this.#watches.listen(place, key, () => this.#tell(name)),
        );
      }
      await this.#answer("subscribe", bulkReply(name));
    }
  }

  /** Without channels: all. Redis answers for each, and once when there is none. */
  async remove(channels: readonly Buffer[]): Promise<void> {
    const names =
      channels.length > 0 ? channels.map((channel) => channel.toString("latin1")) : [...this.#channels.keys()];
    for (const name of names) {
      this.#channels.get(name)?.[Symbol.dispose]();
      this.#channels.delete(name);
      this.#due.delete(name);
      await this.#answer("unsubscribe", bulkReply(name));
    }
    if (names.length === 0) await this.#answer("unsubscribe", nothingReply(this.#conversation.version));
  }

  [Symbol.dispose](): void {
    for (const watch of this.#channels.values()) watch[Symbol.dispose]();
    this.#channels.clear();
    this.#due.clear();
  }

  async #find(channel: Buffer): Promise<{ readonly place?: TreePlace; readonly key?: CachedKey }> {
    const key = parseCachedKey(channel);
    const isChannel = key && key.shard === 0 && !key.isCompressed;
    const place = isChannel ? await this.#placeOf(key) : undefined;
    return place && key ? { place, key } : {};
  }

  async #answer(kind: "subscribe" | "unsubscribe", name: Buffer): Promise<void> {
    await this.#conversation.reply(
      pushReply(this.#conversation.version, [bulkReply(kind), name, integerReply(this.#channels.size)]),
    );
  }

  #tell(name: string): void {
    this.#due.add(name);
    if (this.#isSending) return;
    this.#isSending = true;
    // The connection may be over: nobody is left to tell.
    this.#send().catch(() => undefined);
  }

  async #send(): Promise<void> {
    try {
      for (const name of this.#due) {
        this.#due.delete(name);
        await this.#conversation.reply(
          pushReply(this.#conversation.version, [bulkReply("message"), bulkReply(name), bulkReply("")]),
        );
      }
    } finally {
      this.#isSending = false;
    }
  }
}

const mostChannels = 64;
