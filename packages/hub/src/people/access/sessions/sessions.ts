// Sign-ins. Each request is answered from memory; the store has the same, so that a restart signs nobody out. An end
// counts from the moment that it is known here, before it is written.

import type { SessionInfo, TokenScope } from "@fairlead/contract";
import { type Clock, createId } from "@fairlead/kernel";
import type { Principal } from "../policy/index.ts";
import { hashToken, tokenErrors } from "../tokens/index.ts";
import { signInErrors } from "./errors.ts";
import { createPair, type IssuedSession, type LiveSession, showPair, toLive } from "./live-session.ts";
import type { SessionRecord, SessionStore, SessionTokenRecord } from "./store.ts";

export interface Sessions {
  /** Throws AUTH_EXPIRED for an access token whose time is over. */
  findByAccess(sha256: string): Principal | undefined;
  has(id: string): boolean;
  create(signIn: SignIn): Promise<IssuedSession>;
  /** Throws SESSION_REFRESH_INVALID, SESSION_REFRESH_REUSED, SESSION_ENDED. */
  refresh(refreshToken: string): Promise<IssuedSession>;
  /** Throws SESSION_NOT_FOUND. */
  get(id: string): SessionRecord;
  list(): readonly SessionRecord[];
  /** Ends those that match; returns how many. They are over at once, also when the store fails. */
  end(matches: (session: SessionRecord) => boolean): Promise<number>;
  /** Forgets what is over; returns whether there was any session among it. */
  sweep(): boolean;
  /** When the next session ends. */
  nextEndMs(): number;
}

export interface SignIn {
  readonly kind: Principal["kind"];
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly method: SessionInfo["method"];
  readonly tokenId?: string | undefined;
  readonly scope?: TokenScope | undefined;
  readonly remoteAddress?: string | undefined;
  readonly oidcSid?: string | undefined;
  /** When what it began with ends. */
  readonly noLongerThanMs?: number | undefined;
}

export interface SessionTimes {
  readonly accessTtlMs: number;
  readonly maxMs: number;
}

