// Keeps one link to the hub at all times: dials, says hello, waits for its end, dials again. A hub that says GOAWAY
// gets to keep the old link while the next one opens. Everything the hub refuses is retried, slower and slower.
import { Backoff, type Clock, type FairleadError, orAbort, sleep, toFairleadError } from "@fairlead/kernel";
import { type GoAway, hubCodes, type Link, type LinkClosed } from "@fairlead/protocol";
import { identityErrors, type LinkIdentity, type LinkIdentityKeeper } from "../identity/index.ts";
import type { Welcome } from "./calls.ts";
import type { WelcomedLink } from "./current-link.ts";

export interface KeepLinksOptions {
  readonly identity: LinkIdentityKeeper;
  readonly dial: (identity: LinkIdentity, signal: AbortSignal) => Promise<Link>;
  readonly hello: (link: Link, identity: LinkIdentity, signal: AbortSignal) => Promise<Welcome>;
  /** Told when new calls go over another link, or over none. */
  readonly onCurrent?: ((current: WelcomedLink | undefined) => void) | undefined;
  readonly clock: Clock;
  readonly log: LinkLog;
  /** Stops dialling; links that are open go on. */
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
}

export interface LinkLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LinkKeeper {
  /** The link that new calls use. */
  readonly current: Link | undefined;
  /** All that are open: the current one and those that drain. */
  readonly all: ReadonlySet<Link>;
  readonly connects: number;
  /** Bytes over links that are closed by now; with the open ones' they make totals. */
  readonly closedBytes: { readonly received: number; readonly sent: number };
  /** Opens the next link with the identity of now; then the one there is drains. */
  moveOn(): void;
  /** Runs until the signal aborts. Rejects only when no retry can help. */
  run(): Promise<void>;
}

