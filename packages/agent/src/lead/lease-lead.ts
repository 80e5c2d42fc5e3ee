// Leader election over a Lease, by the rules that Kubernetes' own components follow: a candidate writes its name and
// renews it; others take over when they haven't seen it change for its whole duration, by their own clocks. A leader
// that can't renew stops well before that. The hub refuses by epoch what still slips through (a paused process).
import { type Clock, sleep } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { createTermHolder } from "./hold-term.ts";
import { epochMsOf, type Lease, type LeaseSpec, letGo, renew, takeOver } from "./lease.ts";
import type { Lead } from "./types.ts";

export interface LeaseTimes {
  readonly durationMs: number;
  /** Without a renewal for so long the lead is given up. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export interface LeadLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface LeaseLeadOptions {
  readonly client: KubeClient;
  /** In the namespace of the client. */
  readonly name: string;
  /** Another one for each process. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: LeadLog;
  readonly times?: LeaseTimes;
  readonly random?: () => number;
}

export function createLeaseLead(options: LeaseLeadOptions): Lead {
  const { client, name, identity, clock, log, times = defaultTimes, random = Math.random } = options;
  const { namespace } = client.access;
  const folder = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${folder}/${encodeURIComponent(name)}`;
  const holder = createTermHolder();
  /** The Lease as it was last seen, and since when by our clock it has been so. */
  let seen: { readonly lease: Lease; readonly sinceMs: number } | undefined;
  let cancelDeadline: (() => void) | undefined;
  let isFailing = false;
  return {
    get current() {
      return holder.current;
    },
    untilLeading: holder.untilLeading,
    run,
  };

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await step(signal).then(recovered, (error: unknown) => signal.aborted || failed(error));
      await sleep(times.retryMs * (0.9 + random() / 5), { clock, signal }).catch(() => undefined);
    }
    const isLeading = holder.current !== undefined;
    lose("The agent is stopping.");
    if (isLeading) await release().catch(() => undefined);
  }

  async function step(signal: AbortSignal): Promise<void> {
    if (holder.current) return renewLead(signal);
    const found = await find(signal);
    if (!found) return takeWith({ method: "POST", path: folder, lease: emptyLease(name) }, signal);
    if (found.metadata.resourceVersion !== seen?.lease.metadata.resourceVersion) {
      seen = { lease: found, sinceMs: clock.steadyMs() };
    }
    if (isFree(found.spec ?? {}, seen?.sinceMs ?? 0)) await takeWith({ method: "PUT", path, lease: found }, signal);
  }

  function isFree(spec: LeaseSpec, sinceMs: number): boolean {
    if (!spec.holderIdentity) return true;
    return clock.steadyMs() - sinceMs >= (spec.leaseDurationSeconds ?? 0) * 1000;
  }

  async function takeWith(
    write: { method: "POST" | "PUT"; path: string; lease: Lease },
    signal: AbortSignal,
  ): Promise<void> {
    const fromMs = clock.steadyMs();
    const { durationMs } = times;
    const spec = takeOver(write.lease.spec ?? {}, { identity, nowMs: clock.now(), durationMs });
    const lease = await put(write.method, write.path, { ...write.lease, spec }, signal);
    if (!lease || signal.aborted) return;
    seen = { lease, sinceMs: fromMs };
    extend(fromMs);
    holder.begin(BigInt(epochMsOf(spec)));
    log.info({ lease: `${namespace}/${name}` }, "this agent leads in its cluster");
  }

  async function renewLead(signal: AbortSignal): Promise<void> {
    if (!seen) return;
    const fromMs = clock.steadyMs();
    const mine = seen.lease;
    const lease = await put("PUT", path, { ...mine, spec: renew(mine.spec ?? {}, clock.now()) }, signal);
    if (lease) {
      seen = { lease, sinceMs: fromMs };
      if (holder.current) extend(fromMs);
      return;
    }
    // Someone wrote meanwhile: another leader, or only labels.
    const found = await find(signal);
    if (found?.spec?.holderIdentity === identity) seen = { lease: found, sinceMs: fromMs };
    else lose("Another agent leads now.");
  }

  /** Undefined when someone else wrote first. */
  async function put(
    method: "POST" | "PUT",
    to: string,
    lease: Lease,
    signal: AbortSignal,
  ): Promise<Lease | undefined> {
    try {
      return await client.request<Lease>({
        method,
        path: to,
        body: lease,
        signal,
        timeoutMs: times.renewDeadlineMs / 2,
      });
    } catch (error) {
      if (kubeErrors.is(error, ...lostRaces)) return undefined;
      throw error;
    }
  }

  async function find(signal?: AbortSignal): Promise<Lease | undefined> {
    try {
      return await client.request<Lease>({ path, signal, timeoutMs: times.renewDeadlineMs / 2 });
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
      throw error;
    }
  }

  /** From when the renewal was asked for: that is the earliest time others may have seen it. */
  function extend(fromMs: number): void {
    cancelDeadline?.();
    const leftMs = Math.max(0, fromMs + times.renewDeadlineMs - clock.steadyMs());
    cancelDeadline = clock.after(leftMs, () => lose("The lead couldn't be renewed in time."));
  }

  function lose(reason: string): void {
    cancelDeadline?.();
    cancelDeadline = undefined;
    if (!holder.current) return;
    holder.end(reason);
    log.info({ reason }, "this agent stands by");
  }

  async function release(): Promise<void> {
    const lease = await find();
    if (lease?.spec?.holderIdentity !== identity) return;
    await client.request({
      method: "PUT",
      path,
      body: { ...lease, spec: letGo(lease.spec, clock.now()) },
      timeoutMs: 2_000,
    });
  }

  function recovered(): void {
    isFailing = false;
  }

  function failed(error: unknown): void {
    if (!isFailing) log.warn({ err: error, lease: `${namespace}/${name}` }, "the lead can't be asked for");
    isFailing = true;
  }
}

function emptyLease(name: string): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } };
}

const lostRaces = ["KUBE_CONFLICT", "KUBE_ALREADY_EXISTS", "KUBE_NOT_FOUND"] as const;
const defaultTimes: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
