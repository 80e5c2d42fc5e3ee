import { FairleadError } from "@fairlead/kernel";
import { describe, expect, it } from "vitest";
import { type IdentityEvent, type IdentityState, issuedOf, nextIdentityState } from "./identity-state.ts";
import type { IssuedIdentity, PendingIdentity } from "./storage.ts";

const identity = (tokenId: string, certificateChainPem: string): IssuedIdentity => ({
  keyPem: `key of ${tokenId}`,
  tokenId,
  cluster: "east",
  roles: ["proxy"],
  certificateChainPem,
  caPem: "ca",
});
const old = identity("t1", "old");
const next = identity("t2", "next");
const stored = identity("t0", "stored");
const newer = identity("t1", "newer");
const pending: PendingIdentity = { keyPem: "key of t2", tokenId: "t2" };
const before = new FairleadError({ code: "IDENTITY_EXPIRED", message: "expired" });
const error = new FairleadError({ code: "IDENTITY_REVOKED", message: "revoked" });

const held = { is: "held" as const, issued: old, pending: undefined, isSaved: true };
const unsaved = { ...held, isSaved: false };
const rejected = { ...held, is: "rejected" as const, rejection: before, pending };
const states: Readonly<Record<string, IdentityState>> = {
  unread: { is: "unread" },
  unenrolled: { is: "unenrolled", pending: undefined },
  "unenrolled with a key": { is: "unenrolled", pending },
  held,
  "held and unsaved": unsaved,
  rejected,
};
const events: Readonly<Record<string, IdentityEvent>> = {
  "nothing is read": { type: "read", stored: {} },
  "one is read": { type: "read", stored: { issued: stored, pending } },
  "a first one began": { type: "began", stored: { pending } },
  "another one began": { type: "began", stored: { issued: stored, pending } },
  "we enrolled": { type: "enrolled", issued: next, isSaved: false },
  "a replica enrolled": { type: "enrolled", issued: next, isSaved: true },
  "it is renewed": { type: "renewed", issued: newer },
  "it is saved": { type: "saved", issued: old },
  "another one is saved": { type: "saved", issued: newer },
  "it is rejected": { type: "rejected", error },
};
const read: IdentityState = { is: "held", issued: stored, pending, isSaved: true };
const empty: IdentityState = { is: "unenrolled", pending: undefined };
const begun: IdentityState = { is: "unenrolled", pending };
const mine = (key: PendingIdentity | undefined): IdentityState => ({
  is: "held",
  issued: next,
  pending: key,
  isSaved: false,
});
const theirs: IdentityState = { is: "held", issued: next, pending: undefined, isSaved: true };
const refused = { is: "rejected" as const, rejection: error };
/** An event that isn't listed changes nothing. */
const moves: Readonly<Record<string, Readonly<Record<string, IdentityState>>>> = {
  unread: {
    "nothing is read": empty,
    "one is read": read,
    "a first one began": begun,
    "another one began": read,
    "we enrolled": mine(undefined),
    "a replica enrolled": theirs,
  },
  unenrolled: {
    "a first one began": begun,
    "another one began": read,
    "we enrolled": mine(undefined),
    "a replica enrolled": theirs,
  },
  "unenrolled with a key": {
    "a first one began": begun,
    "another one began": read,
    "we enrolled": mine(pending),
    "a replica enrolled": theirs,
  },
  held: {
    "a first one began": { ...held, pending },
    "another one began": { ...held, issued: stored, pending },
    "we enrolled": mine(undefined),
    "a replica enrolled": theirs,
    "it is renewed": { ...held, issued: newer, isSaved: false },
    "it is rejected": { ...held, ...refused },
  },
  "held and unsaved": {
    // The storage has an older one than we do.
    "a first one began": { ...unsaved, pending },
    "another one began": { ...unsaved, pending },
    "we enrolled": mine(undefined),
    "a replica enrolled": theirs,
    "it is renewed": { ...unsaved, issued: newer },
    "it is saved": held,
    "it is rejected": { ...unsaved, ...refused },
  },
  rejected: {
    "another one began": { ...rejected, issued: stored },
    "we enrolled": mine(pending),
    "a replica enrolled": theirs,
    "it is renewed": { ...rejected, issued: newer, pending: undefined, isSaved: false },
    "it is saved": { ...rejected, pending: undefined },
    "it is rejected": { ...rejected, ...refused },
  },
};

describe.each(Object.entries(states))("an identity that is %s", (name, state) => {
  it.each(Object.entries(events))("when %s", (what, event) => {
    expect(nextIdentityState(state, event)).toEqual(moves[name]?.[what] ?? state);
  });
});

it("is there to connect with from enrollment on, even when it was rejected", () => {
  expect(Object.values(states).map(issuedOf)).toEqual([undefined, undefined, undefined, old, old, old]);
});
