// Stand-ins for the rooms that the proxy asks: an access that tests can change, and an audit that remembers.
import type { Link, OpenHead } from "@fairlead/protocol";
import type { Decision } from "../../people/access/index.ts";
import type { AuditOutcome, AuditPort, AuditStart } from "../../people/audit/index.ts";
import type { AccessPort, Caller, ProxyLink } from "./ports.ts";

export interface TestAccess extends AccessPort {
  /** Changes what holds from now on, and says so. */
  change(changes: { readonly signedOut?: boolean; readonly decide?: AccessPort["authorize"] }): void;
}

/** `Bearer good` is alice, and she may do everything until told otherwise. */
export function createTestAccess(decide: AccessPort["authorize"] = allowAll): TestAccess {
  const listeners = new Set<() => void>();
  let signedOut = false;
  let authorize = decide;
  return {
    authenticate(authorization) {
      if (authorization !== "Bearer good") throw Object.assign(new Error("not signed in"));
      return alice;
    },
    authorize: (request) => authorize(request),
    isSignedIn: () => !signedOut,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(changes) {
      signedOut = changes.signedOut ?? signedOut;
      authorize = changes.decide ?? authorize;
      for (const listener of listeners) listener();
    },
  };
}

export const alice: Caller = { kind: "user", name: "alice", uid: "usr_1", groups: [], sessionId: "ses_1" };

export function allowAll(request: Parameters<AccessPort["authorize"]>[0]): Decision {
  const { principal, impersonate } = request;
  const identity = impersonate
    ? { user: impersonate.user, groups: impersonate.groups, actor: principal.name }
    : { user: principal.name, uid: principal.uid, groups: ["fairlead:operators"] };
  return { allowed: true, identity, record: false };
}

export function deny(reason: string): AccessPort["authorize"] {
  return () => ({ allowed: false, reason });
}

export interface TestAudit extends AuditPort {
  readonly records: readonly { readonly start: AuditStart; readonly outcome?: AuditOutcome }[];
}

export function createTestAudit(): TestAudit {
  const records: { start: AuditStart; outcome?: AuditOutcome }[] = [];
  return {
    records,
    begin(start) {
      const record: { start: AuditStart; outcome?: AuditOutcome } = { start };
      records.push(record);
      const end = (outcome: AuditOutcome): void => {
        if (record.outcome) throw new Error("ended twice");
        record.outcome = outcome;
      };
      return { end, endSafely: async (outcome) => end(outcome) };
    },
  };
}

/** A link that notes what is opened on it. */
export function spyOn(link: Link, opened: OpenHead[]): ProxyLink {
  const spied: Link = Object.create(link, {
    openStream: {
      value: (open: OpenHead, handlers: Parameters<Link["openStream"]>[1]) => {
        opened.push(open);
        return link.openStream(open, handlers);
      },
    },
  });
  return { link: spied, hello: { capabilities: ["identity"] } };
}
