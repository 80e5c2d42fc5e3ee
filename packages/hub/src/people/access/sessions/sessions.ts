// Sign-ins. Each request is answered from memory; the store has the same, so that a restart signs nobody out, and so that
// other hubs know them. An end counts from the moment that it is known here, before it is written.
import { type Clock, createId } from "@fairlead/kernel";
import { createSharedRun } from "../ledger/index.ts";
import type { Principal } from "../policy/index.ts";
import { hashToken, type LookUps, saysItIsOver, tokenErrors } from "../tokens/index.ts";
import { signInErrors } from "./errors.ts";
import { listForgettable } from "./forgettable.ts";
import { createPair, type IssuedSession, type LiveSession, showPair, type TokenPair, toLive } from "./live-session.ts";
import type { SessionRecord, SessionStore, SessionTokenRecord, SignInFacts } from "./store.ts";

export interface Sessions {
  /** Throws AUTH_EXPIRED for an access token whose time is over. */
  findByAccess(sha256: string): Principal | undefined;
  has(id: string): boolean;
  create(signIn: SignIn): Promise<IssuedSession>;
  /** Throws SESSION_REFRESH_INVALID, SESSION_REFRESH_REUSED; SESSION_ENDED for a token whose time is over. */
  refresh(refreshToken: string): Promise<IssuedSession>;
  /** Throws SESSION_NOT_FOUND. */
  get(id: string): SessionRecord;
  list(): readonly SessionRecord[];
  /**
   * Ends those that match, whichever hub they began at; returns them. Those that are known here are over at once, also when
   * the store fails.
   */
  end(matches: (session: SessionRecord) => boolean): Promise<readonly SessionRecord[]>;
  /** Takes what other hubs began and ended. */
  catchUp(): Promise<void>;
  /** Takes sessions of tokens that this hub doesn't know; says whose the good ones are. */
  lookUp(sha256s: readonly string[]): Promise<ReadonlyMap<string, Principal | "over">>;
  /** Forgets what is over; returns whether there was any session among it. */
  sweep(): boolean;
  /** When the next session ends. */
  nextEndMs(): number;
}

