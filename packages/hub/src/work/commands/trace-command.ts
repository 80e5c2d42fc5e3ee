// A command's trace: a span for its submission, on which the agent's span hangs, and one for its life on the hub.
import type { Tracer } from "@fairlead/kernel/tracing";
import type { CommandState } from "./command-state.ts";
import type { NewCommand } from "./new-command.ts";
import type { CommandRow } from "./rows.ts";

/** The span that the command's others hang on, as the header `traceparent`. */
export function traceSubmission(tracer: Tracer, { kind, cluster }: NewCommand): string {
  const span = tracer.startSpan({ name: `submit ${kind}`, attributes: { "k8s.cluster.name": cluster } });
  span.end();
  return span.traceParent;
}

/** From its submission to its outcome, which another hub may have recorded; told by the one that recorded it. */
export function traceOutcome(tracer: Tracer, row: CommandRow, state: CommandState): void {
  if (row.trace_parent === null || state.is !== "ended") return;
  const span = tracer.startSpan({
    name: `command ${row.kind}`,
    parent: row.trace_parent,
    startedMs: row.created_at.getTime(),
    attributes: {
      "k8s.cluster.name": row.cluster,
      "fairlead.command.id": row.id,
      "fairlead.command.outcome": state.outcome,
      "fairlead.command.claims": row.epoch,
      "fairlead.command.dry_run": row.dry_run,
    },
  });
  span.end({ errorCode: state.outcome === "succeeded" ? undefined : (row.code ?? state.outcome) });
}
