// Knows who is asking, and what they may do. Everything that a request needs is in memory.
import type { AccessBinding } from "@fairlead/contract";
import { type Clock, repeat, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import { endFirstToken } from "./end-first-token.ts";
import { requireToLabel, requireToRelabel } from "./giving/index.ts";
import { type Grants, isWholeAdmin, openGrants } from "./grants/index.ts";
import { type ChangesPort, type Ledger, openLedger } from "./ledger/index.ts";
import { accessErrors, adminName, decide, type Labels, mayOnHub, type Principal, robotPrefix } from "./policy/index.ts";
import { recallPrincipal, refuseAbsent } from "./recall.ts";
import { type AccessRequestStore, createAccessRequestStore, sweepRequests } from "./requests/index.ts";
import { openRobots, type Robots } from "./robots/index.ts";
import { createSessionStore, openSessions, type Sessions, type SessionTimes } from "./sessions/index.ts";
import { toPrincipal } from "./subjects.ts";
import {
  type AdminTokenNews,
  createLookUps,
  hashToken,
  openAdminTokens,
  readBearerToken,
  readKeptToken,
  readTokenKind,
  saysItIsOver,
  tokenErrors,
  type WantedToken,
} from "./tokens/index.ts";
import type { Access } from "./types.ts";
import { openUsers, type Users } from "./users/index.ts";

/** Access with its insides, for the rest of this room. */
export interface AccessRoom extends Access {
  readonly sessions: Sessions;
  readonly robots: Robots;
  readonly users: Users;
  readonly grants: Grants;
  /** For questions of people, on connections that they share. */
  readonly requests: AccessRequestStore;
  readonly groupPrefix: string | undefined;
  readonly usernamePrefix: string | undefined;
  readonly change: Ledger["change"];
  labels(cluster: string): Labels | undefined;
  /** Undefined where nothing is declared by files. */
  readonly declared: DeclaredGuard | undefined;
  /** Takes what other hubs changed so far. */
  catchUp(): Promise<void>;
  /** To be called after any change that may take rights away and isn't the end of a session. */
  tellChanged(): void;
  /** To be called when there is a new token that ends by itself. */
  watchForEnd(): void;
}

export interface AccessOptions {
  readonly db: Kysely<Tables>;
  /** For questions of people; `db` unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  /** Tells other hubs on the database, and hears of them. */
  readonly changes: ChangesPort;
  /** Other hubs may be on the database: a start leaves the first admin's token alone that another one has shown. */
  readonly hasOthers?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** A cluster's labels, from memory; undefined when there is no such cluster. */
  readonly labels?: ((cluster: string) => Labels | undefined) | undefined;
  readonly times?: SessionTimes | undefined;
  readonly declared?: DeclaredGuard | undefined;
  /** Put before the groups that a user brings along; without it they don't reach the clusters. */
  readonly groupPrefix?: string | undefined;
  /** Put before the names of users in the clusters. */
  readonly usernamePrefix?: string | undefined;
  /** Nothing is begun for absent users whose latest sign-in is older; 30 days unless told. */
  readonly absentGroupsMaxAgeMs?: number | undefined;
  /** Where the first admin's token was to be written. */
  readonly firstTokenFile?: string | undefined;
  /** The provider by which somebody must be admin for the first admin's token to end; undefined: it doesn't. */
  readonly firstTokenEndsFor?: string | undefined;
  /** Puts on record what was done to admin tokens beside the API. */
  readonly onAdminToken?: ((news: AdminTokenNews) => Promise<void>) | undefined;
  /** Puts on record what ended by itself. */
  readonly onEnded?: ((ended: Ended) => Promise<void>) | undefined;
  /** For failures of what runs beside requests. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A binding that has ended, or a request that nobody decided in time. */
export interface Ended {
  readonly kind: "binding" | "request";
  readonly id: string;
  /** In words: whose role it was, and when it ended. */
  readonly what: string;
}

export async function openAccess(options: AccessOptions): Promise<AccessRoom> {
  const {
    db,
    changes,
    hasOthers,
    clock = systemClock,
    labels = () => undefined,
    groupPrefix,
    usernamePrefix,
  } = options;
  const { onError = () => undefined, times = { accessTtlMs: 15 * minuteMs, maxMs: 12 * 60 * minuteMs } } = options;
  const listeners = new Set<() => void>();
  const keptToken = await readKeptToken(options.firstTokenFile);
  const ledger = openLedger({
    db,
    changes,
    onOthers: (difference) => (difference === "less" ? tellChanged() : watchForEnd()),
  });
  const adminTokens = await openAdminTokens({
    db,
    clock,
    keptToken,
    hasOthers,
    hasAdmin: options.declared?.hasAdmin,
    onMade: giveRole,
    onNews: options.onAdminToken,
    onEnded: endOfAdminTokens,
  });
  const grants = await openGrants({ db, ledger, clock });
  const robots = await openRobots({ db, ledger, clock });
  const users = await openUsers({ db, ledger, clock, onRename: grants.renameUser });
  const lookUps = createLookUps({ clock, lookUp });
  const sessions = await openSessions({
    store: createSessionStore(db, changes),
    clock,
    times,
    lookUps,
    onEnded: tellChanged,
    onError,
    onBegun(begun) {
      for (const { uid, createdMs } of begun) users.noteSignIn(uid, createdMs);
      watchForEnd();
    },
  });

  let cancelEnd = (): void => undefined;
  let endMs = Number.POSITIVE_INFINITY;
  watchForEnd();
  // A hub without any admin has just begun, or was begun by a version that knew nobody else.
  if (!grants.bindings().some(isWholeAdmin)) await grants.bindAdmin(adminToken, () => true);
  const sweeping = repeat({ clock, intervalMs: sweepEveryMs, run: sweep, onError });
  // Those of tokens that ended while no hub was there to see it.
  await endOfAdminTokens();
  await lookAtAdminTokens();
  const following = [changes.follow("access", ledger.reread), changes.follow("sessions", sessions.catchUp)];
  const looking = repeat({ clock, intervalMs: lookEveryMs, run: lookAtAdminTokens, onError });

  const room: AccessRoom = {
    get firstAdminToken() {
      return adminTokens.firstToken;
    },
    get isFirstTokenElsewhere() {
      return adminTokens.isFirstElsewhere;
    },
    sessions,
    robots,
    users,
    grants,
    requests: createAccessRequestStore(options.queries ?? db),
    groupPrefix,
    usernamePrefix,
    labels,
    tellChanged,
    watchForEnd,
    change: ledger.change,
    declared: options.declared,

    authenticate(authorization) {
      const token = readBearerToken(authorization);
      const sha256 = hashToken(token);
      const found = find(sha256);
      if (found === undefined) return findElsewhere(token, sha256);
      return found instanceof Promise ? found.then(requireKnown) : requireKnown(found);
    },

    async catchUp() {
      await ledger.reread();
      await sessions.catchUp();
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

    giveLabels: (principal, cluster, make) =>
      ledger.change(async () => {
        requireToLabel({ by: principal, grants: grants.of(principal), labels }, cluster, grants.all());
        return await make();
      }),

    changeLabels: (principal, cluster, make) =>
      ledger.change(async () => {
        const giver = { by: principal, grants: grants.of(principal), labels };
        const known = users.list().map(({ name }) => toPrincipal({ robots, users }, { kind: "user", name }));
        requireToRelabel({ ...giver, all: grants.all(), known: [...known, principal] }, cluster);
        return await make();
      }),

    isSignedIn(principal) {
      if (principal.endsAt !== undefined && principal.endsAt <= clock.now()) return false;
      return isKnown(principal) && (principal.sessionId === undefined || sessions.has(principal.sessionId));
    },

    recall: (asker) => recallPrincipal({ users, robots, hasAdminToken: adminTokens.has }, asker),

    refuseAbsent: (asker) =>
      refuseAbsent({ users, robots, now: clock.now(), maxAgeMs: options.absentGroupsMaxAgeMs ?? 30 * dayMs }, asker),

    partyOf({ kind, name, uid, tokenId }) {
      const makers = kind === "robot" ? robots.makersOf(name.slice(robotPrefix.length), tokenId) : [];
      return [...new Set([uid, ...makers])];
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
      for (const one of following) await one[Symbol.asyncDispose]();
      await robots.flush().catch(onError);
    },
  };
  return room;

  function find(sha256: string): Principal | undefined | Promise<Principal | undefined> {
    return sessions.findByAccess(sha256) ?? robots.findByToken(sha256) ?? adminTokens.find(sha256);
  }

  /** Another hub may have given it out. Throws at once when it can't have, or when that was looked up before. */
  function findElsewhere(token: string, sha256: string): Promise<Principal> {
    // First, so that neither the answer nor its time tells whether it was ever given out.
    if (saysItIsOver(token, clock.now())) throw tokenErrors.AUTH_EXPIRED();
    const kind = readTokenKind(token);
    const known = lookUps.known(sha256);
    if (known === "over") throw tokenErrors.AUTH_EXPIRED();
    if (kind === undefined || known === "unknown") throw tokenErrors.AUTH_INVALID();
    return lookUps.find({ kind, sha256 }).then(async (is) => {
      if (is === "over") throw tokenErrors.AUTH_EXPIRED();
      return requireKnown(is === "good" ? await find(sha256) : undefined);
    });
  }

  async function lookUp(tokens: readonly WantedToken[]): Promise<ReadonlyMap<string, "good" | "over">> {
    const of = (kind: WantedToken["kind"]): string[] =>
      tokens.flatMap((token) => (token.kind === kind ? [token.sha256] : []));
    const found = new Map<string, "good" | "over">();
    let isStranger = false;
    if (of("session").length > 0)
      for (const [sha256, holder] of await sessions.lookUp(of("session"))) {
        found.set(sha256, holder === "over" ? "over" : "good");
        isStranger ||= holder !== "over" && !isKnown(holder);
      }
    if (of("robot").length > 0) for (const one of await robots.lookUp(of("robot"))) found.set(...one);
    if (of("admin").length > 0) for (const one of await adminTokens.lookUp(of("admin"))) found.set(...one);
    // The account is as new as the session, or was removed.
    if (isStranger) await Promise.all([ledger.reread(), adminTokens.reread()]);
    return found;
  }

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
        await endFirstToken({ adminTokens, grants, sessions, users, clock, issuer: options.firstTokenEndsFor });
      await adminTokens.catchUp(signal);
    } catch (error) {
      // The next look is soon, and that the store is away is said elsewhere.
      if (!isStoreFailure(error)) onError(error);
    }
  }

  /** Gives admin tokens their role back: who may use the hub's store is its admin. Former tokens that lost the role end. */
  async function giveRole(by: string): Promise<void> {
    const isTheirs = ({ subject }: AccessBinding): boolean => subject.kind === "admin-token";
    const hasRole = (): boolean => grants.bindings().some((one) => isTheirs(one) && isWholeAdmin(one));
    if (hasRole()) return;
    await ledger.change(async (step) => {
      if (hasRole()) return;
      await adminTokens.revokeFormer(by, step);
      await grants.bindAdmin(adminToken, isTheirs, step);
    });
    await adminTokens.reread();
  }

  async function endOfAdminTokens(): Promise<void> {
    tellChanged();
    const begunWith = sessions.list().filter(({ kind }) => kind === "admin-token");
    const ended = await adminTokens.listEnded(new Set(begunWith.flatMap(({ tokenId = [] }) => tokenId)));
    if (ended.size > 0) await sessions.end(({ tokenId }) => tokenId !== undefined && ended.has(tokenId));
  }

  function tellChanged(): void {
    watchForEnd();
    for (const listener of listeners) listener();
  }

  /** A single timer waits for the session, robot token or binding that ends next. */
  function watchForEnd(): void {
    const nextMs = Math.min(sessions.nextEndMs(), robots.nextEndMs(), grants.nextEndMs());
    if (nextMs === endMs) return;
    cancelEnd();
    endMs = nextMs;
    if (endMs === Number.POSITIVE_INFINITY) return;
    cancelEnd = clock.after(Math.max(0, endMs - clock.now()), () => {
      endMs = Number.POSITIVE_INFINITY;
      sessions.sweep();
      tellChanged();
      sweepEnded().catch(failSweeping);
    });
  }

  async function sweep(): Promise<void> {
    // The timer of the next end is late when the clock was set forward.
    if (sessions.sweep() || endMs <= clock.now()) tellChanged();
    await robots.flush();
    await sweepEnded().catch(failSweeping);
  }

  /** Nothing depends on it: what has ended doesn't count, swept up or not. */
  async function sweepEnded(): Promise<void> {
    const onEnded = options.onEnded ?? (async () => undefined);
    await grants.sweep(({ id, subject, role, endsAt }) =>
      onEnded({ kind: "binding", id, what: `role ${role} of ${subject.kind} ${subject.name} ended at ${endsAt}` }),
    );
    await sweepRequests({ db, clock, onEnded });
  }

  function failSweeping(error: unknown): void {
    // The next sweep is soon, and that the store is away is said elsewhere.
    if (!isStoreFailure(error)) onError(error);
  }
}

const adminToken = { kind: "admin-token", name: adminName } as const;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const sweepEveryMs = 30_000;
/** For as long a token of `admin-token new` may be unknown, and one that it ended be good. */
const lookEveryMs = 1_000;