export interface SignIn extends SignInFacts {
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
  readonly lookUps: LookUps;
  /** Sessions began, here or elsewhere. */
  readonly onBegun: (sessions: readonly SessionRecord[]) => void;
  /** After sessions ended, whatever the reason. */
  readonly onEnded: () => void;
  readonly onError: (error: unknown) => void;
}): Promise<Sessions> {
  const { store, clock, times, lookUps, onBegun, onEnded, onError } = options;
  const live = new Map<string, LiveSession>();
  const access = new Map<string, { readonly session: LiveSession; readonly expiresMs: number }>();
  /** Ended here, not yet in the store. */
  const unwritten = new Map<string, SessionRecord>();
  /** Ended since the time: what was read of them before doesn't bring them back. */
  const ended = new Map<string, number>();
  /** Where the next read begins; undefined: at the beginning. */
  let horizon: number | undefined;

  await store.removeOver(new Date(clock.now()));
  await read();
  for (const token of await store.loadAccessTokens(new Date(clock.now()))) rememberAccess(token);
  const catchUp = createSharedRun(async () => {
    const { begun, isAnyOver } = await read();
    if (begun.length > 0) onBegun(begun);
    if (isAnyOver) onEnded();
  });

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
      const { noLongerThanMs, ...facts } = signIn;
      const endsMs = Math.min(nowMs + times.maxMs, noLongerThanMs ?? Number.POSITIVE_INFINITY);
      const record: SessionRecord = { ...facts, id: createId("ses"), createdMs: nowMs, refreshedMs: nowMs, endsMs };
      const pair = createPair(record, readTimes());
      await store.insert(record, pair.tokens);
      const session = takeLive(record);
      if (!session) throw signInErrors.SESSION_ENDED();
      rememberPair(pair);
      onBegun([]);
      await endOldest(facts.name);
      return showPair(session, pair);
    },

    async refresh(refreshToken) {
      if (saysItIsOver(refreshToken, clock.now())) throw signInErrors.SESSION_ENDED();
      const sha256 = hashToken(refreshToken);
      // Strangers send any number of them.
      if ((await lookUps.find({ kind: "session", sha256 })) !== "good") throw signInErrors.SESSION_REFRESH_INVALID();
      const nowMs = clock.now();
      let pair: TokenPair | undefined;
      const rotated = await store.rotate({
        sha256,
        nowMs,
        reuseGraceMs,
        // Several times as often as an honest client renews in the whole life of a session.
        maxUsed: Math.max(minUsedEach, usesPerAccessToken * Math.ceil(times.maxMs / times.accessTtlMs)),
        renew(session, tokens) {
          if (ended.has(session.id)) throw signInErrors.SESSION_REFRESH_INVALID();
          pair = createPair(session, readTimes());
          return { tokens: pair.tokens, forget: listForgettable(tokens, nowMs) };
        },
      });
      switch (rotated.kind) {
        case "unknown":
          throw signInErrors.SESSION_REFRESH_INVALID();
        case "reused":
          if (dropEach([rotated.sessionId])) onEnded();
          throw signInErrors.SESSION_REFRESH_REUSED();
        case "renewed": {
          const session = takeLive(rotated.session);
          if (!session || !pair) throw signInErrors.SESSION_ENDED();
          for (const one of rotated.forgotten) forgetAccess(one);
          rememberPair(pair);
          return showPair(session, pair);
        }
      }
    },

    get(id) {
      const session = live.get(id);
      if (!session) throw signInErrors.SESSION_NOT_FOUND();
      return session.record;
    },

    list: () => [...live.values()].map(({ record }) => record),

    end,
    catchUp,

    async lookUp(sha256s) {
      const found = await store.find(sha256s);
      const now = clock.now();
      const begun = found.sessions.filter((record) => !live.has(record.id) && takeLive(record));
      for (const token of found.tokens) rememberAccess(token);
      if (begun.length > 0) onBegun(begun);
      return new Map(
        found.tokens.flatMap(({ sha256, sessionId, expiresMs }) => {
          if (ended.has(sessionId)) return [];
          const holder = expiresMs > now ? live.get(sessionId)?.principal : undefined;
          return [[sha256, holder ?? "over"]];
        }),
      );
    },

    sweep() {
      const now = clock.now();
      for (const [sha256, { expiresMs }] of access) if (expiresMs <= now) forgetAccess(sha256);
      for (const [id, endedMs] of ended) if (endedMs + endedForMs <= now && !unwritten.has(id)) ended.delete(id);
      const over = [...live.values()].filter(({ record }) => record.endsMs <= now);
      for (const session of over) drop(session);
      void write()
        .then(() => (over.length > 0 ? store.removeOver(new Date(now)) : undefined))
        .catch(onError);
      return over.length > 0;
    },

    nextEndMs: () =>
      [...live.values()].reduce((next, { record }) => Math.min(next, record.endsMs), Number.POSITIVE_INFINITY),
  };

  async function end(matches: (session: SessionRecord) => boolean): Promise<readonly SessionRecord[]> {
    const known = endHere(matches);
    // Others may have begun at another hub just now.
    await catchUp();
    const learned = endHere(matches);
    await write();
    return [...known, ...learned];
  }

  function endHere(matches: (session: SessionRecord) => boolean): SessionRecord[] {
    const found = [...live.values()].map(({ record }) => record).filter(matches);
    for (const record of found) unwritten.set(record.id, record);
    if (dropEach(found.map(({ id }) => id))) onEnded();
    return found;
  }

  async function read(): Promise<{ readonly begun: readonly SessionRecord[]; readonly isAnyOver: boolean }> {
    const known = [...live.keys()];
    const now = clock.now();
    try {
      const loaded = await store.load(horizon, new Date(now));
      const begun = loaded.sessions.filter((record) => !live.has(record.id) && takeLive(record));
      for (const record of loaded.sessions) noteRefresh(record);
      const there = new Set(loaded.sessions.map(({ id }) => id));
      const isAnyOver = dropEach(loaded.isAll ? known.filter((id) => !there.has(id)) : loaded.endedIds);
      horizon = loaded.horizon;
      return { begun, isAnyOver };
    } catch (error) {
      // The database may be another one when it is back.
      horizon = undefined;
      throw error;
    }
  }

  /** Undefined when it is over. */
  function takeLive(record: SessionRecord): LiveSession | undefined {
    if (ended.has(record.id) || record.endsMs <= clock.now()) return undefined;
    const session = live.get(record.id) ?? toLive(record);
    live.set(record.id, session);
    noteRefresh(record);
    return session;
  }

  function noteRefresh({ id, refreshedMs }: SessionRecord): void {
    const session = live.get(id);
    if (session && session.record.refreshedMs < refreshedMs) session.record = { ...session.record, refreshedMs };
  }

  /** Someone who signs in again and again, as a script may, can't fill the hub. */
  async function endOldest(name: string): Promise<void> {
    const own = [...live.values()].filter(({ record }) => record.name === name);
    if (own.length <= maxSessionsEach) return;
    own.sort((one, other) => one.record.refreshedMs - other.record.refreshedMs);
    const tooMany = new Set(own.slice(0, own.length - maxSessionsEach).map(({ record }) => record.id));
    await end(({ id }) => tooMany.has(id));
  }

  /** True when any was still live. */
  function dropEach(ids: readonly string[]): boolean {
    const found = ids.flatMap((id) => live.get(id) ?? []);
    for (const id of ids) ended.set(id, clock.now());
    for (const session of found) drop(session);
    return found.length > 0;
  }

  function drop(session: LiveSession): void {
    live.delete(session.record.id);
    const isOver = session.record.endsMs <= clock.now();
    for (const sha256 of session.tokens) {
      forgetAccess(sha256);
      lookUps.forget(sha256, isOver ? "over" : "unknown");
    }
  }

  /** The next sweep tries again what fails here. */
  async function write(): Promise<void> {
    if (unwritten.size === 0) return;
    const records = [...unwritten.values()];
    await store.remove(records, new Date(clock.now()));
    for (const { id } of records) unwritten.delete(id);
  }

  function rememberPair({ tokens }: TokenPair): void {
    for (const token of tokens) rememberAccess(token);
  }

  function rememberAccess({ kind, sha256, sessionId, expiresMs }: SessionTokenRecord): void {
    const session = live.get(sessionId);
    if (kind !== "access" || !session || expiresMs <= clock.now()) return;
    session.tokens.add(sha256);
    access.set(sha256, { session, expiresMs });
  }

  function forgetAccess(sha256: string): void {
    access.get(sha256)?.session.tokens.delete(sha256);
    access.delete(sha256);
  }

  function readTimes(): { readonly nowMs: number; readonly accessTtlMs: number } {
    return { nowMs: clock.now(), accessTtlMs: times.accessTtlMs };
  }
}

/** For as long an answer that got lost may be asked for again. */
const reuseGraceMs = 60_000;
const maxSessionsEach = 1_000;
const minUsedEach = 200;
const usesPerAccessToken = 4;
/** Longer than any statement may take. */
const endedForMs = 10 * 60_000;
