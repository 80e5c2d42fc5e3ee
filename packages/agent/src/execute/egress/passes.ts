// The keys of runs, and the connections that each has through the proxy.
import { randomBytes } from "node:crypto";
import type { FairleadError } from "@fairlead/kernel";
import { type HostAndPort, matchesHost } from "../../policy/index.ts";
import { egressErrors } from "./errors.ts";

export interface EgressRun {
  /** Of the hosts that the policy allows these alone, as the policy writes them; all of them without it. */
  readonly allow?: readonly string[] | undefined;
  /** Why these alone, for people. */
  readonly rule?: string | undefined;
  /** With a coded error. */
  readonly onRefused?: ((host: string, error: FairleadError) => void) | undefined;
}

export interface Pass {
  readonly run: EgressRun;
  /** What is under way. */
  readonly open: Set<Place>;
}

/** A connection's. */
interface Place {
  readonly target: HostAndPort;
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly leave: () => void;
}

export interface Passes {
  issue(run: EgressRun): { readonly key: string; readonly revoke: () => void };
  /** By `Proxy-Authorization`. Throws EGRESS_KEY_INVALID. */
  find(authorization: string | undefined): Pass;
  /** Throws EGRESS_TOO_MANY. */
  enter(pass: Pass, target: HostAndPort): Place;
  endThose(isMeant: (target: HostAndPort) => boolean): void;
  revokeAll(): void;
}

export function createPasses(limits: { readonly perRun: number; readonly inAll: number }): Passes {
  const passes = new Map<string, Pass>();
  let count = 0;
  const revoke = (key: string): void => {
    const pass = passes.get(key);
    passes.delete(key);
    for (const place of pass?.open ?? []) place.abort(egressErrors.EGRESS_KEY_INVALID());
  };
  return {
    issue(run) {
      const key = randomBytes(24).toString("hex");
      passes.set(key, { run, open: new Set() });
      return { key, revoke: () => revoke(key) };
    },
    find(authorization = "") {
      const [, encoded = ""] = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(authorization) ?? [];
      const [, key = ""] = /^run:([0-9a-f]{48})$/.exec(Buffer.from(encoded, "base64").toString("latin1")) ?? [];
      const pass = passes.get(key);
      if (pass === undefined) throw egressErrors.EGRESS_KEY_INVALID();
      return pass;
    },
    enter(pass, target) {
      if (pass.open.size >= limits.perRun)
        throw egressErrors.EGRESS_TOO_MANY({ whose: "The command", limit: limits.perRun });
      if (count >= limits.inAll)
        throw egressErrors.EGRESS_TOO_MANY({ whose: "All commands together", limit: limits.inAll });
      const controller = new AbortController();
      const place: Place = {
        target,
        signal: controller.signal,
        abort: (reason) => controller.abort(reason),
        leave() {
          if (pass.open.delete(place)) count--;
        },
      };
      pass.open.add(place);
      count++;
      return place;
    },
    endThose(isMeant) {
      const open = [...passes.values()].flatMap((pass) => [...pass.open]);
      for (const { target, abort } of open) if (isMeant(target)) abort(new Error("the policy forbids it by now"));
    },
    revokeAll() {
      for (const key of passes.keys()) revoke(key);
    },
  };
}

export function isAmong(allow: readonly string[] | undefined, target: HostAndPort): boolean {
  return allow === undefined || allow.some((pattern) => matchesHost(pattern, target));
}
