// Roles and bindings, and which of them an asker has. Kept in memory; what an asker may do on a cluster is worked out
// once and stands until a role, a binding or the cluster's labels change.
import { isDeepStrictEqual } from "node:util";
import type { AccessBinding, AccessRole, CreateBindingRequest, PutRoleRequest } from "@fairlead/contract";
import { type Clock, createId, isSystemName } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { Difference, Ledger, Step } from "../ledger/index.ts";
import {
  adminName,
  endOf,
  type Grant,
  isOver,
  type Labels,
  namesAsker,
  type Principal,
  selectGrants,
} from "../policy/index.ts";
import { adminRole, builtInRoles } from "./built-in-roles.ts";
import { grantErrors } from "./errors.ts";
import { createGrantStore } from "./store.ts";

export interface Grants {
  /** All of the asker's. */
  of(principal: Principal): readonly Grant[];
  /** The asker's on this cluster. */
  on(principal: Principal, cluster: string, labels: Labels | undefined): readonly Grant[];
  readonly roles: ReadonlyMap<string, AccessRole>;
  /** All that count now, as everything here: a binding that has ended is none, also before it is swept up. */
  bindings(): AccessBinding[];
  /** All there are, whosever they are. */
  all(): Grant[];
  // Each check runs when nothing else can change between it and what it is about, on this hub or another.
  /** Throws ROLE_BUILT_IN, ROLE_INVALID. */
  putRole(name: string, request: PutRoleRequest, check?: () => void): Promise<AccessRole>;
  /** Throws ROLE_NOT_FOUND, ROLE_BUILT_IN, ROLE_IN_USE. */
  removeRole(name: string): Promise<void>;
  /** Throws ROLE_UNKNOWN, BINDING_INVALID, BINDING_EXISTS. */
  bind(request: NewBinding, createdBy: string, check?: (role: AccessRole) => void, step?: Step): Promise<AccessBinding>;
  /** Throws BINDING_NOT_FOUND, ACCESS_LAST_ADMIN. */
  unbind(id: string, check?: CheckRemoval): Promise<void>;
  /** A user has another name now; what the old one had is theirs and nobody's who is called so next. */
  renameUser(from: string, to: string, step: Step): Promise<void>;
  /** All of a user's or robot's own. Throws ACCESS_LAST_ADMIN. */
  unbindSubject(subject: AccessBinding["subject"], check?: CheckRemoval, step?: Step): Promise<void>;
  /** Gives it the role admin on all clusters, unless somebody has that whom `suffices` takes. */
  bindAdmin(
    subject: AccessBinding["subject"],
    suffices: (binding: AccessBinding) => boolean,
    step?: Step,
  ): Promise<void>;
  /** The time at which the next binding ends by itself; infinity for none. */
  nextEndMs(): number;
  /** Removes bindings that have ended. Each is handed to `onEnded` first: one that can't be recorded stays on record. */
  sweep(onEnded: (binding: AccessBinding) => Promise<void>): Promise<void>;
  /** As somebody has decided who may decide everything. */
  settle(changes: GrantChanges, step: Step): Promise<void>;
}

export interface NewBinding extends CreateBindingRequest {
  /** The request that the binding grants. */
  readonly request?: string | undefined;
}

export interface GrantChanges {
  readonly putRoles: readonly AccessRole[];
  readonly removeRoles: readonly string[];
  /** Also in the place of one with the same id. */
  readonly putBindings: readonly AccessBinding[];
  readonly removeBindings: readonly string[];
}

export type CheckRemoval = (gone: readonly AccessBinding[]) => void;