export async function openSessions(options: {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly times: SessionTimes;
  readonly onBegun: () => void;
  /** After sessions ended, whatever the reason. */
  readonly onEnded: () => void;
  readonly onError: (error: unknown) => void;
}): Promise<Sessions> {
  const { store, clock, times, onBegun, onEnded, onError } = options;
  const live = new Map<string, LiveSession>();
  const access = new Map<string, { readonly session: LiveSession; readonly expiresMs: number }>();
  const refresh = new Map<string, { readonly session: LiveSession; usedMs: number | undefined }>();
  /** Ended here, not yet in the store. */
  const unwritten = new Set<string>();

  const loaded = await store.load(new Date(clock.now()));
  for (const record of loaded.sessions) live.set(record.id, toLive(record));
  for (const token of loaded.tokens) {
    const session = live.get(token.sessionId);
    if (session) remember(session, token);
  }

  return {
    findByAccess(sha256) {
      const found = access.get(sha256);
      if (!found) return undefined;
      const now = clock.now();
      // The timer that takes an ended session away may be late.
      if (found.expiresMs <= now || found.session.record.endsMs <= now) throw tokenErrors.AUTH_EXPIRED();
      return found.session.principal;
    },

    has: (id) => (live.get(id)?.record.endsMs ?? 0) > clock.now(),

    async create(signIn) {
      const nowMs = clock.now();
      const { kind, name, uid, groups, method, tokenId, scope, remoteAddress, oidcSid, noLongerThanMs } = signIn;
      const endsMs = Math.min(nowMs + times.maxMs, noLongerThanMs ?? Number.POSITIVE_INFINITY);
      const id = createId("ses");
      const record: SessionRecord = {
        ...{ id, kind, name, uid, groups, method, tokenId, scope, remoteAddress, oidcSid, endsMs },
        createdMs: nowMs,
        refreshedMs: nowMs,
      };
      const pair = createPair(record, readTimes());
      await store.insert(record, pair.tokens);
      const session = toLive(record);
      live.set(id, session);
      for (const token of pair.tokens) remember(session, token);
      onBegun();
      await endOldest(name);
      return showPair(session, pair);
    },

    async refresh(refreshToken) {
      const usedSha256 = hashToken(refreshToken);
      const found = refresh.get(usedSha256);
      const now = clock.now();
      if (!found || found.session.record.endsMs <= now) throw signInErrors.SESSION_REFRESH_INVALID();
      const { session } = found;
      if (found.usedMs !== undefined && now - found.usedMs > reuseGraceMs) {
        await end((one) => one.id === session.record.id);
        throw signInErrors.SESSION_REFRESH_REUSED();
      }
      const pair = createPair(session.record, readTimes());
      const forget = listForgettable(session).filter((sha256) => sha256 !== usedSha256);
      const { id: sessionId } = session.record;
      const isThere = await store.rotate({ sessionId, usedSha256, at: new Date(now), tokens: pair.tokens, forget });
      if (!isThere) throw signInErrors.SESSION_ENDED();
      found.usedMs ??= now;
      if (live.get(sessionId) !== session) throw signInErrors.SESSION_ENDED();
      for (const sha256 of forget) forgetToken(session, sha256);
      session.record = { ...session.record, refreshedMs: now };
      for (const token of pair.tokens) remember(session, token);
      return showPair(session, pair);
    },

    get(id) {
      const session = live.get(id);
      if (!session) throw signInErrors.SESSION_NOT_FOUND();
      return session.record;
    },

    list: () => [...live.values()].map(({ record }) => record),
    end,

    sweep() {
      const now = clock.now();
      for (const [sha256, { session, expiresMs }] of access) if (expiresMs <= now) forgetToken(session, sha256);
      const over = [...live.values()].filter(({ record }) => record.endsMs <= now);
      for (const session of over) drop(session);
      void write().catch(onError);
      return over.length > 0;
    },

    nextEndMs: () =>
      [...live.values()].reduce((next, { record }) => Math.min(next, record.endsMs), Number.POSITIVE_INFINITY),
  };

  async function end(matches: (session: SessionRecord) => boolean): Promise<number> {
    const ended = [...live.values()].filter(({ record }) => matches(record));
    for (const session of ended) drop(session);
    if (ended.length > 0) onEnded();
    await write();
    return ended.length;
  }

  /** Someone who signs in again and again, as a script may, can't fill the hub. */
  async function endOldest(name: string): Promise<void> {
    const own = [...live.values()].filter(({ record }) => record.name === name);
    if (own.length <= maxSessionsEach) return;
    own.sort((one, other) => one.record.refreshedMs - other.record.refreshedMs);
    const tooMany = new Set(own.slice(0, own.length - maxSessionsEach).map(({ record }) => record.id));
    await end(({ id }) => tooMany.has(id));
  }

  function drop(session: LiveSession): void {
    live.delete(session.record.id);
    unwritten.add(session.record.id);
    for (const sha256 of session.tokens) forgetToken(session, sha256);
  }

  /** The next sweep tries again what fails here. */
  async function write(): Promise<void> {
    if (unwritten.size === 0) return;
    const ids = [...unwritten];
    await store.remove(ids);
    for (const id of ids) unwritten.delete(id);
  }

  function remember(session: LiveSession, { kind, sha256, expiresMs, usedMs }: SessionTokenRecord): void {
    session.tokens.add(sha256);
    if (kind === "access") access.set(sha256, { session, expiresMs });
    else refresh.set(sha256, { session, usedMs });
  }

  function forgetToken(session: LiveSession, sha256: string): void {
    session.tokens.delete(sha256);
    access.delete(sha256);
    refresh.delete(sha256);
  }

  /** Access tokens that are over, and the oldest of very many: within its grace a refresh token gives any number. */
  function listForgettable(session: LiveSession): string[] {
    const now = clock.now();
    const tokens = [...session.tokens];
    const isOver = (sha256: string): boolean => (access.get(sha256)?.expiresMs ?? Number.POSITIVE_INFINITY) <= now;
    const isUsed = (sha256: string): boolean => refresh.get(sha256)?.usedMs !== undefined;
    return [
      ...tokens.filter(isOver),
      ...listOldest(
        tokens.filter((sha256) => access.has(sha256) && !isOver(sha256)),
        maxFreshTokens,
      ),
      ...listOldest(
        tokens.filter((sha256) => refresh.has(sha256) && !isUsed(sha256)),
        maxFreshTokens,
      ),
      ...listOldest(tokens.filter(isUsed), maxUsedRefreshTokens),
    ];
  }

  function readTimes(): { readonly nowMs: number; readonly accessTtlMs: number } {
    return { nowMs: clock.now(), accessTtlMs: times.accessTtlMs };
  }
}

/** All but so many of the newest. */
function listOldest(tokens: readonly string[], kept: number): readonly string[] {
  return tokens.slice(0, Math.max(0, tokens.length - kept));
}

/** For as long an answer that got lost may be asked for again. */
const reuseGraceMs = 60_000;
const maxUsedRefreshTokens = 200;
/** Far more programs than one person runs at once. */
const maxFreshTokens = 100;
const maxSessionsEach = 1_000;
