// Accounts for programs. Their tokens are looked up in memory; when one was last used is written now and then.
import { type Robot, robotTokenTtlLimits, type TokenScope } from "@fairlead/contract";
import { type Clock, createId } from "@fairlead/kernel";
import { type Principal, robotPrefix } from "../policy/index.ts";
import { createToken, tokenErrors } from "../tokens/index.ts";
import { robotErrors } from "./errors.ts";
import type { RobotRecord, RobotStore, RobotTokenRecord } from "./store.ts";

export interface Robots {
  /** Counts as a use. Throws AUTH_EXPIRED. */
  findByToken(sha256: string): Principal | undefined;
  hasToken(id: string | undefined): boolean;
  list(): Robot[];
  /** Throws ROBOT_NOT_FOUND. */
  get(name: string): Robot;
  find(name: string): RobotRecord | undefined;
  /** Throws ROBOT_EXISTS. */
  create(wanted: { readonly name: string; readonly ttlMs?: number; readonly description?: string }): Promise<Robot>;
  remove(name: string): Promise<void>;
  /** Throws ROBOT_TOKEN_TOO_LONG. */
  createToken(
    name: string,
    wanted: { readonly ttlMs: number; readonly scope?: TokenScope | undefined },
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresMs: number }>;
  /** Throws ROBOT_TOKEN_NOT_FOUND. */
  revokeToken(name: string, id: string): Promise<void>;
  /** When the next token ends that hasn't yet. */
  nextEndMs(): number;
  /** Writes down which tokens were used. */
  flush(): Promise<void>;
}

export async function openRobots(options: { readonly store: RobotStore; readonly clock: Clock }): Promise<Robots> {
  const { store, clock } = options;
  const robots = new Map<string, RobotRecord>();
  const tokens = new Map<string, LiveToken>();
  const bySha256 = new Map<string, LiveToken>();
  /** Uses that the store doesn't know yet. */
  const uses = new Map<string, number>();

  const loaded = await store.load();
  for (const robot of loaded.robots) robots.set(robot.name, robot);
  for (const token of loaded.tokens) remember(token);

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
    list: () => [...robots.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(show),
    get: (name) => show(mustFind(name)),
    find: (name) => robots.get(name),

    async create({ name, ttlMs = robotTokenTtlLimits.defaultMs, description }) {
      const robot: RobotRecord = { name, uid: createId("rob"), description, ttlMs, createdMs: clock.now() };
      if (!(await store.insert(robot))) throw robotErrors.ROBOT_EXISTS({ name });
      robots.set(name, robot);
      return show(robot);
    },

    async remove(name) {
      const robot = mustFind(name);
      await store.remove(robot);
      // The name may be another robot's by now.
      if (robots.get(name) === robot) robots.delete(name);
      for (const token of tokensOf(name)) if (token.principal.uid === robot.uid) forget(token);
    },

    async createToken(name, { ttlMs, scope }) {
      const robot = mustFind(name);
      if (ttlMs > robot.ttlMs) throw robotErrors.ROBOT_TOKEN_TOO_LONG({ maxMs: robot.ttlMs });
      const { token, sha256 } = createToken("robot");
      const createdMs = clock.now();
      const record: RobotTokenRecord = {
        ...{ id: createId("rbt"), robot: name, sha256, scope, createdMs, expiresMs: createdMs + ttlMs },
        lastUsedMs: undefined,
      };
      const isThere = await store.insertToken(record, robot);
      if (!isThere || robots.get(name) !== robot) throw robotErrors.ROBOT_NOT_FOUND();
      remember(record);
      return { id: record.id, token, expiresMs: record.expiresMs };
    },

    async revokeToken(name, id) {
      const token = tokens.get(id);
      if (token?.record.robot !== mustFind(name).name) throw robotErrors.ROBOT_TOKEN_NOT_FOUND();
      await store.removeToken(id);
      forget(token);
    },

    nextEndMs() {
      const now = clock.now();
      const ends = [...tokens.values()].map(({ record }) => record.expiresMs).filter((endMs) => endMs > now);
      return ends.reduce((next, endMs) => Math.min(next, endMs), Number.POSITIVE_INFINITY);
    },

    async flush() {
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

  function forget({ record }: LiveToken): void {
    tokens.delete(record.id);
    bySha256.delete(record.sha256);
    uses.delete(record.id);
  }

  function tokensOf(name: string): LiveToken[] {
    return [...tokens.values()].filter(({ record }) => record.robot === name);
  }

  function show(robot: RobotRecord): Robot {
    const { name, description, createdMs, ttlMs } = robot;
    return {
      ...{ name, ttlMs, createdAt: toText(createdMs) },
      ...(description === undefined ? {} : { description }),
      tokens: tokensOf(name).map(({ record: { id, scope, ...times }, lastUsedMs }) => ({
        ...{ id, createdAt: toText(times.createdMs), expiresAt: toText(times.expiresMs) },
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
    ...{ kind: "robot", name: `${robotPrefix}${robot.name}`, uid: robot.uid, groups: [], tokenId: id },
    ...(scope === undefined ? {} : { scope }),
    endsAt: expiresMs,
  };
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}
