// Accounts for programs. Their tokens are looked up in memory; when one was last used is written now and then.
import { type Robot, robotTokenTtlLimits, type TokenScope } from "@fairlead/contract";
import { type Clock, createId } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { Difference, Ledger, Step } from "../ledger/index.ts";
import { type Principal, robotPrefix } from "../policy/index.ts";
import { createToken, tokenErrors } from "../tokens/index.ts";
import { robotErrors } from "./errors.ts";
import { createRobotStore, type RobotRecord, type RobotTokenRecord } from "./store.ts";

export interface Robots {
  /** Counts as a use. Throws AUTH_EXPIRED. */
  findByToken(sha256: string): Principal | undefined;
  hasToken(id: string | undefined): boolean;
  /** Also one that has expired, and wasn't revoked. */
  knowsToken(id: string | undefined): boolean;
  /** Takes robots and tokens that this hub doesn't know. */
  lookUp(sha256s: readonly string[]): Promise<ReadonlyMap<string, "good" | "over">>;
  list(): Robot[];
  /** Throws ROBOT_NOT_FOUND. */
  get(name: string): Robot;
  find(name: string): RobotRecord | undefined;
  /** Uids of those who made the robot or the token that it shows. */
  makersOf(name: string, tokenId: string | undefined): readonly string[];
  /** Throws ROBOT_EXISTS. */
  create(wanted: {
    readonly name: string;
    readonly ttlMs?: number;
    readonly description?: string;
    readonly madeBy?: readonly string[];
  }): Promise<Robot>;
  /** Gives the ids of all tokens that ended, also of other robots. */
  remove(name: string, step: Step): Promise<ReadonlySet<string>>;
  /** Throws ROBOT_TOKEN_TOO_LONG, and AUTH_INVALID when the parent has just been revoked. */
  createToken(
    name: string,
    wanted: {
      readonly ttlMs: number;
      readonly scope?: TokenScope | undefined;
      readonly madeBy?: readonly string[] | undefined;
      /** Id of the robot's token with which it is made. */
      readonly parent?: string | undefined;
    },
    step: Step,
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresMs: number }>;
  /** Gives the ids of all that ended: the token, and those that were made with it. Throws ROBOT_TOKEN_NOT_FOUND. */
  revokeToken(name: string, id: string): Promise<ReadonlySet<string>>;
  /** All, with hashes of their tokens. */
  records(): RobotWithTokens[];
  /** Each has just these tokens then. */
  settle(
    changes: { readonly put: readonly RobotWithTokens[]; readonly remove: readonly string[] },
    step: Step,
  ): Promise<void>;
  /** When the next token ends that hasn't yet. */
  nextEndMs(): number;
  /** Writes down which tokens were used, and reads where other hubs have seen them. */
  flush(): Promise<void>;
}

export interface RobotWithTokens {
  readonly robot: RobotRecord;
  /** In the order of ids. */
  readonly tokens: readonly RobotTokenRecord[];
}

