// Opens a stream for an admitted request on one of its cluster's links: at once when there is one, after a short wait
// when one is about to return, and once more on another link when the first one went away before it answered.
import { type FairleadError, isFairleadError, sleep } from "@fairlead/kernel";
import {
  callerGroups,
  capabilities,
  isArgoCaller,
  type LinkStream,
  MeteredStream,
  maxHeadBytes,
  type OpenHead,
  type StreamHandlers,
  sessionErrors,
  wireErrors,
} from "@fairlead/protocol";
import { type Absence, clustersErrors } from "../clusters/index.ts";
import type { AdmittedCall } from "./call.ts";
import { clusterNotConnected, clusterReturning, proxyErrors } from "./errors.ts";
import type { ProxyLink, ProxyPorts } from "./ports.ts";

/** An exchange or a splice, which waits for its stream. */
export interface StreamUser extends StreamHandlers {
  begin(stream: LinkStream): void;
  fail(thrown: unknown): void;
  readonly isOver: boolean;
}

export interface OpenOptions {
  readonly admitted: AdmittedCall;
  readonly open: OpenHead;
  readonly user: StreamUser;
  readonly ports: ProxyPorts;
  /** The wait for a link that is about to return. */
  readonly returnMs: number;
  /** Called right before a stream is used, for each attempt. */
  readonly onOpened: (stream: MeteredStream) => void;
}

export function openStream(options: OpenOptions): void {
  const { admitted, user, ports } = options;
  let failed: FairleadError | undefined;
  try {
    failed = tryLinks(options);
  } catch (thrown) {
    user.fail(thrown);
    return;
  }
  if (failed === undefined) return;
  if (ports.whenUsable && isNobodyThere(failed) && mayReturn(ports.absence(admitted.target.cluster))) {
    void waitAndOpen(options, failed).catch((thrown) => user.fail(thrown));
  } else user.fail(failed);
}

async function waitAndOpen(options: OpenOptions, failed: FairleadError): Promise<void> {
  const { admitted, user, ports, returnMs } = options;
  const { cluster } = admitted.target;
  const { socket } = admitted.call.req;
  const stop = new AbortController();
  const giveUp = (): void => stop.abort();
  socket.once("close", giveUp);
  const untilMs = performance.now() + returnMs;
  let last = failed;
  try {
    for (let leftMs = returnMs; leftMs > 0; leftMs = untilMs - performance.now()) {
      const isThere = await ports.whenUsable?.(cluster, { signal: stop.signal, timeoutMs: leftMs });
      if (user.isOver) return;
      // An answer at once says that there is nothing to wait for. A late one says that there was, and it may still come.
      if (!isThere && performance.now() < untilMs - graceMs) break;
      if (proxyErrors.is(last, "PROXY_NOT_CONNECTED")) last = clusterReturning(cluster, last);
      if (!isThere) break;
      const again = tryLinks(options);
      if (again === undefined) return;
      if (!proxyErrors.is(again, "PROXY_NOT_CONNECTED")) last = again;
      // The agent is back, and no wait makes the head smaller.
      if (wireErrors.is(again, "LINK_HEAD_TOO_LARGE")) break;
      // A link may be there whose agent hasn't introduced itself yet.
      await sleep(retryMs, { signal: stop.signal });
    }
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
  } finally {
    socket.off("close", giveUp);
  }
  user.fail(last);
}

