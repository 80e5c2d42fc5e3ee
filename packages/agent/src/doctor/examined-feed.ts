// Joins observed objects and the verdicts on them in one feed, so that the hub gets both by the same call.
import { type Clock, reasonOf, sleep } from "@fairlead/kernel";
import type { ApiCatalogue, KubeClient } from "@fairlead/kube";
import { type KindChoice, Nudge, type ObservedFeed, type ObserveHandler, type Onlooker } from "../observe/index.ts";
import { createPrometheusAsker } from "./ask-prometheus.ts";
import { DerivedObjects } from "./derived-objects.ts";
import { doctorErrors } from "./errors.ts";
import { type Examination, examine } from "./examine.ts";
import { ownKinds } from "./kinds.ts";
import { toReportObjects } from "./objects/index.ts";
import { ObservationCache } from "./observation-cache.ts";
import { type ExamineOrder, isSameOrder, readOrder, unlessTold } from "./order.ts";
import { PrometheusReader } from "./prometheus-reader.ts";
import { Schedule } from "./schedule.ts";
import { SideReader } from "./side-reader.ts";

export interface DoctorOptions {
  readonly client: KubeClient;
  readonly choice: KindChoice;
  readonly labelSelector: string | undefined;
  readonly envValues: "keep" | "mask";
  /** Whether Prometheus and the metrics API are asked, too. */
  readonly isProbing: boolean;
  /** Empty until it is known. */
  readonly kubeSystemUid: () => Promise<string>;
  readonly agentVersion: string;
  readonly clock: Clock;
  readonly log: DoctorLog;
}

export interface DoctorLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface Doctor {
  /** To be shown all that is observed. */
  readonly onlooker: Onlooker;
  /** To be told what kinds there are. */
  learn(catalogue: ApiCatalogue): void;
  /** The hub wants the cluster to be examined by this. It holds until the hub says something else. */
  examineBy(order: ExamineOrder): void;
  /** The feed, with our objects among those that it tells of. */
  join(feed: ObservedFeed): ObservedFeed;
}

