// People whom the identity provider vouches for. A name belongs to one account there for as long as the user is on
// record: an address that is given to someone else later brings them none of the old one's rights.
import { type Clock, createId } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { Difference, Ledger, Step } from "../ledger/index.ts";
import { userErrors } from "./errors.ts";
import { createUserStore, type UserRecord } from "./store.ts";

export interface Users {
  /** True when this account is on record and called so. */
  has(uid: string, name: string): boolean;
  list(): UserRecord[];
  find(name: string): UserRecord | undefined;
  account(uid: string): UserRecord | undefined;
  /** Throws USER_NOT_FOUND. */
  get(name: string): UserRecord;
  /** At each sign-in. `renamedFrom` when the account has another name now. Throws USER_NAME_TAKEN. */
  recordSignIn(person: NewSignIn): Promise<{ readonly user: UserRecord; readonly renamedFrom: string | undefined }>;
  /** Another hub has signed the user in. */
  noteSignIn(uid: string, atMs: number): void;
  remove(name: string, step: Step): Promise<void>;
}

export interface NewSignIn {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

export async function openUsers(options: {
  readonly db: Kysely<Tables>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** In the change that gives the old name free. */
  readonly onRename: (from: string, to: string, step: Step) => Promise<void>;
}): Promise<Users> {
  const { db, ledger, clock, onRename } = options;
  const byUid = new Map<string, UserRecord>();
  /** Where the next read begins; undefined: at the beginning. */
  let horizon: number | undefined;
  await createUserStore(db).settle();
  (await read(db))();
  ledger.keep(read);

  return {
    has: (uid, name) => byUid.get(uid)?.name === name,
    list: () => [...byUid.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    find,
    account: (uid) => byUid.get(uid),
    get: mustFind,

    async recordSignIn(person) {
      const known = findAccount(person);
      if (known && isSame(known, person)) {
        const user = { ...known, signedInMs: clock.now() };
        if (await createUserStore(db).touch(user)) {
          if (byUid.get(user.uid) === known) byUid.set(user.uid, user);
          return { user, renamedFrom: undefined };
        }
      }
      // Two first sign-ins at once are still one user.
      return await ledger.change((step) => record(step, person));
    },

    noteSignIn(uid, atMs) {
      const user = byUid.get(uid);
      if (user && user.signedInMs < atMs) byUid.set(uid, { ...user, signedInMs: atMs });
    },

    async remove(name, step) {
      const user = mustFind(name);
      await createUserStore(step.trx).remove(user.uid);
      step.after(() => byUid.delete(user.uid));
    },
  };

  async function read(trx: Kysely<Tables>): Promise<() => Difference> {
    const store = createUserStore(trx);
    const loaded = await store.load(horizon);
    const isCounted = loaded.count === byUid.size + loaded.users.filter(({ uid }) => !byUid.has(uid)).length;
    // Somebody was removed, or the database is another one.
    const { users, isAll } = loaded.isAll || isCounted ? loaded : await store.load(undefined);
    return () => {
      horizon = loaded.horizon;
      const differences = users.map(take);
      if (isAll && users.length < byUid.size) {
        const there = new Set(users.map(({ uid }) => uid));
        for (const uid of byUid.keys()) if (!there.has(uid)) byUid.delete(uid);
        return "less";
      }
      return differences.find((one) => one === "less") ?? differences.find((one) => one === "more") ?? "none";
    };
  }

  /** Groups of users on record give nothing: those of their sessions do. */
  function take(user: UserRecord): Difference {
    const mine = byUid.get(user.uid);
    byUid.set(user.uid, keep(mine, user));
    if (!mine) return "more";
    return mine.name === user.name ? "none" : "less";
  }

  async function record(step: Step, person: NewSignIn): ReturnType<Users["recordSignIn"]> {
    const { issuer, subject, name, groups } = person;
    const known = findAccount(person);
    const now = clock.now();
    const { uid, createdMs } = known ?? { uid: createId("usr"), createdMs: now };
    const holder = find(name);
    if (holder && holder.uid !== uid) throw userErrors.USER_NAME_TAKEN({ name });
    const renamedFrom = known && known.name !== name ? known.name : undefined;
    if (renamedFrom !== undefined) await onRename(renamedFrom, name, step);
    const user: UserRecord = { uid, name, issuer, subject, groups, createdMs, signedInMs: now };
    if (!(await createUserStore(step.trx).put(user))) throw userErrors.USER_NAME_TAKEN({ name });
    step.after(() => byUid.set(uid, user));
    return { user, renamedFrom };
  }

  function findAccount({ issuer, subject }: Pick<NewSignIn, "issuer" | "subject">): UserRecord | undefined {
    return [...byUid.values()].find((one) => one.issuer === issuer && one.subject === subject);
  }

  function find(name: string): UserRecord | undefined {
    return [...byUid.values()].find((one) => one.name === name);
  }

  function mustFind(name: string): UserRecord {
    const user = find(name);
    if (!user) throw userErrors.USER_NOT_FOUND();
    return user;
  }
}

type Known = Pick<UserRecord, "name" | "groups">;

function isSame(one: Known, other: Known): boolean {
  return one.name === other.name && isSameList(one.groups, other.groups);
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** A sign-in that is on its way to the database may be newer here. */
function keep(mine: UserRecord | undefined, theirs: UserRecord): UserRecord {
  if (!mine || !isSame(mine, theirs)) return theirs;
  return mine.signedInMs >= theirs.signedInMs ? mine : theirs;
}
