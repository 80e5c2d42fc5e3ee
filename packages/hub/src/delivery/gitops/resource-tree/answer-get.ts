import type { CachedKey } from "./cached-key.ts";
import type { ClusterInfos } from "./cluster-infos.ts";
import type { ClusterTrees } from "./cluster-trees.ts";
import type { Conversation } from "./conversation.ts";
import type { PlaceOfKey } from "./place-of-key.ts";
import { renameInstance } from "./rename-instance.ts";
import { bulkHead, bulkReply, nothingReply, respLineEnd } from "./resp/index.ts";

/** Throws unless Argo CD on the hub asks this cluster for the application's live objects. */
export type RequireDestination = (cluster: string, key: CachedKey) => Promise<void>;

/** `broken`: half a value was sent. It can't be taken back, so that the connection's end is the only word for it. */
export type GetOutcome = "answered" | "broken" | "of-no-cluster";

/** Answers with what the key's cluster has. A value passes in pieces, at the pace at which the client reads. */
export async function answerGet(options: {
  readonly key: CachedKey;
  readonly conversation: Conversation;
  readonly placeOf: PlaceOfKey;
  readonly requireDestination: RequireDestination;
  readonly trees: Pick<ClusterTrees, "read">;
}): Promise<GetOutcome> {
  const { key, conversation, placeOf, requireDestination, trees } = options;
  const { client } = conversation;
  let isBegun = false;
  try {
    const place = await placeOf(key);
    if (!place) return "of-no-cluster";
    await requireDestination(place.cluster, key);
    using told = await trees.read(place, key, client.closed);
    if (!told) {
      await conversation.reply(nothingReply(conversation.version));
      return "answered";
    }
    const value = await renameInstance(told, place, key);
    isBegun = true;
    await client.send(bulkHead(value.sizeBytes));
    for await (const piece of value.pieces) if (piece.byteLength > 0) await client.send(piece);
    await conversation.reply(respLineEnd);
    return "answered";
  } catch (error) {
    if (isBegun || client.closed.aborted) return "broken";
    await conversation.fail(error);
    return "answered";
  }
}

/** Answers with what is known of the cluster that the key names. */
export async function answerInfo(options: {
  readonly key: Buffer;
  readonly conversation: Conversation;
  readonly infos: ClusterInfos;
}): Promise<GetOutcome> {
  const { key, conversation, infos } = options;
  try {
    const value = await infos.find(key, conversation.client.closed);
    if (value === undefined) return "of-no-cluster";
    await conversation.reply(bulkReply(value));
    return "answered";
  } catch (error) {
    if (conversation.client.closed.aborted) return "broken";
    await conversation.fail(error);
    return "answered";
  }
}
