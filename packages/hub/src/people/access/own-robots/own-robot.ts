// An account that the hub makes for a program which it sets up itself. It has one role of its own on all clusters, and each
// of its tokens is for a single cluster.
import { hash } from "node:crypto";
import type { AccessBinding, AccessRole } from "@fairlead/contract";
import { type Clock, createId } from "@fairlead/kernel";
import { robotErrors } from "../robots/index.ts";
import type { AccessRoom } from "../service.ts";
import { createToken, hashToken } from "../tokens/index.ts";

export interface OwnRobot {
  /** True for a token of this account that is for just this cluster, and has half of its life before it. */
  isFresh(token: string, cluster: string): boolean;
  /** Makes the account where there is none. Throws ROBOT_EXISTS when its name is somebody else's. */
  issue(cluster: string): Promise<OwnRobotToken>;
  /** From now on only this token is good for each of these clusters, and none for others. */
  keepOnly(tokens: ReadonlyMap<string, string>): Promise<void>;
}

export interface OwnRobotToken {
  readonly token: string;
  readonly expiresMs: number;
}

export function createOwnRobot(options: {
  readonly access: AccessRoom;
  readonly name: string;
  /** Says that an account of this name is the hub's own. */
  readonly owner: string;
  readonly description: string;
  /** Put back when somebody changed it: the account's bounds go by its groups. */
  readonly role: AccessRole;
  readonly tokenTtlMs: number;
  readonly clock: Clock;
}): OwnRobot {
  const { access, name, owner, description, role, tokenTtlMs, clock } = options;
  const uid = `rob_${hash("sha256", `own robot ${name} of ${owner}`).slice(0, 26)}`;
  return {
    isFresh(token, cluster) {
      const record = listTokens().find(({ sha256 }) => sha256 === hashToken(token));
      if (record === undefined || !isFor(record.scope, cluster)) return false;
      return record.expiresMs - clock.now() > tokenTtlMs / 2;
    },

    async issue(cluster) {
      const createdMs = clock.now();
      const endMs = createdMs + tokenTtlMs;
      const { token, sha256 } = createToken({ kind: "robot", endsMs: endMs });
      await access.change(async (step) => {
        const found = access.robots.find(name);
        if (found && found.uid !== uid) throw robotErrors.ROBOT_EXISTS({ name });
        const record = { id: createId("rbt"), robot: name, sha256, scope: { clusters: [cluster] }, createdMs };
        const binding = toBinding(createdMs);
        await access.grants.settle(
          { putRoles: [role], removeRoles: [], putBindings: [binding], removeBindings: [] },
          step,
        );
        const robot = found ?? { name, uid, description, ttlMs: tokenTtlMs, createdMs };
        const tokens = [...withoutOld(cluster), { ...record, expiresMs: endMs, lastUsedMs: undefined }];
        await access.robots.settle({ put: [{ robot, tokens }], remove: [] }, step);
      });
      access.tellChanged();
      return { token, expiresMs: endMs };
    },

    async keepOnly(wanted) {
      const isKept = ({ sha256, scope }: TokenRecord): boolean =>
        [...wanted].some(([cluster, token]) => sha256 === hashToken(token) && isFor(scope, cluster));
      if (listTokens().every(isKept)) return;
      await access.change(async (step) => {
        const robot = access.robots.find(name);
        if (robot?.uid !== uid) return;
        await access.robots.settle({ put: [{ robot, tokens: listTokens().filter(isKept) }], remove: [] }, step);
      });
      access.tellChanged();
    },
  };

  function listTokens(): readonly TokenRecord[] {
    return access.robots.records().find(({ robot }) => robot.name === name && robot.uid === uid)?.tokens ?? [];
  }

  /** However often one is asked for, a cluster has three at most. */
  function withoutOld(cluster: string): TokenRecord[] {
    const good = listTokens().filter(({ expiresMs }) => expiresMs > clock.now());
    const own = good.filter(({ scope }) => isFor(scope, cluster)).sort((a, b) => b.createdMs - a.createdMs);
    const old = new Set(own.slice(2));
    return good.filter((one) => !old.has(one));
  }

  function toBinding(atMs: number): AccessBinding {
    return {
      id: `own-${name}`,
      subject: { kind: "robot", name },
      role: role.name,
      clusters: { all: true },
      record: false,
      createdAt: new Date(atMs).toISOString(),
      createdBy: "hub",
    };
  }
}

type TokenRecord = ReturnType<AccessRoom["robots"]["records"]>[number]["tokens"][number];

function isFor(scope: TokenRecord["scope"], cluster: string): boolean {
  return scope?.clusters?.length === 1 && scope.clusters[0] === cluster;
}
