// Puts right what an upgrade left that failed: back to the revision that was deployed before, or away with what was
// installed first. A graceful cancel doesn't stop it.
import type { FairleadError } from "@fairlead/kernel";
import { executeErrors } from "../../errors.ts";
import type { RunResult } from "../../types.ts";
import { rollbackArguments, uninstallArguments } from "../arguments.ts";
import { type Begun, describeCommand } from "../begin.ts";
import { helmErrors } from "../errors.ts";
import { type Memory, recallFailure, tellFailure } from "../memory.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import type { UpgradeAction } from "../types.ts";
import { reportUpgrade } from "./report-upgrade.ts";
import { type Stepped, standNow, takeStep } from "./step.ts";

export async function undo(
  begun: Begun,
  options: {
    readonly action: UpgradeAction;
    readonly memory: Memory;
    readonly heads: readonly ReleaseHead[];
    /** The upgrade's failure; that of the memory unless given. */
    readonly failure?: FairleadError | undefined;
  },
): Promise<RunResult> {
  const { task, standing } = begun;
  const { memory, heads } = options;
  const told = options.failure ? tellFailure(options.failure) : memory.failure;
  const failure =
    options.failure ??
    (memory.failure
      ? recallFailure(memory.failure)
      : helmErrors.HELM_FAILED({ exitCode: 1, reason: "the run that recorded the reason was interrupted" }));
  const { before } = memory;
  const isDone = memory.phase === "undo" && (before === undefined ? heads.length === 0 : standing.type === "done");
  const what = before === undefined ? "removed what was installed" : `rolled back to revision ${before}`;
  const meant: Memory = { phase: "undo", before, expected: (heads.at(-1)?.revision ?? 0) + 1, failure: told };
  task.log.line(`failed: ${failure.message}`);
  const { failure: again, ...now } = isDone
    ? { failure: undefined, ...(await standNow(begun)) }
    : await step(begun, { ...options, memory: meant });
  task.log.line(again === undefined ? what : `it isn't put right: ${again.message}`);
  if (again === undefined)
    return { json: await reportUpgrade(begun, { ...now, memory, failure, undone: what }), failure };
  const isCancelled = executeErrors.is(again, "COMMAND_CANCELLED");
  const both = helmErrors.HELM_ROLLBACK_FAILED({ reason: brief(failure), what: brief(again) });
  return { json: await reportUpgrade(begun, { ...now, memory, failure: again }), failure: isCancelled ? again : both };
}

async function step(
  begun: Begun,
  {
    action,
    memory,
    heads,
  }: { readonly action: UpgradeAction; readonly memory: Memory; readonly heads: readonly ReleaseHead[] },
): Promise<Stepped> {
  const { task, helm, store } = begun;
  const latest = heads.at(-1);
  if (latest?.status.startsWith("pending-")) await store.markFailed(latest);
  const told = { major: helm.major, spec: task.spec, description: describeCommand(task) };
  const current = latest && (await store.openIfReadable(latest));
  const args =
    memory.before === undefined
      ? uninstallArguments({ ...told, action: { keepHistory: false } })
      : rollbackArguments({
          ...told,
          action,
          revision: memory.before,
          isClientSide: current?.isClientSide ?? false,
        });
  return await takeStep(begun, { args, memory, isRepair: true });
}

function brief({ message }: FairleadError): string {
  return message.replace(/\.$/, "");
}