export function createDoctor(options: DoctorOptions): Doctor {
  const { client, choice, labelSelector, envValues, isProbing, clock, log } = options;
  const nudge = new Nudge(clock);
  const schedule = new Schedule(clock.steadyMs());
  const cache = new ObservationCache({ clock, onChange });
  const side = new SideReader({ client, clock, namespaces: choice.namespaces });
  const prometheus = isProbing
    ? new PrometheusReader({ ask: createPrometheusAsker(), clock, onNews: () => onChange("soon") })
    : undefined;
  const derived = new DerivedObjects();
  let catalogue: ApiCatalogue | undefined;
  let wanted = unlessTold;
  let last: Examination | undefined;
  let isFailing = false;
  return { onlooker: cache, learn, examineBy, join };

  function onChange(urgency: "soon" | "later"): void {
    schedule.changed(urgency, clock.steadyMs());
    nudge.give();
  }

  function learn(found: ApiCatalogue): void {
    catalogue = found;
    onChange("soon");
  }

  function examineBy(order: ExamineOrder): void {
    if (isSameOrder(order, wanted.order)) return;
    try {
      wanted = readOrder(order);
      onChange("soon");
    } catch (error) {
      // The one before goes on. Whoever reads its verdicts sees that another generation is asked for.
      log.warn({ err: error, generation: Number(order.generation) }, "the profile that the hub tells can't be used");
    }
  }

  function join(feed: ObservedFeed): ObservedFeed {
    return {
      isSynced: () => feed.isSynced() && (last !== undefined || isFailing),
      fetcher: {
        fetch: (...asked) => (derived.owns(asked[0]) ? derived.fetch(...asked) : feed.fetcher.fetch(...asked)),
      },
      async run(handler, signal) {
        derived.forget();
        // Before the feed says that it has told of all kinds.
        for (const kind of ownKinds) handler.onKind(kind);
        await Promise.all([feed.run(overhear(handler), signal), examineAgainAndAgain(feed, handler, signal)]);
      },
    };
  }

  function overhear(handler: ObserveHandler): ObserveHandler {
    return {
      onKind: (kind) => handler.onKind(kind),
      onKindsComplete: () => handler.onKindsComplete(),
      onListStart: (key) => handler.onListStart(key),
      onObject: (key, object) => handler.onObject(key, object),
      onListed: (key) => handler.onListed(key),
      onApplied: (key, object) => handler.onApplied(key, object),
      onDeleted: (key, uid) => handler.onDeleted(key, uid),
      onKindGone(key) {
        cache.onKindGone(key);
        handler.onKindGone(key);
      },
      onUnavailable(key, error) {
        cache.onUnavailable(key, error);
        handler.onUnavailable(key, error);
      },
      onAlive(key, agoMs) {
        cache.onAlive(key, agoMs);
        handler.onAlive(key, agoMs);
        vouch(handler);
      },
    };
  }

  /** Ours is as old as what it was derived from. */
  function vouch(handler: ObserveHandler): void {
    if (last === undefined || isFailing) return;
    const agoMs = Math.max(cache.oldestMs(), schedule.waitingMs(clock.steadyMs()));
    if (agoMs > maxAgeMs) return;
    for (const { key } of ownKinds) handler.onAlive(key, agoMs);
  }

  async function examineAgainAndAgain(feed: ObservedFeed, handler: ObserveHandler, signal: AbortSignal): Promise<void> {
    const clusterUid = await untilReady(feed, signal);
    while (!signal.aborted) {
      const waitMs = schedule.dueInMs(clock.steadyMs());
      if (waitMs > 0) await nudge.wait(waitMs, signal);
      else await examineOnce(clusterUid, handler, signal);
    }
  }

  /** All is listed, or can't be; objects of ours have uids by the cluster's own. */
  async function untilReady(feed: ObservedFeed, signal: AbortSignal): Promise<string> {
    while (!signal.aborted) {
      const uid = feed.isSynced() ? await options.kubeSystemUid() : "";
      if (uid !== "") return uid;
      await sleep(pollMs, { clock, signal }).catch(() => undefined);
    }
    return "";
  }

  async function examineOnce(clusterUid: string, handler: ObserveHandler, signal: AbortSignal): Promise<void> {
    if (!catalogue) return;
    const beganMs = clock.steadyMs();
    const { profile, generation } = wanted;
    const examinedWith = { profile: profile.name, generation, catalogue: options.agentVersion };
    const ways = { catalogue, choice, labelSelector, isProbing, cache, side };
    schedule.begin();
    try {
      last = await examine({ ways, side, prometheus, profile, clock, signal, looksBefore: last?.looks });
      const { report } = last;
      derived.replace(toReportObjects({ report, examinedWith, clusterUid, envValues }), handler);
      isFailing = false;
      log.debug({ tookMs: last.tookMs, hidden: report.hidden.length }, "the cluster was examined");
    } catch (error) {
      if (signal.aborted) return;
      fail(error, handler);
    }
    cache.rest();
    schedule.end({ nowMs: clock.steadyMs(), tookMs: last?.tookMs ?? clock.steadyMs() - beganMs });
    vouch(handler);
  }

  /** Earlier verdicts may not hold any more. */
  function fail(error: unknown, handler: ObserveHandler): void {
    const { code, message } = doctorErrors.DOCTOR_EXAMINATION_FAILED({ reason: reasonOf(error), cause: error });
    if (!isFailing) log.warn({ err: error, code }, message);
    isFailing = true;
    derived.forget();
    for (const { key } of ownKinds) handler.onUnavailable(key, { code, message });
  }
}

const pollMs = 100;
/** An age beyond this isn't told: the hub's own clock counts on. */
const maxAgeMs = 20_000;
