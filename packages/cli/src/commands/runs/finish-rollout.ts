// Waits until a rollout has ended, says meanwhile what happens in which cluster, and at last how it ended.
import type { HubClient, Rollout, RolloutCluster } from "@fairlead/contract";
import { Backoff, Slots } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { pause } from "../../files/index.ts";
import { concludeDryRun } from "../../foresight/index.ts";
import { throwUnlessRetryable } from "../throw-unless-retryable.ts";
import { followRun } from "./follow-run.ts";
import { createLogPrinter } from "./log-printer.ts";
import { type PlannedRun, toPlanned } from "./planned-run.ts";
import { clusterTable, formatRolloutState } from "./rollout-text.ts";
import { describeWaiting, keyOfApproval } from "./run-text.ts";
import { explainNotBegun } from "./why-not-begun.ts";

/** Throws CLI_ROLLOUT_UNSUCCESSFUL unless all went well. A pause that only somebody ends is waited through. */
export async function finishRollout(
  context: CommandContext,
  hub: HubClient,
  { id }: Rollout,
  { isShown, isDryRun = false }: { readonly isShown: boolean; readonly isDryRun?: boolean },
): Promise<void> {
  const { output, signal } = context;
  const name = output.safe(id);
  output.remark(
    `Ctrl-C stops only the waiting, and the rollout continues: see 'fairlead rollout get ${name}', or end it by 'fairlead rollout cancel ${name}'.`,
  );
  const live = await context.live();
  const backoff = new Backoff({ baseMs: 500, maxMs: 10_000 });
  // The hub lets one person read a few at once.
  const readers = new Slots(6);
  const reading: Promise<void>[] = [];
  /** By cluster. A change that came between the rollout and its clusters is in two answers. */
  const toldOf = new Map<string, string>();
  const awaited = new Map<string, string>();
  const running = new Map<string, RolloutCluster>();
  const delayed = new Map<string, { readonly key: string; readonly isTold: boolean }>();
  let lookedMs = Number.NEGATIVE_INFINITY;
  let since = 0;
  let told = "";
  for (;;) {
    try {
      const rollout = await hub.getRollout(id, { signal });
      for (const changed of await listAll(hub, id, { since }, signal)) tell(changed, rollout);
      since = rollout.version;
      await tellDelays();
      const news = formatRolloutState(rollout);
      if (news !== told && rollout.state === "paused") output.remark(`${output.safe(id)} is ${news}.`);
      told = news;
      backoff.reset();
      if (rollout.finishedAt !== undefined) return await conclude(rollout);
      await pause(lookMs, signal);
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark: output.remark });
      await pause(backoff.nextMs(), signal);
    }
  }

  function tell(changed: RolloutCluster, { waves }: Rollout): void {
    const { cluster, state, command, wave, approval, trouble } = changed;
    if (approval && command !== undefined && awaited.get(cluster) !== keyOfApproval(approval)) {
      awaited.set(cluster, keyOfApproval(approval));
      output.notice(describeWaiting(context, { id: command, cluster, approval }));
    }
    if (state === "running") running.set(cluster, changed);
    else running.delete(cluster);
    if (state === "waiting" || state === "skipped" || toldOf.get(cluster) === state) return;
    toldOf.set(cluster, state);
    const place = waves > 1 ? ` (wave ${wave} of ${waves})` : "";
    const why = trouble ? `: ${output.safe(trouble.message)} (${output.safe(trouble.code)})` : "";
    output.remark(`${output.safe(cluster)}: ${state}${place}${why}`);
    if (isShown && state === "running" && command !== undefined) reading.push(show(cluster, command));
  }

  /** Prints a reason when it changes; a usual one only when the next look finds it again, as most runs are claimed by then. */
  async function tellDelays(): Promise<void> {
    if (performance.now() - lookedMs < delaysEveryMs) return;
    lookedMs = performance.now();
    const delays = await explainNotBegun(context, { hub, clusters: [...running.values()] });
    for (const [cluster, { key, isUsual, text }] of delays) {
      const before = delayed.get(cluster);
      delayed.set(cluster, { key, isTold: before?.key === key || !isUsual });
      const isNews = before?.key !== key ? !isUsual : !before.isTold;
      if (isNews) output.remark(`${output.safe(cluster)}: ${text}`);
    }
  }

  async function show(cluster: string, command: string): Promise<void> {
    const leave = await readers.enter();
    try {
      const prefix = `${output.colors.dim(`${cluster} |`)} `;
      const print = (text: string): void => void (output.isDocument || output.print(text));
      const printer = createLogPrinter({ prefix, print });
      const remark = (text: string): void => output.remark(text);
      for await (const bytes of followRun({ hub, live, wantsLog: true, id: command, signal, remark }))
        printer.write(bytes);
      printer.end();
    } finally {
      leave();
    }
  }

  async function conclude(rollout: Rollout): Promise<void> {
    await Promise.all(reading);
    const { failed, skipped } = rollout.clusters;
    const clusters = await listAll(hub, id, {}, signal);
    const others = clusters.filter(({ state }) => state !== "succeeded");
    const planned = isDryRun ? await readPlans(clusters) : undefined;
    const items = clusters.map((one) => {
      const plan = planned?.get(one.cluster);
      return plan === undefined ? one : { ...one, differs: plan.differs, result: plan.run.result };
    });
    output.answer({ ...rollout, items }, () => {
      const { all, succeeded } = rollout.clusters;
      const line = `${output.safe(id)}: ${formatRolloutState(rollout)}, ${succeeded} of ${all} clusters succeeded.\n`;
      const plans = [...(planned?.values() ?? [])].map(({ text }) => text).join("");
      return `${line}${others.length > 0 ? clusterTable(context, others) : ""}${plans}`;
    });
    if (rollout.state !== "succeeded")
      throw cliErrors.CLI_ROLLOUT_UNSUCCESSFUL({ id, state: rollout.state, failed, skipped });
    if (planned)
      concludeDryRun(
        context,
        [...planned.values()].some(({ differs }) => differs),
      );
  }

  /** By cluster, in the clusters' order. */
  async function readPlans(clusters: readonly RolloutCluster[]): Promise<ReadonlyMap<string, PlannedRun>> {
    const plans = await Promise.all(
      clusters.map(async ({ cluster, command }) => {
        if (command === undefined) return [];
        const leave = await readers.enter();
        try {
          return [[cluster, await toPlanned(output, await hub.getCommand(command, { signal }))] as const];
        } finally {
          leave();
        }
      }),
    );
    return new Map(plans.flat());
  }
}

/** All pages. */
export async function listAll(
  hub: Pick<HubClient, "listRolloutClusters">,
  id: string,
  query: { readonly since?: number },
  signal: AbortSignal,
): Promise<RolloutCluster[]> {
  const found: RolloutCluster[] = [];
  let cursor: string | undefined;
  do {
    const page = await hub.listRolloutClusters(id, { ...query, cursor, limit: 1_000 }, { signal });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

const lookMs = 1_000;
const delaysEveryMs = 10_000;