export async function openGrants(options: {
  readonly db: Kysely<Tables>;
  readonly ledger: Ledger;
  readonly clock: Clock;
}): Promise<Grants> {
  const { db, ledger, clock } = options;
  const roles = new Map<string, AccessRole>();
  const bindings = new Map<string, AccessBinding>();
  let known = new WeakMap<Principal, Known>();
  /** A binding ends then, and what is known counts no longer. */
  let knownUntilMs = Number.NEGATIVE_INFINITY;
  (await read(db))();
  ledger.keep(read);

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
    bindings: inForce,

    all: () => inForce().flatMap(toGrant),

    nextEndMs,

    async putRole(name, request, check) {
      requireOwn(name);
      const { description, hubRules = [], clusterRules = [], groups = [], mayImpersonate } = request;
      const system = [...groups, ...(mayImpersonate?.users ?? []), ...(mayImpersonate?.groups ?? [])].find(
        isSystemName,
      );
      if (system !== undefined)
        throw grantErrors.ROLE_INVALID({ problem: `the name ${system} is reserved for clusters` });
      const role: AccessRole = {
        name,
        isBuiltIn: false,
        hubRules,
        clusterRules,
        groups,
        ...(description === undefined ? {} : { description }),
        ...(mayImpersonate === undefined ? {} : { mayImpersonate }),
      };
      return await ledger.change(async (step) => {
        check?.();
        await createGrantStore(step.trx).putRole(role);
        change(step, () => roles.set(name, role));
        return role;
      });
    },

    async removeRole(name) {
      requireOwn(name);
      await ledger.change(async (step) => {
        if (!roles.has(name)) throw grantErrors.ROLE_NOT_FOUND();
        if ([...bindings.values()].some((binding) => binding.role === name)) throw grantErrors.ROLE_IN_USE({ name });
        await createGrantStore(step.trx).removeRole(name);
        change(step, () => roles.delete(name));
      });
    },

    bind: (request, createdBy, check, outer) => ledger.change((step) => bind(step, request, createdBy, check), outer),

    async unbind(id, check) {
      await ledger.change(async (step) => {
        const binding = bindings.get(id);
        if (!binding) throw grantErrors.BINDING_NOT_FOUND();
        await remove(step, [binding], check);
      });
    },

    async renameUser(from, to, step) {
      await createGrantStore(step.trx).renameSubject("user", from, to);
      change(step, () => {
        for (const [id, binding] of bindings) {
          const { kind, name } = binding.subject;
          if (kind === "user" && name === from) bindings.set(id, { ...binding, subject: { kind, name: to } });
        }
      });
    },

    async unbindSubject(subject, check, outer) {
      await ledger.change(async (step) => {
        const gone = [...bindings.values()].filter((binding) => isSameSubject(binding.subject, subject));
        await remove(step, gone, check);
      }, outer);
    },

    async bindAdmin(subject, suffices, outer) {
      await ledger.change(async (step) => {
        if ([...bindings.values()].some((one) => isWholeAdmin(one) && suffices(one))) return;
        await bind(step, { subject, role: adminRole, clusters: { all: true } }, adminName);
      }, outer);
    },

    async sweep(onEnded) {
      if (!listOver().length) return;
      await ledger.change(async (step) => {
        const over = listOver();
        for (const binding of over) await onEnded(binding);
        await createGrantStore(step.trx).removeBindings(over.map(({ id }) => id));
        change(step, () => {
          for (const { id } of over) bindings.delete(id);
        });
      });
    },

    async settle({ putRoles, removeRoles, putBindings, removeBindings }, step) {
      const store = createGrantStore(step.trx);
      for (const role of putRoles) await store.putRole(role);
      await store.removeBindings([...removeBindings, ...putBindings.map(({ id }) => id)]);
      for (const binding of putBindings) await store.insertBinding(binding);
      for (const name of removeRoles) await store.removeRole(name);
      change(step, () => {
        for (const role of putRoles) roles.set(role.name, role);
        for (const id of removeBindings) bindings.delete(id);
        for (const binding of putBindings) bindings.set(binding.id, binding);
        for (const name of removeRoles) roles.delete(name);
      });
    },
  };

  /** Keeps the objects that didn't change, so that what was computed from them stays valid. */
  async function read(trx: Kysely<Tables>): Promise<() => Difference> {
    const loaded = await createGrantStore(trx).load();
    return () => {
      const nextRoles = new Map([...builtInRoles, ...loaded.roles].map((role) => [role.name, role]));
      const nextBindings = new Map(loaded.bindings.map((binding) => [binding.id, binding]));
      const differences = [take(roles, nextRoles, isSameRole), take(bindings, nextBindings, isSameBinding)];
      if (differences.every((one) => one === "none")) return "none";
      forget();
      return differences.includes("less") ? "less" : "more";
    };
  }

  async function bind(
    step: Step,
    { subject, role, clusters, record, ttlMs, reason, request }: NewBinding,
    createdBy: string,
    check?: (role: AccessRole) => void,
  ): Promise<AccessBinding> {
    const nowMs = clock.now();
    const endMs = ttlMs === undefined ? Number.POSITIVE_INFINITY : nowMs + ttlMs;
    const given = roles.get(role);
    if (!given) throw grantErrors.ROLE_UNKNOWN({ name: role });
    check?.(given);
    if (isSystemName(subject.name))
      throw grantErrors.BINDING_INVALID({ problem: `the name ${subject.name} is reserved for clusters` });
    const isSame = (one: AccessBinding): boolean =>
      one.role === role && isSameSubject(one.subject, subject) && isDeepEqual(one.clusters, clusters);
    // One that ends earlier is in nobody's way.
    const twin = inForce().find((one) => isSame(one) && endOf(one) >= endMs);
    if (twin) throw grantErrors.BINDING_EXISTS({ id: twin.id });
    const binding: AccessBinding = {
      id: createId("bnd"),
      subject,
      role,
      clusters,
      createdBy,
      createdAt: new Date(nowMs).toISOString(),
      ...(record === undefined ? {} : { record }),
      ...(ttlMs === undefined ? {} : { endsAt: new Date(endMs).toISOString() }),
      ...(reason === undefined ? {} : { reason }),
      ...(request === undefined ? {} : { request }),
    };
    await createGrantStore(step.trx).insertBinding(binding);
    change(step, () => bindings.set(binding.id, binding));
    return binding;
  }

  function requireOwn(name: string): void {
    if (builtInRoles.some((role) => role.name === name)) throw grantErrors.ROLE_BUILT_IN({ name });
  }

  function find(principal: Principal): Known {
    if (clock.now() >= knownUntilMs) forget();
    const found = known.get(principal);
    if (found) return found;
    const all = inForce()
      .filter((binding) => namesAsker(binding, principal))
      .flatMap(toGrant);
    const fresh: Known = { all, byCluster: new Map() };
    known.set(principal, fresh);
    return fresh;
  }

  function forget(): void {
    known = new WeakMap();
    knownUntilMs = nextEndMs();
  }

  function nextEndMs(): number {
    return Math.min(...inForce().map(endOf));
  }

  function inForce(): AccessBinding[] {
    const nowMs = clock.now();
    return [...bindings.values()].filter((binding) => !isOver(binding, nowMs));
  }

  function listOver(): AccessBinding[] {
    const nowMs = clock.now();
    return [...bindings.values()].filter((binding) => isOver(binding, nowMs));
  }

  function toGrant(binding: AccessBinding): Grant[] {
    const role = roles.get(binding.role);
    return role ? [{ binding, role }] : [];
  }

  async function remove(step: Step, gone: readonly AccessBinding[], check?: CheckRemoval): Promise<void> {
    check?.(gone);
    const left = [...bindings.values()].filter((binding) => !gone.includes(binding));
    if (gone.some(isWholeAdmin) && !left.some(isWholeAdmin)) throw grantErrors.ACCESS_LAST_ADMIN();
    await createGrantStore(step.trx).removeBindings(gone.map(({ id }) => id));
    change(step, () => {
      for (const { id } of gone) bindings.delete(id);
    });
  }

  function change(step: Step, apply: () => void): void {
    step.after(() => {
      apply();
      forget();
    });
  }
}

