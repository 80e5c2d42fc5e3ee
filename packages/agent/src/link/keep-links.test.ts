import { FairleadError } from "@fairlead/kernel";
import { createMovableClock, createSkippingClock } from "@fairlead/kernel/testing";
import type { GoAway, Link, LinkClosed } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import type { IdentityKeeper } from "../identity/index.ts";
import { createLinkKeeper, type LinkKeeper } from "./keep-links.ts";

const issued = { keyPem: "", tokenId: "t", cluster: "east", roles: [], certificateChainPem: "", caPem: "" };

interface FakeLink extends Link {
  end(closed: LinkClosed): void;
}

function fakeLink(): FakeLink {
  let end: (closed: LinkClosed) => void = () => undefined;
  const closed = new Promise<LinkClosed>((resolve) => {
    end = resolve;
  });
  const stats = { bytes: { received: 10, sent: 5 } } as ReturnType<Link["stats"]>;
  return {
    closed,
    end,
    close: () => end({ reason: "closed-by-us" }),
    stats: () => stats,
    onGoAway: undefined,
  } as unknown as FakeLink;
}

/** Only the keeper's own pauses are waited for, not stability. */
const stableMs = 5_000;

function startKeeper(options: { dial: () => Promise<Link>; identity?: Partial<IdentityKeeper> }): {
  keeper: LinkKeeper;
  run: Promise<void>;
  stop: AbortController;
  waits: readonly number[];
  log: { info: ReturnType<typeof vi.fn>; warn: ReturnType<typeof vi.fn>; error: ReturnType<typeof vi.fn> };
} {
  const stop = new AbortController();
  const clock = createSkippingClock({ isHeld: (delayMs) => delayMs === stableMs });
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const identity = {
    ensure: async () => issued,
    current: issued,
    reject: () => undefined,
    hasNewToken: async () => false,
    ...options.identity,
  } as IdentityKeeper;
  const welcome = {
    hubInstanceId: "h",
    hubVersion: "1",
    cluster: "east",
    protocolVersion: 1,
    capabilities: [],
    clockSkewMs: 0,
    commandKeys: [],
  };
  const keeper = createLinkKeeper({
    identity,
    dial: options.dial,
    hello: async () => welcome,
    clock,
    log,
    signal: stop.signal,
    random: () => 0.999,
  });
  const run = keeper.run();
  run.catch(() => undefined);
  return { keeper, run, stop, waits: clock.waits, log };
}

const unreachable = (code?: string): never => {
  const cause = Object.assign(new Error("connect"), code === undefined ? {} : { code });
  throw new FairleadError({ code: "LINK_UNREACHABLE", message: "nobody there", retryable: true, cause });
};

test.each([
  ["answers too slowly", undefined, [499, 999, 1998, 3996, 7992], 8_000],
  ["nobody is in place of", "ECONNREFUSED", [499, 999, 1998, 1999, 1999], 2_000],
])("a hub that %s is tried at once, soon, and then up to every 30 s", async (_what, code, first, mostMs) => {
  let dials = 0;
  const { stop, run, waits } = startKeeper({
    dial: async () => {
      if (++dials === 90) stop.abort();
      return unreachable(code);
    },
  });
  await run;
  expect(waits.slice(0, 5)).toEqual(first);
  // For two minutes nobody draws a long wait; after them the full range is used.
  expect(Math.max(...waits.slice(0, 15))).toBeLessThanOrEqual(mostMs);
  expect(Math.max(...waits)).toBe(29_970);
});

test("an address that isn't the agents' is said once, and asked again about once a minute", async () => {
  let dials = 0;
  const { stop, run, waits, log } = startKeeper({
    dial: async () => {
      if (++dials === 4) stop.abort();
      const about = { code: "API_LISTENER_WRONG", message: "This address is for people.", hint: "Give another --hub." };
      throw new FairleadError({ ...about, httpStatus: 421 });
    },
  });
  await run;
  expect(log.error.mock.calls).toEqual([
    [expect.objectContaining({ hint: "Give another --hub." }), expect.stringMatching(/^This address is for people\. /)],
  ]);
  expect(log.warn).not.toHaveBeenCalled();
  expect(waits.filter((waitMs) => waitMs > 60_000)).toHaveLength(3);
});

