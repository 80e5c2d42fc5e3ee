// Says on each link who this agent is and of which cluster, and again when it knows more. A hub that doesn't take it for
// one of its cluster says why: that is logged once, and asked again now and then, as a person may settle it over there.
import { type Clock, type FairleadError, sleep } from "@fairlead/kernel";
import type { Link } from "@fairlead/protocol";
import { type Refusal, type Self, sayHello, type Welcome } from "./calls.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { linkErrors } from "./errors.ts";

export interface IntroductionOptions {
  readonly self: Self;
  /** The link that new calls go over, and the cluster that it is for. */
  readonly current: () => { readonly link: Link; readonly cluster: string } | undefined;
  /** After each answer of the hub. */
  readonly onAnswered: () => void;
  readonly clock: Clock;
  readonly log: IntroductionLog;
  readonly signal: AbortSignal;
}

export interface IntroductionLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Introduction {
  hello(link: Link, cluster: string, signal: AbortSignal): Promise<Welcome>;
  /** Takes what the API server said; the hub is told. */
  learn(facts: ClusterFacts): void;
  readonly facts: ClusterFacts;
  /** The hub's last answer. */
  readonly welcome: Welcome | undefined;
  /** Says it once more, for the answer. */
  again(): Promise<void>;
  /** LINK_NOT_USED while the hub doesn't use this agent. */
  readonly refusal: FairleadError | undefined;
}

export function createIntroduction(options: IntroductionOptions): Introduction {
  const { self, current, onAnswered, clock, log, signal } = options;
  const learned = Promise.withResolvers<void>();
  let facts: ClusterFacts = { kubernetesVersion: "", kubeSystemUid: "" };
  let welcome: Welcome | undefined;
  let refusal: Refusal | undefined;
  let cancelNext: (() => void) | undefined;
  signal.addEventListener("abort", () => cancelNext?.(), { once: true });
  return {
    async hello(link, cluster, helloSignal) {
      // Facts that are known in a moment are said at once: an agent that doesn't say which cluster it is in isn't used.
      await Promise.race([learned.promise, sleep(factsWaitMs, { clock, signal: helloSignal })]);
      return await introduce(link, cluster, helloSignal);
    },
    learn(found) {
      facts = found;
      learned.resolve();
      again();
    },
    async again() {
      const now = current();
      if (now) await introduce(now.link, now.cluster, signal);
    },
    get welcome() {
      return welcome;
    },
    get facts() {
      return facts;
    },
    get refusal() {
      return refusal && linkErrors.LINK_NOT_USED(refusal);
    },
  };

  async function introduce(link: Link, cluster: string, helloSignal: AbortSignal): Promise<Welcome> {
    const answer = await sayHello({ link, self, cluster, facts, nowMs: clock.now(), signal: helloSignal });
    welcome = answer;
    settle(answer.refusal);
    return answer;
  }

  function settle(next: Refusal | undefined): void {
    if (next && next.message !== refusal?.message) {
      log.error({ code: next.code, hint: next.hint }, `the hub doesn't use this agent: ${next.message}`);
    } else if (refusal && !next) log.info({}, "the hub uses this agent now");
    refusal = next;
    cancelNext?.();
    cancelNext = next && !signal.aborted ? clock.after(refusedEveryMs, again) : undefined;
    onAnswered();
  }

  /** A link that opens after this says it by itself. */
  function again(): void {
    const now = current();
    if (!now || signal.aborted) return;
    introduce(now.link, now.cluster, signal).catch((error: unknown) => log.debug({ err: error }, "hello failed"));
  }
}

const factsWaitMs = 2_000;
const refusedEveryMs = 15_000;
