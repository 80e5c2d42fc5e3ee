// Serves what people ask about rollouts. Rights are those on the commands that they are made of.
import {
  type CreateRolloutRequest,
  placeOf,
  type RetryRolloutRequest,
  type Rollout,
  type RolloutClusterList,
  type RolloutClustersQuery,
  type RolloutList,
  type RolloutListQuery,
  type RolloutPlan,
  type RolloutPreview,
} from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Access, Principal } from "../../../people/access/index.ts";
import { createReaders } from "../../../platform/server/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import {
  type FilledRequest,
  type Idempotency,
  requireUsableTexts,
  type TemplateUses,
  toIdempotency,
} from "../../commands/index.ts";
import { findEarlierRun } from "../find-earlier.ts";
import type { AskedEvent, GraphRunPort } from "../port.ts";
import type { GraphRunStore } from "../store.ts";
import { addRollout, type RolloutLimits } from "./add-rollout.ts";
import type { Chooser } from "./choose.ts";
import { rolloutErrors } from "./errors.ts";
import { listRolloutClusters, listRollouts } from "./list.ts";
import { planRetry } from "./retry.ts";
import { type RolloutRow, toRollout } from "./rows.ts";
import type { RolloutView } from "./view.ts";

export interface Rollouts {
  create(principal: Principal, request: CreateRolloutRequest): Promise<CreatedRollout>;
  preview(principal: Principal, request: CreateRolloutRequest): Promise<RolloutPreview>;
  list(principal: Principal, query: RolloutListQuery): Promise<RolloutList>;
  get(principal: Principal, id: string): Promise<Rollout>;
  listClusters(principal: Principal, id: string, query: RolloutClustersQuery): Promise<RolloutClusterList>;
  pause(principal: Principal, id: string): Promise<Rollout>;
  resume(principal: Principal, id: string): Promise<Rollout>;
  cancel(principal: Principal, id: string): Promise<Rollout>;
  /** Cancels it gracefully, also when asked again. An ended rollout stays as it is. */
  replace(principal: Principal, id: string): Promise<void>;
  retry(principal: Principal, id: string, request: RetryRolloutRequest): Promise<CreatedRollout>;
}

export interface CreatedRollout {
  readonly rollout: Rollout;
  /** False for that of an earlier request under the same key. */
  readonly isNew: boolean;
}

