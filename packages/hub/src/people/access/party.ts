// Who counts as one where several have to decide: a person with all robots that they made.
import type { Principal } from "./policy/index.ts";
import type { Access } from "./types.ts";

/** True when one person may be behind both. Each is a list of uids, as `partyOf` gives it. */
export function isOneParty(one: readonly string[], other: readonly string[]): boolean {
  return one.some((uid) => other.includes(uid));
}

/**
 * For what the principal makes. An admin token is no person: whoever shows it could approve anything by other ways, and
 * robots of different teams are made by it.
 */
export function makersOf(access: Pick<Access, "partyOf">, by: Principal): readonly string[] {
  return by.kind === "admin-token" ? [] : access.partyOf(by);
}
