// Finds out which kinds there are, keeps one watch for each that is wanted, and tells of all in one stream. Kinds come
// and go while it runs: it looks again when a CRD or an APIService changes, and every few minutes.
import { createSecretKey } from "node:crypto";
import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import type { ApiCatalogue, KubeClient } from "@fairlead/kube";
import { chooseKinds, type KindChoice, mayHaveChosen } from "./choose-kinds.ts";
import type { ObserveCounters } from "./counters.ts";
import { fetchObjects } from "./fetch-objects.ts";
import { KindTable } from "./kind-table.ts";
import { Nudge } from "./nudge.ts";
import type { Onlooker } from "./onlooker.ts";
import { type ProjectionRules, projectObject } from "./project.ts";
import { ReservedNotes } from "./reserved.ts";
import type { ObjectFetcher, ObservedFeed, ObserveHandler } from "./types.ts";

export interface FeedOptions {
  readonly client: KubeClient;
  readonly discover: (signal: AbortSignal) => Promise<ApiCatalogue>;
  readonly choice: KindChoice;
  /** For what is in namespaces; what belongs to the cluster as a whole is observed whatever its labels. */
  readonly labelSelector?: string | undefined;
  readonly rules: Omit<ProjectionRules, "salt">;
  /** Asked again until it gives one: nothing is projected without. */
  readonly salt: (signal: AbortSignal) => Promise<Uint8Array>;
  readonly onlooker?: Onlooker | undefined;
  readonly counters: ObserveCounters;
  readonly clock: Clock;
  readonly log: FeedLog;
}

export interface FeedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export function createObservedFeed(options: FeedOptions): ObservedFeed {
  const { client, choice, labelSelector, clock, log } = options;
  const nudge = new Nudge(clock);
  const reserved = new ReservedNotes(log);
  let rules: ProjectionRules | undefined;
  let table: KindTable | undefined;
  return { run, fetcher: { fetch }, isSynced: () => table?.isSettled ?? false };

  async function run(handler: ObserveHandler, signal: AbortSignal): Promise<void> {
    rules ??= await untilDone("the salt of the projection can't be read", readRules, signal);
    if (!rules) return;
    table = new KindTable({ ...options, rules, handler, nudge: () => nudge.give(), signal });
    let hurried = 0;
    while (!signal.aborted) {
      const catalogue = await untilDone("the API server's kinds can't be read", options.discover, signal);
      if (!catalogue) break;
      if (tell(catalogue, handler)) hurried = 0;
      // A new API shows in discovery some seconds after its CRD or APIService.
      if (await nudge.wait(hurries[hurried] ?? rediscoverMs, signal)) hurried = 0;
      else hurried++;
      if (hurried === 0) await sleep(settleMs, { clock, signal }).catch(() => undefined);
    }
    await table.close();
    table = undefined;
  }

  /** Returns whether to look again soon. */
  function tell(catalogue: ApiCatalogue, handler: ObserveHandler): boolean {
    if (!table) return false;
    reserved.say(catalogue.resources);
    const unknown = new Set(catalogue.unavailable.map(({ group }) => group));
    const { isToConfirm } = table.update(chooseKinds(catalogue.resources, choice), unknown);
    if (![...unknown].some((group) => mayHaveChosen(group, choice))) handler.onKindsComplete();
    return isToConfirm;
  }

  async function readRules(signal: AbortSignal): Promise<ProjectionRules> {
    return { ...options.rules, salt: createSecretKey(await options.salt(signal)) };
  }

  /** Undefined when the signal aborts. */
  async function untilDone<T>(
    complaint: string,
    attempt: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const backoff = new Backoff({ baseMs: 1_000, maxMs: 30_000 });
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await attempt(signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (failures === 0) log.warn({ err: error }, complaint);
        await sleep(minRetryMs + backoff.nextMs(), { clock, signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async function* fetch(
    ...[key, refs, signal]: Parameters<ObjectFetcher["fetch"]>
  ): ReturnType<ObjectFetcher["fetch"]> {
    const resource = table?.resourceOf(key);
    if (!resource || !rules) return;
    const isNamespaceBound = choice.namespaces.length > 0;
    const selector = resource.namespaced ? labelSelector : undefined;
    for await (const found of fetchObjects({
      client,
      resource,
      labelSelector: selector,
      isNamespaceBound,
      refs,
      signal,
    })) {
      yield "gone" in found ? { uid: found.gone, gone: true } : projectObject(resource, found.object, rules);
    }
  }
}

const hurries = [5_000, 30_000];
const rediscoverMs = 5 * 60_000;
const settleMs = 500;
const minRetryMs = 500;
