// `fairlead run KIND`: what the file says, in clusters.
import type { CommandKindName, CommandSpecs, KindAndSpec } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import type { Terminal } from "../../terminal.ts";
import { addRunOptions, type RunOptions, startRuns } from "./start-runs.ts";

export interface RunnableKind<Kind extends CommandKindName> {
  readonly kind: Kind;
  readonly description: string;
  readonly examples: readonly string[];
  /** The help text of `--file`. */
  readonly fileHelp: string;
  /** Reads the spec from a file, or `-`. The hub checks what isn't checked here. */
  readonly readSpec: (terminal: Pick<Terminal, "stdin">, file: string) => Promise<CommandSpecs[Kind]>;
}

export function addRunKind<Kind extends CommandKindName>(
  run: Command,
  open: OpenContext,
  { kind, description, examples, fileHelp, readSpec }: RunnableKind<Kind>,
): void {
  const command = run
    .command(kind)
    .description(description)
    .examples(...examples)
    .requiredOption("-f, --file <file>", fileHelp);
  addRunOptions(command)
    .option("--service-account <namespace/name>", "ServiceAccount to run as (default: the agent's own)")
    .action((options: KindOptions, command: Command) => {
      const context = open(command);
      const read = async () => ({ kind, spec: await readSpec(context.terminal, options.file) }) as KindAndSpec;
      return startRuns(context, { options, read });
    });
}

interface KindOptions extends RunOptions {
  readonly file: string;
}
