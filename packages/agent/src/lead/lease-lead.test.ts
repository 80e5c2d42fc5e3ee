import { type Clock, FairleadError, onAbort } from "@fairlead/kernel";
import type { KubeClient, KubeRequest } from "@fairlead/kube";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Lease, LeaseSpec } from "./lease.ts";
import { createLeaseLead } from "./lease-lead.ts";
import { createSoleLead } from "./sole-lead.ts";
import type { Lead } from "./types.ts";

const times = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
let server: ReturnType<typeof createServer>;
let stopping: AbortController;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  server = createServer();
  stopping = new AbortController();
});
afterEach(() => {
  stopping.abort();
  vi.useRealTimers();
});

test("of several one leads, and the others only after it is gone for as long as its lease lasts", async () => {
  const [a, b] = [stand("a"), stand("b")];
  await pass(3_000);
  expect([a, b].filter(({ lead }) => lead.current)).toHaveLength(1);
  const [leader, standby] = a.lead.current ? [a, b] : [b, a];
  const epoch = leader.lead.current?.epoch ?? 0n;
  await pass(60_000);
  expect(leader.lead.current?.epoch).toBe(epoch);

  leader.isCut = true;
  const { signal } = leader.lead.current ?? {};
  await pass(11_000);
  expect(leader.lead.current).toBeUndefined();
  expect(signal?.aborted).toBe(true);
  expect(standby.lead.current).toBeUndefined();
  await pass(10_000);
  expect(standby.lead.current?.epoch).toBeGreaterThan(epoch);
  leader.isCut = false;
  await pass(30_000);
  expect(leader.lead.current).toBeUndefined();
});

test.each([25, -25])(
  "a clock that is set by %i hours takes the lead from nobody, and gives it to nobody",
  async (hours) => {
    const [a, b] = [stand("a"), stand("b")];
    await pass(3_000);
    const [leader, standby] = a.lead.current ? [a, b] : [b, a];
    const epoch = leader.lead.current?.epoch;
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    await pass(60_000);
    expect(leader.lead.current?.epoch).toBe(epoch);
    expect(standby.lead.current).toBeUndefined();
  },
);

test("a leader that stops lets go, and the next one leads at once", async () => {
  const first = stand("first");
  await pass(1);
  const second = stand("second");
  const epoch = first.lead.current?.epoch ?? 0n;
  first.stopping.abort();
  await pass(2_500);
  expect(first.lead.current).toBeUndefined();
  expect(second.lead.current?.epoch).toBeGreaterThan(epoch);
});

test("a leader whose Lease was taken stops as soon as it looks", async () => {
  const { lead } = stand("a");
  await pass(1);
  const { signal } = lead.current ?? {};
  server.write({ holderIdentity: "thief", leaseDurationSeconds: 15 });
  await pass(2_500);
  expect([lead.current, signal?.aborted]).toEqual([undefined, true]);
});

test("a change of nothing but the Lease's labels doesn't end a lead", async () => {
  const { lead } = stand("a");
  await pass(1);
  const term = lead.current;
  server.write(server.lease?.spec ?? {});
  await pass(20_000);
  expect(lead.current).toBe(term);
});

test("epochs grow when clocks go back, and when the Lease was deleted in between", async () => {
  const first = stand("first");
  await pass(1);
  const epoch = first.lead.current?.epoch ?? 0n;
  first.stopping.abort();
  await pass(1);
  vi.setSystemTime(Date.UTC(2025, 0, 1));
  const second = stand("second");
  await pass(1);
  expect(second.lead.current?.epoch).toBe(epoch + 1n);
  second.stopping.abort();
  await pass(1);
  vi.setSystemTime(Date.UTC(2026, 1, 1));
  server.lease = undefined;
  const third = stand("third");
  await pass(1);
  expect(third.lead.current?.epoch).toBeGreaterThan(epoch + 1n);
});

test("who waits gets the term when it begins, and an abort ends the wait", async () => {
  server.write({ holderIdentity: "other", leaseDurationSeconds: 15 });
  const { lead } = stand("a");
  const impatient = new AbortController();
  const waiting = lead.untilLeading(stopping.signal);
  const givenUp = expect(lead.untilLeading(impatient.signal)).rejects.toThrow("no longer");
  await pass(1_000);
  impatient.abort(new Error("no longer"));
  await pass(20_000);
  await givenUp;
  expect(await waiting).toBe(lead.current);
});

test("an agent that is alone leads at once, one that starts later with a higher epoch", async () => {
  const clock = fakeClock();
  const first = createSoleLead({ clock });
  const second = createSoleLead({ clock });
  void first.run(stopping.signal);
  await pass(5);
  void second.run(stopping.signal);
  expect(second.current?.epoch).toBeGreaterThan(first.current?.epoch ?? 0n);
  const { signal } = first.current ?? {};
  stopping.abort();
  await pass(1);
  expect([first.current, signal?.aborted]).toEqual([undefined, true]);
});

function stand(identity: string): { lead: Lead; isCut: boolean; stopping: AbortController } {
  const log = { info: () => undefined, warn: () => undefined };
  const own = new AbortController();
  onAbort(stopping.signal, () => own.abort());
  const access = { namespace: "fairlead" } as KubeClient["access"];
  const candidate = { lead: undefined as unknown as Lead, isCut: false, stopping: own };
  const client = { access, request } as unknown as KubeClient;
  candidate.lead = createLeaseLead({ client, name: "observe", identity, clock: fakeClock(), log, times });
  void candidate.lead.run(own.signal);
  return candidate;

  async function request(call: KubeRequest): Promise<Lease> {
    if (candidate.isCut) throw new FairleadError({ code: "KUBE_UNREACHABLE", message: "cut" });
    return server.handle(call);
  }
}

/** Treats a Lease as an API server does: versions, conflicts, not found. */
function createServer(): {
  lease: Lease | undefined;
  write(spec: LeaseSpec): void;
  handle(call: KubeRequest): Lease;
} {
  let version = 0;
  const self = {
    lease: undefined as Lease | undefined,
    write(spec: LeaseSpec): void {
      const metadata = { name: "observe", resourceVersion: String(++version) };
      self.lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
    },
    handle({ method = "GET", body }: KubeRequest): Lease {
      const given = body as Lease | undefined;
      if (method === "POST" && self.lease) throw refusal("KUBE_ALREADY_EXISTS");
      if (method !== "POST" && !self.lease) throw refusal("KUBE_NOT_FOUND");
      if (method === "PUT" && given?.metadata.resourceVersion !== self.lease?.metadata.resourceVersion) {
        throw refusal("KUBE_CONFLICT");
      }
      if (method !== "GET") self.write(given?.spec ?? {});
      return structuredClone(self.lease) as Lease;
    },
  };
  return self;
}

function refusal(code: "KUBE_ALREADY_EXISTS" | "KUBE_NOT_FOUND" | "KUBE_CONFLICT"): FairleadError {
  return new FairleadError({ code, message: code });
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

function fakeClock(): Clock {
  return {
    now: () => Date.now(),
    steadyMs: () => performance.now(),
    after(delayMs, callback) {
      const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}
