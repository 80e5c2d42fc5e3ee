// Roles and bindings, and which of them an asker has. Kept in memory; what an asker may do on a cluster is worked out
// once and stands until a role, a binding or the cluster's labels change.
import type { AccessBinding, AccessRole, CreateBindingRequest, PutRoleRequest } from "@fairlead/contract";
import { type Clock, createId, createTurns, isSystemName } from "@fairlead/kernel";
import { type Grant, type Labels, namesAsker, type Principal, selectGrants } from "../policy/index.ts";
import { adminRole, builtInRoles } from "./built-in-roles.ts";
import { grantErrors } from "./errors.ts";
import type { GrantStore } from "./store.ts";

export interface Grants {
  /** All of the asker's. */
  of(principal: Principal): readonly Grant[];
  /** The asker's on this cluster. */
  on(principal: Principal, cluster: string, labels: Labels | undefined): readonly Grant[];
  readonly roles: ReadonlyMap<string, AccessRole>;
  bindings(): AccessBinding[];
  /** All there are, whosever they are. */
  all(): Grant[];
  // Each check runs when nothing else can change between it and what it is about.
  /** Throws ROLE_BUILT_IN, ROLE_INVALID. */
  putRole(name: string, request: PutRoleRequest, check?: () => void): Promise<AccessRole>;
  /** Throws ROLE_NOT_FOUND, ROLE_BUILT_IN, ROLE_IN_USE. */
  removeRole(name: string): Promise<void>;
  /** Throws ROLE_UNKNOWN, BINDING_INVALID, BINDING_EXISTS. */
  bind(request: CreateBindingRequest, createdBy: string, check?: (role: AccessRole) => void): Promise<AccessBinding>;
  /** Throws BINDING_NOT_FOUND, ACCESS_LAST_ADMIN. */
  unbind(id: string, check?: CheckRemoval): Promise<void>;
  /** A user has another name now; what the old one had is theirs and nobody's who is called so next. */
  renameUser(from: string, to: string): Promise<void>;
  /** All of a user's or robot's own. Throws ACCESS_LAST_ADMIN. */
  unbindSubject(subject: AccessBinding["subject"], check?: CheckRemoval): Promise<void>;
}

export type CheckRemoval = (gone: readonly AccessBinding[]) => void;

