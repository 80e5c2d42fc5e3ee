// What people do to each other's rights: with the checks that keep the right to give from being the right to all.
import type {
  AccessBinding,
  AccessRole,
  CreateBindingRequest,
  CreateRobotTokenRequest,
  PutRoleRequest,
  TokenScope,
} from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import { missOfGiver } from "./cover.ts";
import { escalation, roleUnknown } from "./errors.ts";
import { namesAsker } from "./policy.ts";
import type { AccessRoom } from "./service.ts";
import { robotTokenTooLong } from "./subject-errors.ts";
import { robotAsker } from "./subjects.ts";
import type { Principal } from "./types.ts";

export interface Administration {
  bind(by: Principal, request: CreateBindingRequest): Promise<AccessBinding>;
  unbind(id: string): Promise<void>;
  putRole(by: Principal, name: string, request: PutRoleRequest): Promise<AccessRole>;
  removeRole(name: string): Promise<void>;
  createRobotToken(
    by: Principal,
    robot: string,
    request: CreateRobotTokenRequest,
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresMs: number }>;
  revokeRobotToken(robot: string, id: string): Promise<void>;
  removeRobot(name: string): Promise<void>;
  /** With their sessions and direct bindings. */
  removeUser(name: string): Promise<void>;
  signOutUser(name: string): Promise<void>;
}

export function createAdministration(access: AccessRoom, clock: Clock): Administration {
  const { grants, robots, sessions, users } = access;

  return {
    async bind(by, request) {
      const role = grants.roles.get(request.role);
      if (!role) throw roleUnknown(request.role);
      mustCover(by, role, request);
      return await grants.bind(request, by.name);
    },

    async unbind(id) {
      changed(await grants.unbind(id));
    },

    async putRole(by, name, request) {
      const { hubRules = [], clusterRules = [], groups = [], mayImpersonate } = request;
      // The role may be bound anywhere, now or later.
      mustCover(by, { hubRules, clusterRules, groups, mayImpersonate }, { clusters: { all: true }, record: true });
      return changed(await grants.putRole(name, request));
    },

    async removeRole(name) {
      changed(await grants.removeRole(name));
    },

    async createRobotToken(by, robot, request) {
      const { name } = robots.get(robot);
      // With the token one is the robot; a robot that renews its own gets no more than it has.
      const isItself = by.kind === "robot" && by.name === robotAsker(name).name;
      if (by.scope && !(isItself && isNarrower(request.scope, by.scope))) throw escalation("this token is limited");
      if (!isItself) {
        const given = grants.bindings().filter((binding) => namesAsker(binding, robotAsker(name)));
        for (const binding of given) {
          const found = grants.roles.get(binding.role);
          if (found) mustCover(by, found, binding);
        }
      }
      const leftMs = by.kind === "robot" && by.endsAt !== undefined ? by.endsAt - clock.now() : undefined;
      if (leftMs !== undefined && request.ttlMs > leftMs) throw robotTokenTooLong(leftMs);
      const made = await robots.createToken(name, request);
      access.watchForEnd();
      return made;
    },

    async revokeRobotToken(robot, id) {
      await robots.revokeToken(robot, id);
      access.tellChanged();
      await sessions.end(({ tokenId }) => tokenId === id);
    },

    async removeRobot(name) {
      const ids = new Set(robots.get(name).tokens.map(({ id }) => id));
      // First, because it is refused for the last admin.
      await grants.unbindSubject({ kind: "robot", name });
      await robots.remove(name);
      access.tellChanged();
      await sessions.end(({ tokenId }) => tokenId !== undefined && ids.has(tokenId));
    },

    async removeUser(name) {
      const { uid } = users.get(name);
      await grants.unbindSubject({ kind: "user", name });
      await users.remove(name);
      access.tellChanged();
      await sessions.end((session) => session.kind === "user" && session.uid === uid);
    },

    async signOutUser(name) {
      const { uid } = users.get(name);
      await sessions.end((session) => session.kind === "user" && session.uid === uid);
    },
  };

  function mustCover(
    by: Principal,
    role: Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">,
    { clusters, record }: Pick<AccessBinding, "clusters" | "record">,
  ): void {
    if (by.scope) throw escalation("this token is limited");
    const all = grants.of(by);
    const miss = missOfGiver({ giver: all, role, clusters, labels: access.labels });
    if (miss !== undefined) throw escalation(`${by.name} lacks ${miss}`);
    if (record === true || !runsThings(role)) return;
    // Whoever is recorded would have a way around it otherwise.
    const unrecorded = all.filter(({ binding }) => binding.record !== true);
    if (missOfGiver({ giver: unrecorded, role, clusters, labels: access.labels }) !== undefined) {
      throw escalation(`${by.name} has this recorded, and gives it with record: true only`);
    }
  }

  function changed<T>(value: T): T {
    access.tellChanged();
    return value;
  }
}

/** Whether the role may give an exec or an attach. */
function runsThings({ clusterRules }: Pick<AccessRole, "clusterRules">): boolean {
  return clusterRules.some(
    ({ verbs, resources }) =>
      (verbs.includes("*") || verbs.includes("create")) && resources.some((one) => one === "*" || one.includes("/")),
  );
}

function isNarrower(inner: TokenScope | undefined, outer: TokenScope): boolean {
  const fits = (wanted: readonly string[] | undefined, held: readonly string[] | undefined): boolean =>
    held === undefined || held.includes("*") || (wanted?.every((one) => held.includes(one)) ?? false);
  return fits(inner?.clusters, outer.clusters) && fits(inner?.verbs, outer.verbs);
}
