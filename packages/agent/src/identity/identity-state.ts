// The states of an agent's own identity.
//
//   unread ──read──► unenrolled ──enrolled──► held ──rejected──► rejected
//      └────read────────────────────────────►  ▲ │ renewed          │
//                                              │ └──────┘           │
//                                              └────── enrolled ────┘
//
// A key is `pending` from before its token is spent until its certificate is stored. A certificate that couldn't be
// stored is still good for this process (`isSaved` is false), and is newer than the one in the storage.
import type { FairleadError } from "@fairlead/kernel";
import type { IssuedIdentity, PendingIdentity, StoredIdentity } from "./storage.ts";

export type IdentityState =
  | { readonly is: "unread" }
  | { readonly is: "unenrolled"; readonly pending: PendingIdentity | undefined }
  | ({ readonly is: "held" } & Holding)
  /** The hub said that it isn't good any more. */
  | ({ readonly is: "rejected"; readonly rejection: FairleadError } & Holding);

interface Holding {
  readonly issued: IssuedIdentity;
  readonly pending: PendingIdentity | undefined;
  readonly isSaved: boolean;
}

export type IdentityEvent =
  | { readonly type: "read"; readonly stored: StoredIdentity }
  /** A key for a token was stored; what else the storage has comes with it. */
  | { readonly type: "began"; readonly stored: StoredIdentity }
  /** This process got a certificate, or another replica did with the same token and has stored it. */
  | { readonly type: "enrolled"; readonly issued: IssuedIdentity; readonly isSaved: boolean }
  /** A newer certificate for the same key. */
  | { readonly type: "renewed"; readonly issued: IssuedIdentity }
  | { readonly type: "saved"; readonly issued: IssuedIdentity }
  | { readonly type: "rejected"; readonly error: FairleadError };

/** The state after an event; the same one where it means nothing. */
export function nextIdentityState(state: IdentityState, event: IdentityEvent): IdentityState {
  switch (event.type) {
    case "read":
      return state.is === "unread" ? fromStorage(event.stored) : state;
    case "began":
      return begin(state, event.stored);
    case "enrolled": {
      const { issued, isSaved } = event;
      return { is: "held", issued, isSaved, pending: isSaved ? undefined : pendingFor(state, issued) };
    }
    case "renewed": {
      const { issued } = event;
      const renewed = { issued, pending: pendingFor(state, issued), isSaved: false };
      return isHolding(state) ? { ...state, ...renewed } : state;
    }
    case "saved":
      if (!isHolding(state) || state.issued !== event.issued) return state;
      return { ...state, pending: undefined, isSaved: true };
    case "rejected": {
      if (!isHolding(state)) return state;
      const { issued, pending, isSaved } = state;
      return { is: "rejected", rejection: event.error, issued, pending, isSaved };
    }
  }
}

export function issuedOf(state: IdentityState): IssuedIdentity | undefined {
  return isHolding(state) ? state.issued : undefined;
}

function isHolding(state: IdentityState): state is Extract<IdentityState, Holding> {
  return state.is === "held" || state.is === "rejected";
}

function fromStorage({ issued, pending }: StoredIdentity): IdentityState {
  return issued === undefined ? { is: "unenrolled", pending } : { is: "held", issued, pending, isSaved: true };
}

function begin(state: IdentityState, stored: StoredIdentity): IdentityState {
  if (!isHolding(state)) return fromStorage(stored);
  const { pending, issued = state.issued } = stored;
  return state.isSaved ? { ...state, pending, issued } : { ...state, pending };
}

function pendingFor(state: IdentityState, { tokenId }: IssuedIdentity): PendingIdentity | undefined {
  const pending = state.is === "unread" ? undefined : state.pending;
  return pending?.tokenId === tokenId ? pending : undefined;
}
