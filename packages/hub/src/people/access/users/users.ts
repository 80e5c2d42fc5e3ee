// People whom the identity provider vouches for. A name belongs to one account there for as long as the user is on
// record: an address that is given to someone else later brings them none of the old one's rights.
import { type Clock, createId, createTurns } from "@fairlead/kernel";
import { userErrors } from "./errors.ts";
import type { UserRecord, UserStore } from "./store.ts";

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
  remove(name: string): Promise<void>;
}

export interface NewSignIn {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

export async function openUsers(options: {
  readonly store: UserStore;
  readonly clock: Clock;
  /** Before the old name is free for others. */
  readonly onRename: (from: string, to: string) => Promise<void>;
}): Promise<Users> {
  const { store, clock, onRename } = options;
  const inTurn = createTurns();
  const byUid = new Map((await store.load()).map((user) => [user.uid, user]));

  return {
    has: (uid, name) => byUid.get(uid)?.name === name,
    list: () => [...byUid.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    find,
    account: (uid) => byUid.get(uid),
    get: mustFind,

    // Two first sign-ins at once are still one user.
    recordSignIn: (person) => inTurn(() => record(person)),

    remove: (name) =>
      inTurn(async () => {
        const user = mustFind(name);
        await store.remove(user.uid);
        byUid.delete(user.uid);
      }),
  };

  async function record({ issuer, subject, name, groups }: NewSignIn): ReturnType<Users["recordSignIn"]> {
    const known = [...byUid.values()].find((one) => one.issuer === issuer && one.subject === subject);
    const now = clock.now();
    const { uid, createdMs } = known ?? { uid: createId("usr"), createdMs: now };
    const holder = find(name);
    if (holder && holder.uid !== uid) throw userErrors.USER_NAME_TAKEN({ name });
    const renamedFrom = known && known.name !== name ? known.name : undefined;
    if (renamedFrom !== undefined) await onRename(renamedFrom, name);
    const user: UserRecord = { uid, name, issuer, subject, groups, createdMs, signedInMs: now };
    if (!(await store.put(user))) throw userErrors.USER_NAME_TAKEN({ name });
    byUid.set(uid, user);
    return { user, renamedFrom };
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
