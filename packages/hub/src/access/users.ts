// People whom the identity provider vouches for. A name belongs to one account there for as long as the user is on
// record: an address that is given to someone else later brings them none of the old one's rights.
import { type Clock, createId } from "@fairlead/kernel";
import { userNameTaken, userNotFound } from "./subject-errors.ts";
import type { UserRecord, UserStore } from "./user-store.ts";

export interface Users {
  has(uid: string): boolean;
  list(): UserRecord[];
  find(name: string): UserRecord | undefined;
  /** Throws USER_NOT_FOUND. */
  get(name: string): UserRecord;
  /** At each sign-in. `renamedFrom` when the account has another name now. Throws USER_NAME_TAKEN. */
  recordSignIn(person: {
    readonly issuer: string;
    readonly subject: string;
    readonly name: string;
    readonly groups: readonly string[];
  }): Promise<{ readonly user: UserRecord; readonly renamedFrom: string | undefined }>;
  remove(name: string): Promise<UserRecord>;
}

export async function openUsers(options: { readonly store: UserStore; readonly clock: Clock }): Promise<Users> {
  const { store, clock } = options;
  const byUid = new Map((await store.load()).map((user) => [user.uid, user]));

  return {
    has: (uid) => byUid.has(uid),
    list: () => [...byUid.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    find,
    get: mustFind,

    async recordSignIn({ issuer, subject, name, groups }) {
      const known = [...byUid.values()].find((one) => one.issuer === issuer && one.subject === subject);
      const now = clock.now();
      const { uid, createdMs } = known ?? { uid: createId("usr"), createdMs: now };
      const user: UserRecord = { uid, name, issuer, subject, groups, createdMs, signedInMs: now };
      if (!(await store.put(user))) throw userNameTaken(name);
      byUid.set(uid, user);
      return { user, renamedFrom: known && known.name !== name ? known.name : undefined };
    },

    async remove(name) {
      const user = mustFind(name);
      await store.remove(user.uid);
      byUid.delete(user.uid);
      return user;
    },
  };

  function find(name: string): UserRecord | undefined {
    return [...byUid.values()].find((one) => one.name === name);
  }

  function mustFind(name: string): UserRecord {
    const user = find(name);
    if (!user) throw userNotFound();
    return user;
  }
}
