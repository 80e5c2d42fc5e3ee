import { executeErrors } from "../../errors.ts";
import type { RunResult } from "../../types.ts";
import { testArguments } from "../arguments.ts";
import { type Begun, describeCommand } from "../begin.ts";
import { helmErrors } from "../errors.ts";
import { planTests } from "../plan/plan-others.ts";
import { reportRelease } from "../report.ts";
import { takeStep } from "./step.ts";

/** Tests may be run twice: a run that goes on begins them anew. */
export async function runTests(begun: Begun): Promise<RunResult> {
  const { task, helm, heads, memory } = begun;
  const { spec, approvedDigest, log } = task;
  const { release, namespace } = spec;
  const latest = heads.at(-1);
  if (latest === undefined) throw helmErrors.HELM_RELEASE_MISSING({ release, namespace });
  if (memory === undefined && approvedDigest !== undefined && (await planTests(begun)).digest !== approvedDigest)
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "the release has changed since" });
  log.line(`tests ${namespace}/${release}, revision ${latest.revision}`);
  const { failure, ...after } = await takeStep(begun, {
    args: testArguments({ major: helm.major, spec, description: describeCommand(task) }),
    memory: { phase: "act", before: latest.revision, expected: latest.revision },
  });
  const json = reportRelease({ task, ...after });
  const tests = json.tests ?? [];
  const count = tests.filter(({ phase }) => phase === "Failed").length;
  for (const { kind, name, phase = "not run" } of tests) log.line(`test ${kind} ${name}: ${phase.toLowerCase()}`);
  const isCancelled = executeErrors.is(failure, "COMMAND_CANCELLED");
  if (count === 0 || isCancelled) return { json, failure };
  return { json, failure: helmErrors.HELM_TEST_FAILED({ count, total: tests.length }) };
}
