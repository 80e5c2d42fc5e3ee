// Plans of what needs no chart: it is all in the release.

import type { Release } from "@fairlead/kube";
import { fitResult } from "../../manifests/fit-result.ts";
import { onlyName } from "../../manifests/object-name.ts";
import type { Outcome } from "../../manifests/types.ts";
import { digestOfPlan } from "../../plan-digest.ts";
import type { PlanResult } from "../../types.ts";
import type { Begun } from "../begin.ts";
import { chooseRevision } from "../earlier.ts";
import { helmErrors } from "../errors.ts";
import { readMadeObjects } from "../objects.ts";
import { isKept } from "../report.ts";
import type { RollbackAction, UninstallAction } from "../types.ts";
import { conceal } from "../values/gather-values.ts";
import { appliesOnClient } from "./applies-on-client.ts";
import { compareLive } from "./compare-live.ts";
import { digestSecret } from "./digest-secret.ts";
import { showHooks } from "./show-hooks.ts";

export async function planRollback(begun: Begun, action: RollbackAction): Promise<PlanResult> {
  const { task, heads } = begun;
  const revision = chooseRevision(begun, action);
  const target = await open(begun, revision);
  const current = await open(begun, heads.at(-1)?.revision);
  const live = {
    before: current.manifest,
    after: target.manifest,
    isForced: action.forceConflicts,
    isClientSide: appliesOnClient(begun, { before: current, isForced: action.forceConflicts }),
    makesNamespace: false,
  };
  const objects = await compareLive(begun, live);
  const hooks = hooksOf(begun, target, ["pre-rollback", "post-rollback"]);
  return toPlan(begun, {
    objects,
    hooks,
    target,
    more: { to: { revision, chart: target.chart } },
    isEmpty: false,
    failures: objects.filter(({ did }) => did === "failed").length,
    about: [task.spec.action, revision],
  });
}

export async function planUninstall(begun: Begun, action: UninstallAction): Promise<PlanResult> {
  const { heads } = begun;
  const latest = heads.at(-1);
  if (latest === undefined || (latest.status === "uninstalled" && action.keepHistory))
    return toPlan(begun, {
      objects: [],
      hooks: [],
      target: undefined,
      more: {},
      isEmpty: true,
      failures: 0,
      about: [action],
    });
  const target = await open(begun, latest.revision);
  const objects = readMadeObjects(target.manifest).map(
    (made): Outcome => ({ ...onlyName(made), did: isKept(made) ? "kept" : "deleted" }),
  );
  const hooks = hooksOf(begun, target, ["pre-delete", "post-delete"]);
  return toPlan(begun, { objects, hooks, target, more: {}, isEmpty: false, failures: 0, about: [action] });
}

export async function planTests(begun: Begun): Promise<PlanResult> {
  const target = await open(begun, begun.heads.at(-1)?.revision);
  const hooks = hooksOf(begun, target, ["test"]);
  return toPlan(begun, {
    objects: [],
    hooks,
    target,
    more: {},
    isEmpty: hooks.length === 0,
    failures: 0,
    about: ["test"],
  });
}

async function open({ store, heads, task }: Begun, revision: number | undefined): Promise<Release> {
  const head = heads.find((each) => each.revision === revision);
  const release = head && (await store.open(head));
  if (release === undefined)
    throw helmErrors.HELM_RELEASE_MISSING({ release: task.spec.release, namespace: task.spec.namespace });
  // Its values may be secret, and its hooks are shown.
  task.secrets.read.add(`${task.spec.namespace}/${head?.secret}`);
  conceal(task.secrets, release.values);
  return release;
}

function hooksOf({ task }: Begun, { hooks }: Release, events: readonly string[]): Release["hooks"] {
  return task.spec.skipHooks ? [] : hooks.filter((hook) => hook.events.some((event) => events.includes(event)));
}

function toPlan(
  { task, heads }: Begun,
  plan: {
    readonly objects: readonly Outcome[];
    readonly hooks: Release["hooks"];
    readonly target: Release | undefined;
    readonly more: object;
    readonly isEmpty: boolean;
    readonly failures: number;
    readonly about: readonly unknown[];
  },
): PlanResult {
  const { objects, hooks, target, more, isEmpty, failures, about } = plan;
  const { release, namespace } = task.spec;
  const json = {
    release,
    namespace,
    revision: heads.at(-1)?.revision ?? 0,
    ...more,
    ...fitResult(objects, maxObjectBytes),
    hooks: showHooks(hooks),
  };
  const hidden = digestSecret(
    target?.manifest ?? "",
    hooks.map(({ manifest }) => manifest),
  );
  return {
    json,
    isEmpty,
    digest: digestOfPlan(about, json, hidden),
    ...(failures > 0 && { failure: helmErrors.HELM_PLAN_REFUSED({ count: failures, total: objects.length }) }),
  };
}

const maxObjectBytes = 700 * 1024;