export function createLinkKeeper(options: KeepLinksOptions): LinkKeeper {
  const { identity, clock, log, signal, random = Math.random } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000, random });
  const all = new Set<Link>();
  let current: Link | undefined;
  const closedBytes = { received: 0, sent: 0 };
  let connects = 0;
  let downSinceMs = clock.steadyMs();
  /** Ends the wait for the end of the current link. */
  let leaveCurrent: (() => void) | undefined;
  const left = new Set<Link>();
  let cancelStable: (() => void) | undefined;
  /** Once is enough to say that the address isn't the agents'. */
  let isWrongAddressTold = false;
  /** The last dial's finding. */
  let isNobodyThere = false;
  return {
    get current() {
      return current;
    },
    all,
    closedBytes,
    get connects() {
      return connects;
    },
    moveOn() {
      if (!current) return;
      left.add(current);
      leaveCurrent?.();
    },
    run,
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await pause(nextWaitMs());
      if (signal.aborted) return;
      try {
        const { link, asked } = await open();
        const message = await untilOver(link, asked);
        if (message?.reconnectAfterMs) await pause(message.reconnectAfterMs);
      } catch (thrown) {
        if (signal.aborted) return;
        const error = toFairleadError(thrown);
        isNobodyThere = isRefusedByNetwork(error);
        await recover(error);
      }
    }
  }

  /**
   * A hub or a cable that is back within minutes isn't made to sit out a long draw; one that stays away is. Where nobody
   * listens a look costs nothing and may come often; a hub that answers too slowly has enough to do with everyone.
   */
  function nextWaitMs(): number {
    const waitMs = backoff.nextMs();
    const isRecent = clock.steadyMs() - downSinceMs < recentOutageMs;
    return isRecent ? Math.min(waitMs, (isNobodyThere ? cheapMaxMs : recentMaxMs) * (0.5 + random() / 2)) : waitMs;
  }

  async function open(): Promise<{ link: Link; asked: Promise<GoAway> }> {
    const issued = await identity.ensure({ signal });
    const link = await options.dial(issued, signal);
    all.add(link);
    link.onStateChanged = (state) => {
      if (state === "up") log.info({ resumes: link.stats().resumes }, "the link goes on with a new connection");
      else log.warn({}, "the link has lost its connection and dials again");
    };
    // From now on: it may come right behind the hub's welcome.
    const asked = untilAsked(link);
    const closed = link.closed.then((end) => forget(link, end));
    try {
      const welcome = await options.hello(link, issued, signal);
      current = link;
      isWrongAddressTold = false;
      connects++;
      options.onCurrent?.({ link, capabilities: welcome.capabilities });
      log.info(welcome, "agent is connected");
      for (const old of left) void old.goAway({ reason: "agent has a new link", drainMs }).catch(() => undefined);
      left.clear();
    } catch (error) {
      link.close("the hub didn't answer the hello");
      await closed;
      throw error;
    }
    cancelStable?.();
    cancelStable = clock.after(stableMs, () => backoff.reset());
    return { link, asked };
  }

  function untilAsked(link: Link): Promise<GoAway> {
    return new Promise((resolve) => {
      // An announced end is no failure: the next link opens without a wait.
      const move = (message: GoAway): void => {
        backoff.reset();
        resolve(message);
      };
      leaveCurrent = () => move({ reason: "agent has a new identity", drainMs });
      link.onGoAway = (message) => {
        log.info({ reason: message.reason, drainMs: message.drainMs }, "the hub asks to move to another link");
        move(message);
      };
    });
  }

  /** Until the link closed, or its hub asked us to move; then the link drains by itself. */
  function untilOver(link: Link, asked: Promise<GoAway>): Promise<GoAway | undefined> {
    const over = Promise.race([link.closed.then(() => undefined), asked]);
    return orAbort(over, signal).catch(() => undefined);
  }

  function forget(link: Link, end: LinkClosed): void {
    all.delete(link);
    left.delete(link);
    const { received, sent } = link.stats().bytes;
    closedBytes.received += received;
    closedBytes.sent += sent;
    if (current === link) {
      current = undefined;
      options.onCurrent?.(undefined);
      downSinceMs = clock.steadyMs();
      cancelStable?.();
    }
    if (!signal.aborted) log.warn(describeEnd(end), "the link to the hub is closed");
  }

  /** Says what went wrong and waits where waiting shorter would help nobody. */
  async function recover(error: FairleadError): Promise<void> {
    const known = identity.current !== undefined;
    if (isFinal(error) && !known) throw error;
    const details = { code: error.code, hint: error.hint, err: error };
    if (hubCodes.is(error, ...rejecting)) {
      identity.reject(error);
      log.error(details, error.message);
      if (!(await identity.hasNewToken())) await untilNewToken();
    } else if (hubCodes.is(error, "API_LISTENER_WRONG")) {
      if (!isWrongAddressTold) log.error(details, `${error.message} Until then the agent asks once in a while.`);
      isWrongAddressTold = true;
      // It may be a balancer that is about to be set right.
      await pause(wrongAddressWaitMs * (0.5 + random()));
    } else if (identityErrors.is(error, "IDENTITY_REJECTED") || isFinal(error)) {
      log.error(details, error.message);
      await untilNewToken();
    } else {
      log.warn(details, `not connected: ${error.message}`);
    }
  }

  /** A minute or so, less when a new token turns up. */
  async function untilNewToken(): Promise<void> {
    const untilMs = clock.steadyMs() + rejectedWaitMs * (0.5 + random());
    while (!signal.aborted && clock.steadyMs() < untilMs) {
      await pause(tokenPollMs);
      if (await identity.hasNewToken()) {
        backoff.reset();
        return;
      }
    }
  }

  async function pause(delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, { clock, signal }).catch(() => undefined);
  }
}

function describeEnd(end: LinkClosed): object {
  switch (end.reason) {
    case "closed-by-us":
      return { reason: end.reason };
    case "closed-by-peer":
      return { reason: end.reason, closeCode: end.code, closeText: end.text };
    case "dead-peer":
      return { reason: end.reason, silentMs: end.silentMs };
    case "violation":
    case "socket-error":
      return { reason: end.reason, err: end.error };
  }
}

/** The network itself says at once that nobody takes connections there. */
function isRefusedByNetwork({ cause }: FairleadError): boolean {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|NETDOWN)$/.test(code);
}

/** Errors that only a person can end. */
function isFinal(error: FairleadError): boolean {
  // Clocks are set right while we wait.
  if (hubCodes.is(error, "IDENTITY_NOT_YET_VALID")) return false;
  return !error.retryable && /^(ENROLL|IDENTITY|CONFIG)_/.test(error.code);
}

const rejecting = ["IDENTITY_REVOKED", "IDENTITY_UNKNOWN", "IDENTITY_EXPIRED", "IDENTITY_INVALID"] as const;
/** Nobody waits for the old link, and what goes over it may be long; its certificate ends it at last. */
const drainMs = 3_600_000;
const stableMs = 5_000;
const recentOutageMs = 120_000;
const recentMaxMs = 8_000;
const cheapMaxMs = 2_000;
const rejectedWaitMs = 40_000;
const wrongAddressWaitMs = 60_000;
const tokenPollMs = 1_000;