test("after a link ends the next one opens, and both count", async () => {
  const links: FakeLink[] = [];
  const { keeper, stop, run } = startKeeper({
    dial: async () => {
      const link = fakeLink();
      links.push(link);
      return link;
    },
  });
  await vi.waitFor(() => expect(keeper.connects).toBe(1));
  links[0]?.end({ reason: "dead-peer", silentMs: 25_000 });
  await vi.waitFor(() => expect(keeper.connects).toBe(2));
  expect(keeper.current).toBe(links[1]);
  expect(keeper).toMatchObject({ connects: 2, closedBytes: { received: 10, sent: 5 } });
  expect([...keeper.all]).toEqual([links[1]]);
  stop.abort();
  await run;
});

test("GOAWAY opens the next link first and leaves the old one to drain", async () => {
  const links: FakeLink[] = [];
  const { keeper, stop, run } = startKeeper({
    dial: async () => {
      const link = fakeLink();
      links.push(link);
      return link;
    },
  });
  await vi.waitFor(() => expect(keeper.connects).toBe(1));
  links[0]?.onGoAway?.({ reason: "hub is stopping", drainMs: 30_000 } satisfies GoAway);
  await vi.waitFor(() => expect(keeper.connects).toBe(2));
  expect(keeper.current).toBe(links[1]);
  expect([...keeper.all]).toEqual([links[0], links[1]]);
  links[0]?.end({ reason: "closed-by-peer", code: 1001, text: "" });
  await vi.waitFor(() => expect([...keeper.all]).toEqual([links[1]]));
  stop.abort();
  await run;
});

test("GOAWAY right behind the hub's welcome isn't missed", async () => {
  const links: FakeLink[] = [];
  const { keeper, stop, run, log } = startKeeper({
    dial: async () => {
      const link = fakeLink();
      links.push(link);
      return link;
    },
  });
  log.info.mockImplementationOnce(() => links[0]?.onGoAway?.({ reason: "hub is stopping", drainMs: 30_000 }));
  await vi.waitFor(() => expect(keeper.connects).toBe(2));
  expect(keeper.current).toBe(links[1]);
  stop.abort();
  await run;
});

test("a first enrollment that the hub refuses ends the agent", async () => {
  const refused = new FairleadError({ code: "ENROLL_TOKEN_EXPIRED", message: "over", httpStatus: 401 });
  const { run } = startKeeper({
    dial: async () => unreachable(),
    identity: { current: undefined, ensure: () => Promise.reject(refused) },
  });
  await expect(run).rejects.toBe(refused);
});

test("a revoked identity is said once in a while, and a new token ends the wait", async () => {
  const revoked = new FairleadError({
    code: "IDENTITY_REVOKED",
    message: "revoked",
    hint: "new token",
    httpStatus: 403,
  });
  const reject = vi.fn();
  let polls = 0;
  let dials = 0;
  const { keeper, stop, run, log } = startKeeper({
    dial: async () => {
      if (++dials === 1) throw revoked;
      return fakeLink();
    },
    identity: { reject, hasNewToken: async () => ++polls > 5 },
  });
  await vi.waitFor(() => expect(keeper.connects).toBe(1));
  expect(reject).toHaveBeenCalledWith(revoked);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect(log.error.mock.calls[0]?.[0]).toMatchObject({ code: "IDENTITY_REVOKED", hint: "new token" });
  stop.abort();
  await run;
});

test("stopping ends the waiting at once", async () => {
  const stop = new AbortController();
  const dial = vi.fn(async () => unreachable());
  const keeper = createLinkKeeper({
    identity: { ensure: async () => issued, current: issued } as unknown as IdentityKeeper,
    dial,
    hello: () => Promise.reject(new Error("not reached")),
    // Time stands still: only the abort ends a wait.
    clock: createMovableClock(),
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    signal: stop.signal,
    random: () => 0.5,
  });
  const run = keeper.run();
  await vi.waitFor(() => expect(dial).toHaveBeenCalledTimes(1));
  stop.abort();
  await run;
  expect(dial).toHaveBeenCalledTimes(1);
});
