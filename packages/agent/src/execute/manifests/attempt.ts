import { Backoff, isFairleadError, sleep } from "@fairlead/kernel";
import { kubeErrors, retryAfterMs } from "@fairlead/kube";
import { policyErrors } from "../../policy/index.ts";
import { executeErrors } from "../errors.ts";
import type { Task } from "../types.ts";

type Attempting = Pick<Task<unknown>, "signal" | "forced" | "mayAct" | "clock">;

/** Reads something, again and again while the API server is away or wants to be left alone, within bounds. */
export function read<T>(task: Attempting, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return attempt(task, async () => {
    task.signal.throwIfAborted();
    return ask(task.signal);
  });
}

/**
 * Does something to the cluster that may be done twice. It isn't cut off by a graceful cancel: nobody would know what came
 * of it.
 */
export function act<T>(
  task: Attempting,
  effect: (signal: AbortSignal) => Promise<T>,
  options: { readonly repair?: boolean } = {},
): Promise<T> {
  return attempt(task, async () => {
    task.mayAct(options);
    return effect(task.forced);
  });
}

/** True for what ends the whole run: it isn't the fault of the object at hand. */
export function isInterruption(task: Attempting, error: unknown): boolean {
  if (executeErrors.is(error, "COMMAND_LEASE_LOST", "COMMAND_CANCELLED", "COMMAND_AGENT_STOPS")) return true;
  return [task.signal, task.forced].some((signal) => signal.aborted && signal.reason === error);
}

/** By the cluster's RBAC, or by the agent's own policy. */
export function isDenied(error: unknown): boolean {
  return kubeErrors.is(error, "KUBE_FORBIDDEN") || policyErrors.is(error, "POLICY_DENIED");
}

async function attempt<T>(task: Attempting, once: () => Promise<T>): Promise<T> {
  const backoff = new Backoff({ baseMs: 250, maxMs: 10_000 });
  const startedAtMs = task.clock.steadyMs();
  for (let attempts = 1; ; attempts++) {
    try {
      return await once();
    } catch (error) {
      if (attempts === maxAttempts || isInterruption(task, error) || !mayPass(error)) throw error;
      const delayMs = Math.max(backoff.nextMs(), isFairleadError(error) ? retryAfterMs(error) : 0);
      if (task.clock.steadyMs() + delayMs - startedAtMs > maxTotalMs) throw error;
      await sleep(delayMs, { clock: task.clock, signal: task.signal });
    }
  }
}

/** A token may be over a moment before its successor is read. */
function mayPass(error: unknown): boolean {
  return kubeErrors.is(error) && (error.retryable || kubeErrors.is(error, "KUBE_UNAUTHORIZED"));
}

const maxAttempts = 8;
const maxTotalMs = 90_000;