export async function openRobots(options: {
  readonly db: Kysely<Tables>;
  readonly ledger: Ledger;
  readonly clock: Clock;
}): Promise<Robots> {
  const { db, ledger, clock } = options;
  const robots = new Map<string, RobotRecord>();
  const tokens = new Map<string, LiveToken>();
  const bySha256 = new Map<string, LiveToken>();
  /** Uses that the store doesn't know yet. */
  const uses = new Map<string, number>();

  (await read(db))();
  ledger.keep(read);

  return {
    findByToken(sha256) {
      const token = bySha256.get(sha256);
      if (!token) return undefined;
      const now = clock.now();
      if (token.record.expiresMs <= now) throw tokenErrors.AUTH_EXPIRED();
      token.lastUsedMs = now;
      uses.set(token.record.id, now);
      return token.principal;
    },

    hasToken: (id) => id !== undefined && (tokens.get(id)?.record.expiresMs ?? 0) > clock.now(),

    knowsToken: (id) => id !== undefined && tokens.has(id),

    async lookUp(sha256s) {
      const found = await createRobotStore(db).findTokens(sha256s);
      if (found.length > 0) await ledger.reread();
      const now = clock.now();
      return new Map(found.map(({ sha256, expiresMs }) => [sha256, expiresMs > now ? "good" : "over"]));
    },

    list: () => [...robots.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(show),
    get: (name) => show(mustFind(name)),
    find: (name) => robots.get(name),

    makersOf(name, tokenId) {
      const token = tokenId === undefined ? undefined : tokens.get(tokenId)?.record;
      return [...(robots.get(name)?.madeBy ?? []), ...((token?.robot === name && token.madeBy) || [])];
    },

    async create({ name, ttlMs = robotTokenTtlLimits.defaultMs, description, madeBy = [] }) {
      const robot: RobotRecord = { name, uid: createId("rob"), description, ttlMs, createdMs: clock.now(), madeBy };
      return await ledger.change(async ({ trx, after }) => {
        if (!(await createRobotStore(trx).insert(robot))) throw robotErrors.ROBOT_EXISTS({ name });
        after(() => robots.set(name, robot));
        return show(robot);
      });
    },

    async remove(name, { trx, after }) {
      const robot = mustFind(name);
      await createRobotStore(trx).remove(robot);
      const ended = withDescendants(tokensOf(name));
      after(() => forgetRobot(robot));
      return ended;
    },

    async createToken(name, { ttlMs, scope, madeBy = [], parent }, { trx, after }) {
      const robot = mustFind(name);
      if (parent !== undefined && !tokens.has(parent)) throw tokenErrors.AUTH_INVALID();
      if (ttlMs > robot.ttlMs) throw robotErrors.ROBOT_TOKEN_TOO_LONG({ maxMs: robot.ttlMs });
      const createdMs = clock.now();
      const { token, sha256 } = createToken({ kind: "robot", endsMs: createdMs + ttlMs });
      const record: RobotTokenRecord = {
        id: createId("rbt"),
        robot: name,
        sha256,
        scope,
        createdMs,
        expiresMs: createdMs + ttlMs,
        lastUsedMs: undefined,
        madeBy,
        parent,
      };
      if (!(await createRobotStore(trx).insertToken(record, robot))) throw robotErrors.ROBOT_NOT_FOUND();
      after(() => remember(record));
      return { id: record.id, token, expiresMs: record.expiresMs };
    },

    async revokeToken(name, id) {
      return await ledger.change(async ({ trx, after }) => {
        const token = tokens.get(id);
        if (token?.record.robot !== mustFind(name).name) throw robotErrors.ROBOT_TOKEN_NOT_FOUND();
        await createRobotStore(trx).removeToken(id);
        const ended = withDescendants([token]);
        after(() => forget([token]));
        return ended;
      });
    },

    records: () =>
      [...robots.values()].map((robot) => ({
        robot,
        tokens: tokensOf(robot.name)
          .map(({ record, lastUsedMs }) => ({ ...record, lastUsedMs }))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      })),

    async settle({ put, remove }, { trx, after }) {
      const store = createRobotStore(trx);
      for (const robot of remove.flatMap((name) => robots.get(name) ?? [])) {
        await store.remove(robot);
        after(() => forgetRobot(robot));
      }
      for (const { robot, tokens: wanted } of put) {
        await store.put(robot);
        after(() => robots.set(robot.name, robot));
        const gone = tokensOf(robot.name).filter(({ record }) => !wanted.some(({ id }) => id === record.id));
        for (const token of gone) {
          await store.removeToken(token.record.id);
          after(() => forget([token]));
        }
      }
      // Later, since a token may have been another robot's until now.
      for (const { robot, tokens: wanted } of put) {
        for (const record of wanted.filter(({ id }) => !tokens.has(id))) {
          await store.insertToken(record, robot);
          after(() => remember(record));
        }
      }
    },

    nextEndMs() {
      const now = clock.now();
      const ends = [...tokens.values()].map(({ record }) => record.expiresMs).filter((endMs) => endMs > now);
      return ends.reduce((next, endMs) => Math.min(next, endMs), Number.POSITIVE_INFINITY);
    },

    async flush() {
      if (tokens.size === 0) return;
      const store = createRobotStore(db);
      for (const { id, lastUsedMs } of await store.loadUses(new Date(clock.now() - rememberedMs)))
        noteUse(tokens.get(id), lastUsedMs);
      if (uses.size === 0) return;
      const written = new Map(uses);
      uses.clear();
      try {
        await store.touch(written);
      } catch (error) {
        for (const [id, usedMs] of written) if (!uses.has(id) && tokens.has(id)) uses.set(id, usedMs);
        throw error;
      }
    },
  };

  async function read(trx: Kysely<Tables>): Promise<() => Difference> {
    const loaded = await createRobotStore(trx).load();
    return () => {
      const there = new Map(loaded.robots.map((robot) => [robot.name, robot]));
      const goneRobots = [...robots.values()].filter(({ name, uid }) => there.get(name)?.uid !== uid);
      for (const robot of goneRobots) forgetRobot(robot);
      const ids = new Set(loaded.tokens.map(({ id }) => id));
      const gone = [...tokens.values()].filter(({ record }) => !ids.has(record.id));
      forget(gone);
      const before = robots.size + tokens.size;
      for (const robot of loaded.robots) robots.set(robot.name, robot);
      for (const token of loaded.tokens) {
        if (tokens.has(token.id)) noteUse(tokens.get(token.id), token.lastUsedMs);
        else remember(token);
      }
      if (goneRobots.length + gone.length > 0) return "less";
      return robots.size + tokens.size > before ? "more" : "none";
    };
  }

  function noteUse(token: LiveToken | undefined, atMs: number | undefined): void {
    if (token && atMs !== undefined && atMs > (token.lastUsedMs ?? 0)) token.lastUsedMs = atMs;
  }

  /** The name may be another robot's by now. */
  function forgetRobot({ name, uid }: RobotRecord): void {
    forget(tokensOf(name).filter(({ principal }) => principal.uid === uid));
    if (robots.get(name)?.uid === uid) robots.delete(name);
  }

  function mustFind(name: string): RobotRecord {
    const robot = robots.get(name);
    if (!robot) throw robotErrors.ROBOT_NOT_FOUND();
    return robot;
  }

  function remember(record: RobotTokenRecord): void {
    const robot = robots.get(record.robot);
    if (!robot) return;
    const token = { record, principal: toPrincipal(robot, record), lastUsedMs: record.lastUsedMs };
    tokens.set(record.id, token);
    bySha256.set(record.sha256, token);
  }

  /** With all that were made with them. */
  function forget(gone: readonly LiveToken[]): void {
    if (gone.length === 0) return;
    for (const id of withDescendants(gone)) {
      const token = tokens.get(id);
      if (token) bySha256.delete(token.record.sha256);
      tokens.delete(id);
      uses.delete(id);
    }
  }

  function withDescendants(these: readonly LiveToken[]): ReadonlySet<string> {
    const found = new Set(these.map(({ record }) => record.id));
    const children = Map.groupBy(tokens.values(), ({ record }) => record.parent);
    // A set gives what is added while it is gone through.
    for (const each of found) for (const { record } of children.get(each) ?? []) found.add(record.id);
    return found;
  }

  function tokensOf(name: string): LiveToken[] {
    return [...tokens.values()].filter(({ record }) => record.robot === name);
  }

  function show(robot: RobotRecord): Robot {
    const { name, description, createdMs, ttlMs } = robot;
    return {
      name,
      ttlMs,
      createdAt: toText(createdMs),
      ...(description === undefined ? {} : { description }),
      tokens: tokensOf(name).map(({ record: { id, scope, ...times }, lastUsedMs }) => ({
        id,
        createdAt: toText(times.createdMs),
        expiresAt: toText(times.expiresMs),
        ...(lastUsedMs === undefined ? {} : { lastUsedAt: toText(lastUsedMs) }),
        ...(scope === undefined ? {} : { scope }),
      })),
    };
  }
}

interface LiveToken {
  readonly record: RobotTokenRecord;
  readonly principal: Principal;
  lastUsedMs: number | undefined;
}

function toPrincipal(robot: RobotRecord, { id, scope, expiresMs }: RobotTokenRecord): Principal {
  return {
    kind: "robot",
    name: `${robotPrefix}${robot.name}`,
    uid: robot.uid,
    groups: [],
    tokenId: id,
    ...(scope === undefined ? {} : { scope }),
    endsAt: expiresMs,
  };
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Uses of other hubs are written down every half a minute. */
const rememberedMs = 5 * 60_000;