export async function openGrants(options: { readonly store: GrantStore; readonly clock: Clock }): Promise<Grants> {
  const { store, clock } = options;
  const loaded = await store.load();
  const roles = new Map([...builtInRoles, ...loaded.roles].map((role) => [role.name, role]));
  const bindings = new Map(loaded.bindings.map((binding) => [binding.id, binding]));
  let known = new WeakMap<Principal, Known>();

  const changes: Pick<Grants, "putRole" | "removeRole" | "bind" | "unbind" | "renameUser" | "unbindSubject"> = {
    async putRole(name, request, check) {
      if (roles.get(name)?.isBuiltIn) throw grantErrors.ROLE_BUILT_IN({ name });
      const { description, hubRules = [], clusterRules = [], groups = [], mayImpersonate } = request;
      const system = [...groups, ...(mayImpersonate?.users ?? []), ...(mayImpersonate?.groups ?? [])].find(
        isSystemName,
      );
      if (system !== undefined) throw grantErrors.ROLE_INVALID({ problem: `nobody is ${system} by way of the hub` });
      const role: AccessRole = {
        ...{ name, isBuiltIn: false, hubRules, clusterRules, groups },
        ...(description === undefined ? {} : { description }),
        ...(mayImpersonate === undefined ? {} : { mayImpersonate }),
      };
      check?.();
      await store.putRole(role);
      change(() => roles.set(name, role));
      return role;
    },

    async removeRole(name) {
      const role = roles.get(name);
      if (!role) throw grantErrors.ROLE_NOT_FOUND();
      if (role.isBuiltIn) throw grantErrors.ROLE_BUILT_IN({ name });
      if ([...bindings.values()].some((binding) => binding.role === name)) throw grantErrors.ROLE_IN_USE({ name });
      await store.removeRole(name);
      change(() => roles.delete(name));
    },

    async bind(request, createdBy, check) {
      const { subject, role, clusters, record } = request;
      const given = roles.get(role);
      if (!given) throw grantErrors.ROLE_UNKNOWN({ name: role });
      check?.(given);
      if (isSystemName(subject.name))
        throw grantErrors.BINDING_INVALID({ problem: `nobody is ${subject.name} by way of the hub` });
      const isSame = (one: AccessBinding): boolean =>
        one.role === role && isSameSubject(one.subject, subject) && isDeepEqual(one.clusters, clusters);
      const twin = [...bindings.values()].find(isSame);
      if (twin) throw grantErrors.BINDING_EXISTS({ id: twin.id });
      const binding: AccessBinding = {
        ...{ id: createId("bnd"), subject, role, clusters, createdBy },
        createdAt: new Date(clock.now()).toISOString(),
        ...(record === undefined ? {} : { record }),
      };
      await store.insertBinding(binding);
      change(() => bindings.set(binding.id, binding));
      return binding;
    },

    async unbind(id, check) {
      const binding = bindings.get(id);
      if (!binding) throw grantErrors.BINDING_NOT_FOUND();
      await remove([binding], check);
    },

    async renameUser(from, to) {
      await store.renameSubject("user", from, to);
      change(() => {
        for (const [id, binding] of bindings) {
          const { kind, name } = binding.subject;
          if (kind === "user" && name === from) bindings.set(id, { ...binding, subject: { kind, name: to } });
        }
      });
    },

    async unbindSubject(subject, check) {
      const gone = [...bindings.values()].filter((binding) => isSameSubject(binding.subject, subject));
      await remove(gone, check);
    },
  };

  const inTurn = createTurns();

  return {
    of: (principal) => find(principal).all,

    on(principal, cluster, labels) {
      const { all, byCluster } = find(principal);
      const found = byCluster.get(cluster);
      if (found && found.labels === labels) return found.grants;
      const grants = selectGrants(all, { name: cluster, labels });
      // Names of clusters that aren't there come from outside, as many as someone likes.
      if (labels !== undefined) byCluster.set(cluster, { labels, grants });
      return grants;
    },

    roles,
    bindings: () => [...bindings.values()],

    all: () => [...bindings.values()].flatMap(toGrant),

    putRole: (name, request, check) => inTurn(() => changes.putRole(name, request, check)),
    removeRole: (name) => inTurn(() => changes.removeRole(name)),
    bind: (request, createdBy, check) => inTurn(() => changes.bind(request, createdBy, check)),
    unbind: (id, check) => inTurn(() => changes.unbind(id, check)),
    renameUser: (from, to) => inTurn(() => changes.renameUser(from, to)),
    unbindSubject: (subject, check) => inTurn(() => changes.unbindSubject(subject, check)),
  };

  function find(principal: Principal): Known {
    const found = known.get(principal);
    if (found) return found;
    const all = [...bindings.values()].filter((binding) => namesAsker(binding, principal)).flatMap(toGrant);
    const fresh: Known = { all, byCluster: new Map() };
    known.set(principal, fresh);
    return fresh;
  }

  function toGrant(binding: AccessBinding): Grant[] {
    const role = roles.get(binding.role);
    return role ? [{ binding, role }] : [];
  }

  async function remove(gone: readonly AccessBinding[], check?: CheckRemoval): Promise<void> {
    check?.(gone);
    const left = [...bindings.values()].filter((binding) => !gone.includes(binding));
    if (gone.some(isWholeAdmin) && !left.some(isWholeAdmin)) throw grantErrors.ACCESS_LAST_ADMIN();
    await store.removeBindings(gone.map(({ id }) => id));
    change(() => {
      for (const { id } of gone) bindings.delete(id);
    });
  }

  function change(apply: () => void): void {
    apply();
    known = new WeakMap();
  }
}

interface Known {
  readonly all: readonly Grant[];
  readonly byCluster: Map<string, { readonly labels: Labels; readonly grants: readonly Grant[] }>;
}

/** Somebody must be able to undo what others did. */
export function isWholeAdmin({ role, clusters }: AccessBinding): boolean {
  return role === adminRole && "all" in clusters;
}

function isSameSubject(one: AccessBinding["subject"], other: AccessBinding["subject"]): boolean {
  return one.kind === other.kind && one.name === other.name;
}

function isDeepEqual(one: AccessBinding["clusters"], other: AccessBinding["clusters"]): boolean {
  return JSON.stringify(sortKeys(one)) === JSON.stringify(sortKeys(other));
}

function sortKeys(choice: AccessBinding["clusters"]): unknown {
  if ("names" in choice) return [...choice.names].sort();
  if ("all" in choice) return "all";
  return Object.entries(choice.selector.matchLabels).sort(([a], [b]) => (a < b ? -1 : 1));
}
