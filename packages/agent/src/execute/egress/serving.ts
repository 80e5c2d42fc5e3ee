// What requests and tunnels have in common: a key, a place, a judgement, a connection.
import type { Socket } from "node:net";
import { type Clock, onAbort, toFairleadError } from "@fairlead/kernel";
import type { PolicyKeeper } from "../../policy/index.ts";
import type { Strangers } from "../bound-strangers.ts";
import { egressErrors } from "./errors.ts";
import { type OnwardMeans, openOnward } from "./open-onward.ts";
import { isAmong, type Pass, type Passes } from "./passes.ts";
import type { Target } from "./read-target.ts";

export interface EgressLimits {
  /** Connections of a run. */
  readonly perRun: number;
  /** … and of all. */
  readonly inAll: number;
  /** Connections without a key, or with nothing under way. */
  readonly strangers: number;
  readonly connectMs: number;
  readonly idleMs: number;
}

export interface Serving {
  readonly passes: Passes;
  readonly judgeHost: PolicyKeeper["judgeHost"];
  readonly limits: EgressLimits;
  readonly clock: Clock;
  readonly strangers: Strangers;
  readonly onward: () => OnwardMeans;
}

/** Throws EGRESS_* errors, and tells the run's log. */
export async function reach(serving: Serving, pass: Pass, target: Target, signal: AbortSignal): Promise<Socket> {
  try {
    const isLocal = judge(serving, pass, target);
    using connecting = limitTime(serving, target, signal);
    return await openOnward({ ...serving.onward(), target, isLocal, signal: connecting.signal });
  } catch (thrown) {
    const error = toFairleadError(thrown);
    if (!signal.aborted) pass.run.onRefused?.(target.name, error);
    throw error;
  }
}

function judge({ judgeHost }: Serving, { run }: Pass, target: Target): boolean {
  const verdict = judgeHost(target);
  const { name: host } = target;
  if (!verdict.allowed) throw egressErrors.EGRESS_HOST_REFUSED({ host, rule: verdict.rule, reason: verdict.reason });
  if (isAmong(run.allow, target)) return verdict.isLocal;
  const { rule = "of the command" } = run;
  throw egressErrors.EGRESS_HOST_REFUSED({ host, rule, reason: "the command doesn't name this host" });
}

function limitTime(
  { clock, limits }: Serving,
  { name: host }: Target,
  signal: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const late = egressErrors.EGRESS_UNREACHABLE({ host, reason: `no connection within ${limits.connectMs} ms` });
  const listening = onAbort(signal, (reason) => controller.abort(reason));
  const cancel = clock.after(limits.connectMs, () => controller.abort(late));
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel();
      listening[Symbol.dispose]();
    },
  };
}

/** As text, which programs print. */
export function describeRefusal(thrown: unknown): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const { code, message, hint = "", httpStatus: status } = toFairleadError(thrown);
  const challenge = status === 407 ? { "Proxy-Authenticate": 'Basic realm="fairlead"' } : {};
  const body = `${code}: ${message} ${hint}`.trim().concat("\n");
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", Connection: "close" };
  return { status, body, headers: { ...headers, ...challenge, "Content-Length": String(Buffer.byteLength(body)) } };
}
