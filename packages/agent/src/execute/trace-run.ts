// The span of what a claim of a command does in the cluster. Only ids, kinds and codes leave by it, never a text.
import { toFairleadError } from "@fairlead/kernel";
import type { ClaimedCommand, CommandEnvelope } from "@fairlead/protocol";
import type { ExecuteDependencies } from "./dependencies.ts";
import type { NextAction } from "./next-action.ts";
import type { Performed } from "./perform.ts";

export async function traceRun(
  { tracer }: Pick<ExecuteDependencies, "tracer">,
  about: { readonly command: ClaimedCommand; readonly envelope: CommandEnvelope; readonly action: NextAction },
  run: () => Promise<Performed | undefined>,
): Promise<Performed | undefined> {
  if (tracer === undefined) return await run();
  const { command, envelope, action } = about;
  const span = tracer.startSpan({
    name: `${action.is} ${envelope.kind}`,
    kind: "consumer",
    parent: command.traceParent,
    attributes: {
      "fairlead.command.id": envelope.id,
      "fairlead.command.claim": Number(command.epoch),
      "fairlead.command.dry_run": envelope.dryRun,
    },
  });
  try {
    const done = await run();
    span.end({ attributes: { "fairlead.command.outcome": outcomeOf(done) }, errorCode: codeOf(done) });
    return done;
  } catch (thrown) {
    span.end({ errorCode: toFairleadError(thrown).code });
    throw thrown;
  }
}

function outcomeOf(done: Performed | undefined): string {
  if (done === undefined) return "left";
  return done.is === "ended" ? done.outcome.state : "planned";
}

function codeOf(done: Performed | undefined): string | undefined {
  if (done?.is !== "ended" || done.outcome.state === "succeeded") return undefined;
  return done.outcome.code || done.outcome.state;
}
