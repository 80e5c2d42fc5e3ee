// People change each other's rights here, with the checks that keep the right to give from being the right to all.
import type {
  AccessRole,
  CreateBindingRequest,
  CreatedBinding,
  CreateRobotTokenRequest,
  PutRoleRequest,
  TokenScope,
} from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import { type Giver, keepsRuns, type Remover, requireRecorded, requireToGive, requireToTake } from "../giving/index.ts";
import { type CheckRemoval, toBindingName } from "../grants/index.ts";
import { forgetLoginCodes } from "../oidc/index.ts";
import { makersOf } from "../party.ts";
import { accessErrors, endOf, namesAsker, type Principal } from "../policy/index.ts";
import { createAccessRequestStore } from "../requests/index.ts";
import { robotErrors } from "../robots/index.ts";
import type { AccessRoom } from "../service.ts";
import { robotAsker, toPrincipal } from "../subjects.ts";
import { listSlips } from "./binding-slips.ts";

export interface Administration {
  /** Throws ROBOT_NOT_FOUND, and what the giver may not give. */
  bind(by: Principal, request: CreateBindingRequest): Promise<CreatedBinding>;
  unbind(by: Principal, id: string): Promise<void>;
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
  removeUser(by: Principal, name: string): Promise<void>;
  signOutUser(name: string): Promise<void>;
}

export function createAdministration(access: AccessRoom, clock: Clock): Administration {
  const { grants, robots, sessions, users, change, declared } = access;

  return {
    async bind(by, request) {
      const { subject } = request;
      const made = await grants.bind(request, by.name, (role) => {
        const endMs = request.ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + request.ttlMs;
        requireToGive(asGiver(by), { ...request, role, endMs });
        // A robot is made before it is bound; a user comes when they sign in.
        if (subject.kind === "robot") robots.get(subject.name);
      });
      // A timer may have to wait for its end.
      access.watchForEnd();
      const warnings = listSlips(access, by, request);
      return warnings.length === 0 ? made : { ...made, warnings };
    },

    async unbind(by, id) {
      declared?.requireUndeclared("Binding", toBindingName(id));
      changed(await grants.unbind(id, keepRecorded(by)));
    },

    async putRole(by, name, request) {
      declared?.requireUndeclared("Role", name);
      const { hubRules = [], clusterRules = [], groups = [], mayImpersonate } = request;
      const role = { hubRules, clusterRules, groups, mayImpersonate };
      const check = (): void => {
        // The role may be bound anywhere, later; whether that must be recorded is asked then.
        const endMs = Number.POSITIVE_INFINITY;
        requireToGive(asGiver(by), { role, clusters: { all: true }, record: true, endMs });
        const bound = grants.all().filter(({ binding }) => binding.role === name);
        for (const { binding } of bound) requireRecorded(asGiver(by), { ...binding, role });
        requireToTake(
          asRemover(by),
          bound.filter((grant) => !keepsRuns(grant.role, role)),
        );
      };
      return changed(await grants.putRole(name, request, check));
    },

    async removeRole(name) {
      declared?.requireUndeclared("Role", name);
      changed(await grants.removeRole(name));
    },

    async createRobotToken(by, robot, request) {
      declared?.requireUndeclared("Robot", robot);
      const made = await change(async (step) => {
        const { name } = robots.get(robot);
        // With the token one is the robot; a robot that renews its own gets no more than it has.
        const isItself = by.kind === "robot" && by.name === robotAsker(name).name;
        if (by.scope && !(isItself && isNarrower(request.scope, by.scope)))
          throw accessErrors.ACCESS_ESCALATION({ what: "this token has limited rights" });
        if (!isItself) {
          const given = grants.bindings().filter((binding) => namesAsker(binding, robotAsker(name)));
          for (const binding of given) {
            const found = grants.roles.get(binding.role);
            const endMs = Math.min(clock.now() + request.ttlMs, endOf(binding));
            if (found) requireToGive(asGiver(by), { ...binding, role: found, endMs });
          }
        }
        const leftMs = by.kind === "robot" && by.endsAt !== undefined ? by.endsAt - clock.now() : undefined;
        if (leftMs !== undefined && request.ttlMs > leftMs) throw robotErrors.ROBOT_TOKEN_TOO_LONG({ maxMs: leftMs });
        const madeBy = makersOf(access, by);
        const parent = by.kind === "robot" ? by.tokenId : undefined;
        return await robots.createToken(name, { ...request, madeBy, parent }, step);
      });
      access.watchForEnd();
      return made;
    },

    async revokeRobotToken(robot, id) {
      declared?.requireUndeclared("Robot", robot);
      const ids = await robots.revokeToken(robot, id);
      access.tellChanged();
      await sessions.end(({ tokenId }) => tokenId !== undefined && ids.has(tokenId));
    },

    async removeRobot(name) {
      declared?.requireUndeclared("Robot", name);
      const ids = await change(async (step) => {
        robots.get(name);
        await grants.unbindSubject({ kind: "robot", name }, undefined, step);
        return await robots.remove(name, step);
      });
      access.tellChanged();
      await sessions.end(({ tokenId }) => tokenId !== undefined && ids.has(tokenId));
    },

    async removeUser(by, name) {
      const uid = await change(async (step) => {
        const user = users.get(name);
        for (const { id, subject } of grants.bindings()) {
          if (subject.kind === "user" && subject.name === name)
            declared?.requireUndeclared("Binding", toBindingName(id));
        }
        // They may sign in again, and be in the same groups.
        await grants.unbindSubject({ kind: "user", name }, keepRecorded(by), step);
        await createAccessRequestStore(step.trx).removeOf(user.uid);
        await forgetLoginCodes(step.trx, user);
        await users.remove(name, step);
        return user.uid;
      });
      access.tellChanged();
      await sessions.end((session) => session.kind === "user" && session.uid === uid);
    },

    async signOutUser(name) {
      // They may have signed in at another hub just now.
      await access.catchUp();
      const user = users.get(name);
      await change(({ trx }) => forgetLoginCodes(trx, user));
      await sessions.end((session) => session.kind === "user" && session.uid === user.uid);
    },
  };

  function asGiver(by: Principal): Giver {
    return { by, grants: grants.of(by), labels: access.labels };
  }

  function asRemover(by: Principal): Remover {
    const known = users.list().map(({ name }) => toPrincipal(access, { kind: "user", name }));
    return { ...asGiver(by), all: grants.all(), known: [...known, by] };
  }

  function keepRecorded(by: Principal): CheckRemoval {
    return (gone) => {
      const remover = asRemover(by);
      requireToTake(
        remover,
        remover.all.filter(({ binding }) => gone.includes(binding)),
      );
    };
  }

  function changed<T>(value: T): T {
    access.tellChanged();
    return value;
  }
}

function isNarrower(inner: TokenScope | undefined, outer: TokenScope): boolean {
  const fits = (wanted: readonly string[] | undefined, held: readonly string[] | undefined): boolean =>
    held === undefined || held.includes("*") || (wanted?.every((one) => held.includes(one)) ?? false);
  return fits(inner?.clusters, outer.clusters) && fits(inner?.verbs, outer.verbs);
}
