// A subscription from its request on: the question and the caller, wired to what tells it of changes, ages and rights.
// Each object is judged by what the caller may see at the moment it is sent.
import type { ObjectFilter, ObjectSubscribeRequest } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Access, Principal } from "../../people/access/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import {
  createShownKinds,
  type FoundObject,
  mayList,
  type ObjectRequest,
  type ObjectsRoom,
  type ShownKind,
} from "../objects/index.ts";
import type { Ages } from "./ages.ts";
import { markOf, parseLiveCursor, revisionOf } from "./cursor.ts";
import { liveErrors } from "./errors.ts";
import type { ObjectFeed } from "./feed.ts";
import { createItemFormatter } from "./item-text.ts";
import { describeScopes, type Rechecks, type Watched } from "./rechecks.ts";
import type { OpenSubscription, Subscribe } from "./socket.ts";
import { Subscription } from "./subscription.ts";
import { createView } from "./view.ts";

export function createSubscribe(options: {
  readonly access: Pick<Access, "authorize">;
  readonly inventory: Pick<InventoryReader, "revision" | "catchUp" | "history" | "kinds">;
  readonly objects: Pick<ObjectsRoom, "requests" | "storeFor">;
  readonly clock: Clock;
  readonly feed: ObjectFeed;
  readonly ages: Ages;
  /** The open ones. */
  readonly watched: Set<Watched>;
  readonly rechecks: Rechecks;
}): (principal: Principal) => Subscribe<ObjectSubscribeRequest> {
  const { access, inventory, objects, clock, feed, ages, watched, rechecks } = options;
  const formatItem = createItemFormatter(() => clock.now());
  const showKind = createShownKinds();

  return (principal) =>
    async ({ id, filter, include, cursor, credit = defaultCredit }, to) => {
      await inventory.catchUp(revisionOf(cursor));
      const { newest, request } = await readRequest(filter, principal, to.isWanted);
      const places = describeScopes(request.scopes);
      const mark = markOf(
        inventory.history,
        places,
        JSON.stringify(filter),
        JSON.stringify(request.clusters.map(({ name }) => name)),
      );
      const begun = parseLiveCursor(cursor, { newest, nowMs: clock.now(), mark });
      const shown = new Map<string, ShownKind>();
      const listClusters = (): string[] => objects.requests.listClusters(filter, { principal }).map(({ name }) => name);
      let listed: ReadonlySet<string> | undefined;
      const view = createView({
        request,
        isOfAnyKind: filter.kind === undefined,
        mayWatch: (cluster, kind, namespace) => mayList({ access, principal, cluster, kind, namespace, verb: "watch" }),
        findKind: (cluster, key) => objects.requests.findKind(cluster, key) ?? request.findKind(cluster, key),
        meansKind: (cluster, key) =>
          request.findKind(cluster, key) !== undefined || objects.requests.means(filter, cluster, key),
        includesCluster(cluster) {
          // New ones come.
          if (!listed?.has(cluster)) listed = new Set(listClusters());
          return listed.has(cluster);
        },
      });
      const subscription = new Subscription({
        id,
        view,
        credit,
        newest,
        mark,
        formatItem,
        store: objects.storeFor(principal, request.filter),
        storeRevision: () => inventory.revision,
        withObject: include === "object",
        revision: begun,
        isReset: cursor !== undefined && begun === undefined,
        now: () => clock.now(),
        shownKind: (row) => findShown(shown, row),
        ...to,
      });
      const { uid, sessionId, tokenId } = principal;
      const place = JSON.stringify([uid, sessionId, tokenId, filter.cluster, filter.clusterSelector]);
      const ageListener = {
        id,
        kinds: view.kinds,
        place,
        clusters: listClusters,
        missing: (cluster: string) => request.missing.get(cluster) ?? [],
        // The next ones are as good.
        send: (text: string) => {
          if (to.canSend()) to.send(text);
        },
      };
      const listener = {
        kinds: view.kinds,
        follow: (...args: Parameters<Subscription["follow"]>) => {
          subscription.follow(...args);
          subscription.resume();
        },
      };
      const entry: Watched = {
        reset() {
          listed = undefined;
          view.reset();
        },
        async isSame() {
          const again = await objects.requests.read(filter, { principal, verb: "watch" });
          return describeScopes(again.scopes) === places;
        },
        clusters: new Set(request.clusters.map(({ name }) => name)),
        get isOpen() {
          return watched.has(entry);
        },
        end: () => to.onError(liveErrors.LIVE_RIGHTS_CHANGED()),
        beginAnew: () => to.onError(liveErrors.LIVE_BEGIN_ANEW()),
      };
      watched.add(entry);
      feed.add(listener);
      ages.add(ageListener);
      return {
        addCredit: (messages) => subscription.addCredit(messages),
        resume: () => subscription.resume(),
        [Symbol.dispose]() {
          watched.delete(entry);
          subscription.close();
          feed.remove(listener);
          ages.remove(ageListener);
        },
      } satisfies OpenSubscription;
    };

  /** With the revision that what comes later is newer than. */
  async function readRequest(
    filter: ObjectFilter,
    principal: Principal,
    isWanted: () => boolean,
  ): Promise<{ readonly newest: number; readonly request: ObjectRequest }> {
    for (;;) {
      const [newest, { epoch }] = [inventory.revision, rechecks];
      const request = await objects.requests.read(filter, { principal, verb: "watch" });
      // Rights that changed meanwhile would be nobody's to notice.
      if (epoch === rechecks.epoch || !isWanted()) return { newest, request };
    }
  }

  function findShown(shown: Map<string, ShownKind>, { cluster, kind: key }: FoundObject): ShownKind | undefined {
    const place = `${cluster}/${key}`;
    const known = shown.get(place);
    if (known) return known;
    const info = objects.requests.findKind(cluster, key);
    if (!info) return undefined;
    const kind = showKind(info);
    shown.set(place, kind);
    return kind;
  }
}

const defaultCredit = 16;