/** Makes one map the other. Anything that was there and isn't any more, or is another, may have been a right. */
function take<T>(
  mine: Map<string, T>,
  next: ReadonlyMap<string, T>,
  isSame: (one: T, other: T) => boolean,
): Difference {
  const before = new Map(mine);
  const kept = [...next].map(([key, value]): [string, T] => {
    const old = before.get(key);
    return [key, old !== undefined && isSame(old, value) ? old : value];
  });
  const keptCount = kept.filter(([key, value]) => before.get(key) === value).length;
  if (keptCount === before.size && kept.length === before.size) return "none";
  mine.clear();
  for (const [key, value] of kept) mine.set(key, value);
  return keptCount === before.size ? "more" : "less";
}

function isSameRole(one: AccessRole, other: AccessRole): boolean {
  return isDeepStrictEqual(toPlain(one), toPlain(other));
}

/** Not recorded is the same as nothing said. */
function isSameBinding(one: AccessBinding, other: AccessBinding): boolean {
  const [a, b] = [one, other].map(({ record = false, ...rest }) => toPlain({ ...rest, record }));
  return isDeepStrictEqual(a, b);
}

/** As the database gives it back. */
function toPlain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

interface Known {
  readonly all: readonly Grant[];
  readonly byCluster: Map<string, { readonly labels: Labels; readonly grants: readonly Grant[] }>;
}

/** Somebody must be able to undo what others did, also after every binding that ends by itself has ended. */
export function isWholeAdmin({ role, clusters, endsAt }: AccessBinding): boolean {
  return role === adminRole && "all" in clusters && endsAt === undefined;
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