export function createRollouts(options: {
  readonly db: Kysely<Tables>;
  readonly port: GraphRunPort<RolloutRow>;
  readonly store: GraphRunStore<RolloutRow>;
  readonly chooser: Chooser;
  readonly view: RolloutView;
  readonly access: Pick<Access, "may" | "require">;
  readonly templates: TemplateUses;
  readonly limits?: RolloutLimits | undefined;
  /** Something is to be done for it. */
  readonly onChanged: (id: string) => void;
}): Rollouts {
  const { db, port, store, chooser, view, access, templates, limits, onChanged } = options;
  const choosing = createReaders({ most: 8, mostOfOne: 2 });
  return {
    async create(principal, { idempotencyKey, ...request }) {
      const idempotency = toIdempotency(idempotencyKey, request);
      return await begin(principal, request as CreateRolloutRequest, { idempotency });
    },

    async preview(principal, unfilled) {
      const request = await templates.fill(principal, unfilled);
      const { placed, unusable } = await choose(principal, request);
      return {
        ...placeOfRequest(request),
        waves: placed.at(-1)?.wave ?? 0,
        items: placed.map(({ cluster, wave }) => ({ cluster, wave })),
        unusable: unusable.map(({ cluster, error: { code, message, hint } }) => ({
          cluster,
          trouble: { code, message, ...(hint === undefined ? {} : { hint }) },
        })),
      };
    },

    list: (principal, query) => listRollouts(db, { principal, view, query }),
    get: async (principal, id) => toRollout(await find(principal, id)),

    async listClusters(principal, id, query) {
      const row = await find(principal, id);
      return await listRolloutClusters(db, { row, names: await view.clustersFor(principal, row), query });
    },

    pause: (principal, id) => change(principal, id, "pause-asked"),

    async resume(principal, id) {
      const { state } = await find(principal, id);
      if (state !== "paused") throw rolloutErrors.ROLLOUT_NOT_PAUSED({ state });
      return await change(principal, id, "resume-asked");
    },

    cancel: (principal, id) => change(principal, id, "cancel-asked"),

    async replace(principal, id) {
      const row = await store.find(id);
      if (!row || row.finished_at !== null) return;
      await requireToChange(principal, row);
      await store.settle({ id, event: { type: "replaced" }, actor: principal.name });
      onChanged(id);
    },

    async retry(principal, id, { idempotencyKey, ...wishes }) {
      const before = await find(principal, id);
      const idempotency = toIdempotency(idempotencyKey, { ...wishes, retryOf: id });
      const request = await planRetry(db, before, wishes);
      return await begin(principal, request, { idempotency, retryOf: id });
    },
  };

  async function begin(
    principal: Principal,
    unfilled: CreateRolloutRequest,
    more: { readonly idempotency: Idempotency | undefined; readonly retryOf?: string },
  ): Promise<CreatedRollout> {
    const { uid } = principal;
    const { idempotency } = more;
    const earlier = await findEarlierRun(db, port, { uid, idempotency });
    if (earlier) return { rollout: toRollout(earlier), isNew: false };
    const request = await templates.fill(principal, unfilled);
    const { plan, command } = split(request);
    const choice = await choose(principal, request);
    requireUsable(choice, plan);
    const { pauseBetweenWaves: pause = false, maxParallel, stopAfterFailures, waves } = plan;
    const row = await addRollout(
      db,
      {
        kind: request.kind,
        ...placeOfRequest(request),
        dryRun: request.dryRun ?? false,
        template: request.template,
        request: JSON.stringify(command),
        requester: principal,
        choice,
        maxParallel,
        ...more,
        stopAfter: stopAfterFailures ?? (waves ? 1 : undefined),
        pauseSeconds: typeof pause === "number" ? pause : pause ? 0 : undefined,
      },
      limits,
    );
    if (row) onChanged(row.id);
    const taken = row ?? (await findEarlierRun(db, port, { uid, idempotency }));
    if (!taken) throw rolloutErrors.ROLLOUT_NOT_FOUND();
    return { rollout: toRollout(taken), isNew: row !== undefined };
  }

  /** Looks at many clusters at once. Throws ROLLOUT_BUSY. */
  async function choose(principal: Principal, request: FilledRolloutRequest): ReturnType<Chooser["choose"]> {
    const leave = choosing.enter(principal.uid);
    if (!leave) throw rolloutErrors.ROLLOUT_BUSY({ who: `${principal.name}, or for all users together` });
    try {
      requireUsableTexts(request.spec);
      return await chooser.choose(principal, request);
    } finally {
      leave();
    }
  }

  /** Throws ROLLOUT_NOT_FOUND also to people who may not see the rollout. */
  async function find(principal: Principal, id: string): Promise<RolloutRow> {
    const row = isRolloutId(id) ? await store.find(id) : undefined;
    const [seen] = row ? await view.sift(principal, [row]) : [];
    if (!seen) throw rolloutErrors.ROLLOUT_NOT_FOUND();
    return seen;
  }

  async function change(principal: Principal, id: string, type: AskedEvent["type"]): Promise<Rollout> {
    const row = await find(principal, id);
    await requireToChange(principal, row);
    const settled = await store.settle({ id, event: { type }, actor: principal.name });
    if (!settled) throw rolloutErrors.ROLLOUT_NOT_FOUND();
    const { before } = settled;
    if (before.is === "ended" || (before.is === "stopping" && type !== "cancel-asked"))
      throw rolloutErrors.ROLLOUT_ENDED({ state: settled.row.state });
    onChanged(id);
    return toRollout(settled.row);
  }

  /** The right to change such commands in each cluster that has one, or is to have one. Throws ACCESS_DENIED. */
  async function requireToChange(principal: Principal, row: RolloutRow): Promise<void> {
    const { id, kind } = row;
    const request = { verb: "update", resource: `commands/${kind}` };
    if (access.may(principal, request)) return;
    const rows = await db
      .selectFrom("rollout_cluster")
      .select("cluster")
      .where("rollout", "=", id)
      .where("state", "in", ["waiting", "running"])
      .execute();
    const isOwn = row.requester_uid === principal.uid;
    for (const { cluster } of rows) {
      if (isOwn && row.template !== null && templates.mayUse(principal, row.template, cluster)) continue;
      access.require(principal, { ...request, cluster });
    }
  }
}

/** Throws why nothing is begun. */
function requireUsable({ placed, unusable }: Awaited<ReturnType<Chooser["choose"]>>, plan: RolloutPlan): void {
  if (unusable.length === 0 && placed.length > 0) return;
  if (plan.skipUnusable && placed.length > 0) return;
  const [only, ...others] = unusable;
  if (!only) throw rolloutErrors.ROLLOUT_NO_CLUSTERS();
  const denied = unusable.find(({ error }) => error.httpStatus === 403);
  if (denied) throw denied.error;
  if (others.length === 0) throw only.error;
  const some = unusable.slice(0, 5).map(({ cluster, error }) => `${cluster} (${error.code})`);
  const clusters = some.join(", ") + (unusable.length > some.length ? ", …" : "");
  throw rolloutErrors.ROLLOUT_CLUSTERS_UNUSABLE({ count: unusable.length, clusters });
}

/** Splits a request into the plan over the clusters and the request for each cluster's command. */
type FilledRolloutRequest = FilledRequest<CreateRolloutRequest>;

function split(request: FilledRolloutRequest): { readonly plan: RolloutPlan; readonly command: object } {
  const {
    clusters,
    selector,
    all,
    skipUnusable,
    waves,
    maxParallel,
    stopAfterFailures,
    pauseBetweenWaves,
    ...command
  } = request;
  const plan = { clusters, selector, all, skipUnusable, waves, maxParallel, stopAfterFailures, pauseBetweenWaves };
  return { plan, command };
}

function placeOfRequest({ kind, spec }: FilledRolloutRequest): { readonly namespace: string; readonly target: string } {
  return placeOf(kind, spec);
}

function isRolloutId(text: string): boolean {
  return /^rol_[0-9a-z]{26}$/.test(text);
}
