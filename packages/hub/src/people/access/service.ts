// Knows who is asking, and what they may do. Everything that a request needs is in memory.
import { type Clock, repeat, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import { endFirstToken } from "./end-first-token.ts";
import { requireToLabel } from "./giving/index.ts";
import { adminRole, createGrantStore, type Grants, isWholeAdmin, openGrants } from "./grants/index.ts";
import { accessErrors, adminName, decide, type Labels, mayOnHub, type Principal } from "./policy/index.ts";
import { createRobotStore, openRobots, type Robots } from "./robots/index.ts";
import { createSessionStore, openSessions, type Sessions, type SessionTimes } from "./sessions/index.ts";
import {
  type AdminTokenNews,
  hashToken,
  openAdminTokens,
  readBearerToken,
  readKeptToken,
  tokenErrors,
} from "./tokens/index.ts";
import type { Access } from "./types.ts";
import { createUserStore, openUsers, type Users } from "./users/index.ts";

/** Access with its insides, for the rest of this room. */
export interface AccessRoom extends Access {
  readonly sessions: Sessions;
  readonly robots: Robots;
  readonly users: Users;
  readonly grants: Grants;
  readonly groupPrefix: string | undefined;
  readonly usernamePrefix: string | undefined;
  labels(cluster: string): Labels | undefined;
  /** To be called after any change that may take rights away and isn't the end of a session. */
  tellChanged(): void;
  /** To be called when there is a new token that ends by itself. */
  watchForEnd(): void;
}

export interface AccessOptions {
  readonly db: Kysely<Tables>;
  readonly clock?: Clock | undefined;
  /** A cluster's labels, from memory; undefined when there is no such cluster. */
  readonly labels?: ((cluster: string) => Labels | undefined) | undefined;
  readonly times?: SessionTimes | undefined;
  /** Put before the groups that a user brings along; without it they don't reach the clusters. */
  readonly groupPrefix?: string | undefined;
  /** Put before the names of users in the clusters. */
  readonly usernamePrefix?: string | undefined;
  /** Where the first admin's token was to be written. */
  readonly firstTokenFile?: string | undefined;
  /** The provider by which somebody must be admin for the first admin's token to end; undefined: it doesn't. */
  readonly firstTokenEndsFor?: string | undefined;
  /** Puts on record what was done to admin tokens beside the API. */
  readonly onAdminToken?: ((news: AdminTokenNews) => Promise<void>) | undefined;
  /** For failures of what runs beside requests. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export async function openAccess(options: AccessOptions): Promise<AccessRoom> {
  const { db, clock = systemClock, labels = () => undefined, groupPrefix, usernamePrefix } = options;
  const { onError = () => undefined, times = { accessTtlMs: 15 * minuteMs, maxMs: 12 * 60 * minuteMs } } = options;
  const listeners = new Set<() => void>();
  const keptToken = await readKeptToken(options.firstTokenFile);
  const adminTokens = await openAdminTokens({
    ...{ db, clock, keptToken },
    async onNews(news) {
      if (news.kind === "made") await giveRole(news.by);
      await options.onAdminToken?.(news);
    },
    onEnded: endOfAdminTokens,
  });
  const grants = await openGrants({ store: createGrantStore(db), clock });
  // A hub without any admin has just begun, or was begun by a version that knew nobody else.
  if (!grants.bindings().some(isWholeAdmin)) await bindAdminToken();
  const robots = await openRobots({ store: createRobotStore(db), clock });
  const users = await openUsers({ store: createUserStore(db), clock, onRename: grants.renameUser });
  const store = createSessionStore(db);
  const sessions = await openSessions({ store, clock, times, onBegun: watchForEnd, onEnded: tellChanged, onError });

  let cancelEnd = (): void => undefined;
  let endMs = Number.POSITIVE_INFINITY;
  watchForEnd();
  const sweeping = repeat({ clock, intervalMs: sweepEveryMs, run: sweep, onError });
  // Those of tokens that ended while no hub was there to see it.
  await endOfAdminTokens();
  await lookAtAdminTokens();
  const looking = repeat({ clock, intervalMs: lookEveryMs, run: lookAtAdminTokens, onError });

  const room: AccessRoom = {
    get firstAdminToken() {
      return adminTokens.firstToken;
    },
    ...{ sessions, robots, users, grants, groupPrefix, usernamePrefix, labels, tellChanged, watchForEnd },

    authenticate(authorization) {
      const sha256 = hashToken(readBearerToken(authorization));
      const found = sessions.findByAccess(sha256) ?? robots.findByToken(sha256) ?? adminTokens.find(sha256);
      return found instanceof Promise ? found.then(requireKnown) : requireKnown(found);
    },

    authorize({ principal, cluster, attributes, impersonate }) {
      const found = grants.on(principal, cluster, labels(cluster));
      return decide({ principal, grants: found, cluster, attributes, impersonate, groupPrefix, usernamePrefix });
    },

    require(principal, request) {
      if (room.may(principal, request)) return;
      const { verb, resource, cluster } = request;
      throw accessErrors.ACCESS_DENIED({
        who: principal.name,
        what: `${verb} ${resource}${cluster === undefined ? "" : ` of cluster ${cluster}`}`,
      });
    },

    may(principal, request) {
      const { cluster } = request;
      return mayOnHub({
        scope: principal.scope,
        grants: grants.of(principal),
        request,
        labels: cluster === undefined ? undefined : labels(cluster),
      });
    },

    requireToLabel(principal, cluster) {
      requireToLabel({ by: principal, grants: grants.of(principal), labels }, cluster, grants.all());
    },

    isSignedIn(principal) {
      if (principal.endsAt !== undefined && principal.endsAt <= clock.now()) return false;
      return isKnown(principal) && (principal.sessionId === undefined || sessions.has(principal.sessionId));
    },

    namespacesOf(principal, cluster) {
      const rules = grants.on(principal, cluster, labels(cluster)).flatMap(({ role }) => role.clusterRules);
      return [...new Set(rules.flatMap(({ namespaces }) => namespaces ?? []))];
    },

    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async [Symbol.asyncDispose]() {
      cancelEnd();
      sweeping[Symbol.dispose]();
      looking[Symbol.dispose]();
      listeners.clear();
      await robots.flush().catch(onError);
    },
  };
  return room;

  function requireKnown(principal: Principal | undefined): Principal {
    if (!principal || !isKnown(principal)) throw tokenErrors.AUTH_INVALID();
    return principal;
  }

  /** False for accounts that were removed, whatever of theirs is still around. */
  function isKnown({ kind, uid, name, tokenId }: Principal): boolean {
    switch (kind) {
      case "user":
        // By name too: bindings go by it, and it may be another's by now.
        return users.has(uid, name);
      case "robot":
        return robots.hasToken(tokenId);
      case "admin-token":
        return adminTokens.has(tokenId);
    }
  }

  /** `admin-token new` changes the store beside the hub. The hub finds the changes here, as nobody tells it by the API. */
  async function lookAtAdminTokens(signal?: AbortSignal): Promise<void> {
    try {
      if (options.firstTokenEndsFor !== undefined)
        await endFirstToken({ ...{ adminTokens, grants, sessions, users, clock }, issuer: options.firstTokenEndsFor });
      await adminTokens.catchUp(signal);
    } catch (error) {
      // The next look is soon, and that the store is away is said elsewhere.
      if (!isStoreFailure(error)) onError(error);
    }
  }

  /** Gives admin tokens their role back: who may use the hub's store is its admin. Former tokens that lost the role end. */
  async function giveRole(by: string): Promise<void> {
    if (grants.bindings().some((one) => one.subject.kind === "admin-token" && isWholeAdmin(one))) return;
    await adminTokens.revokeFormer(by);
    await bindAdminToken();
  }

  async function bindAdminToken(): Promise<void> {
    const subject = { kind: "admin-token", name: adminName } as const;
    await grants.bind({ subject, role: adminRole, clusters: { all: true } }, adminName);
  }

  async function endOfAdminTokens(): Promise<void> {
    tellChanged();
    await sessions.end(({ kind, tokenId }) => kind === "admin-token" && !adminTokens.has(tokenId));
  }

  function tellChanged(): void {
    watchForEnd();
    for (const listener of listeners) listener();
  }

  /** A single timer waits for the session or robot token that ends next. */
  function watchForEnd(): void {
    const nextMs = Math.min(sessions.nextEndMs(), robots.nextEndMs());
    if (nextMs === endMs) return;
    cancelEnd();
    endMs = nextMs;
    if (endMs === Number.POSITIVE_INFINITY) return;
    cancelEnd = clock.after(Math.max(0, endMs - clock.now()), () => {
      endMs = Number.POSITIVE_INFINITY;
      sessions.sweep();
      tellChanged();
    });
  }

  async function sweep(): Promise<void> {
    // The timer of the next end is late when the clock was set forward.
    if (sessions.sweep() || endMs <= clock.now()) tellChanged();
    await robots.flush();
  }
}

const minuteMs = 60_000;
const sweepEveryMs = 30_000;
/** For as long a token of `admin-token new` may be unknown, and one that it ended be good. */
const lookEveryMs = 1_000;