/** Undefined when the stream is open and in use. Throws what every link would, such as for too large a head. */
function tryLinks({ admitted, open, user, ports, onOpened }: OpenOptions): FairleadError | undefined {
  const { cluster } = admitted.target;
  let cause: unknown;
  let isOld = false;
  let isUnbounded = false;
  /** The groups that links take which don't take this caller's. */
  let taken = 0;
  let tooLarge: FairleadError | undefined;
  const count = open.identity?.groups.length ?? 0;
  if (count > callerGroups.most) throw proxyErrors.PROXY_GROUPS_TOO_MANY({ cluster, count, most: callerGroups.most });
  for (const candidate of ports.connections(cluster)) {
    if (!givesIdentity(candidate)) {
      isOld ||= candidate.hello !== undefined;
      continue;
    }
    if (open.identity && isArgoCaller(open.identity) && !boundsArgo(candidate)) {
      isUnbounded = true;
      continue;
    }
    const takes = groupsOf(candidate);
    if (count > takes) {
      taken = Math.max(taken, takes);
      continue;
    }
    const sizeBytes = takesLargeHeads(candidate) ? 0 : sizeOf(open);
    if (sizeBytes > maxHeadBytes) {
      tooLarge = wireErrors.LINK_HEAD_TOO_LARGE({ sizeBytes, limitBytes: maxHeadBytes });
      continue;
    }
    const metered = new MeteredStream();
    metered.bind({ handlers: user });
    try {
      metered.bind({ stream: candidate.link.openStream(open, metered) });
    } catch (thrown) {
      if (!isFairleadError(thrown)) throw thrown;
      // An agent of a newer version may take it.
      if (wireErrors.is(thrown, "LINK_HEAD_TOO_LARGE")) tooLarge = thrown;
      else if (thrown.retryable) cause = thrown;
      else throw thrown;
      continue;
    }
    onOpened(metered);
    user.begin(metered);
    return undefined;
  }
  if (cause !== undefined && !isGone(cause)) return proxyErrors.PROXY_LINK_BUSY({ cluster, cause });
  if (isOld) return proxyErrors.PROXY_AGENT_TOO_OLD({ cluster });
  if (isUnbounded) return proxyErrors.PROXY_ARGO_UNBOUNDED({ cluster });
  if (tooLarge !== undefined) return tooLarge;
  if (taken > 0) return proxyErrors.PROXY_GROUPS_TOO_MANY({ cluster, count, most: taken });
  return ports.refusal?.(cluster) ?? clusterNotConnected(cluster, ports.absence(cluster));
}

/** An agent that doesn't say so might use its own rights, which are everyone's. */
function givesIdentity({ hello }: ProxyLink): boolean {
  return hello?.capabilities.includes(capabilities.identity) === true;
}

/** An agent that doesn't say so would let Argo CD on the hub reach all that its account may. */
function boundsArgo({ hello }: ProxyLink): boolean {
  return hello?.capabilities.includes(capabilities.trackedReach) === true;
}

/** The number of a caller's groups that an agent takes; it would refuse a head with more unread. */
function groupsOf(link: ProxyLink): number {
  const { hello } = link;
  if (takesLargeHeads(link)) return callerGroups.most;
  return hello?.capabilities.includes(capabilities.manyGroups) ? callerGroups.many : callerGroups.few;
}

/** Another hub may hold the link of an agent that doesn't, and could only refuse what it was sent. */
function takesLargeHeads({ hello }: ProxyLink): boolean {
  return hello?.capabilities.includes(capabilities.largeHeads) === true;
}

/** As JSON, at least. */
function sizeOf({ path, headers, identity }: OpenHead): number {
  const texts = [path, ...headers, ...(identity?.groups ?? [])];
  return texts.reduce((bytes, text) => bytes + text.length + quotes, 0);
}

/** The agent that is meant may be on its way. */
function isNobodyThere(failed: FairleadError): boolean {
  if (proxyErrors.is(failed, "PROXY_NOT_CONNECTED")) return true;
  return clustersErrors.is(failed, "CLUSTER_IDENTITY_MISMATCH", "CLUSTER_IDENTITY_UNPROVEN");
}

/** `whenUsable` knows if it pays to wait. It isn't asked about clusters that can't come back by themselves. */
function mayReturn({ state }: Absence): boolean {
  return state === "connected" || state === "offline";
}

/** The link is going, and the registry is about to hear of it. */
function isGone(cause: unknown): boolean {
  return sessionErrors.is(cause, "LINK_CLOSED", "LINK_GOING_AWAY", "LINK_RESUMING");
}

const quotes = 3;
const retryMs = 50;
/** Timers may fire a little early. */
const graceMs = 20;
