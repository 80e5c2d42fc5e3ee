import type { ApplicationDetail, ApplicationName } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { showDifference } from "../../difference/index.ts";
import { usage } from "../../errors.ts";
import { hubCodes } from "../../hub-codes.ts";
import { applicationArgument, applicationDescription, applicationName, parseApplication } from "./application-name.ts";
import { addSpecOptions, type SpecOptions, withSpecOptions } from "./spec-options.ts";

export function addApplicationSet(app: Command, open: OpenContext): void {
  const command = app
    .command("set")
    .description("Change an application of a managed cluster; settings without a flag stay as they are")
    .examples("fairlead argo app set east/shop --revision v1.4.0")
    .argument(applicationArgument, applicationDescription, parseApplication);
  addSpecOptions(command)
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((of: ApplicationName, { dryRun, ...options }: SetOptions, sub: Command) =>
      setApplication(open(sub), of, { options, dryRun }),
    );
}

interface SetOptions extends SpecOptions {
  readonly dryRun?: boolean;
}

async function setApplication(
  context: CommandContext,
  of: ApplicationName,
  { options, dryRun }: { readonly options: SpecOptions; readonly dryRun: boolean | undefined },
): Promise<void> {
  const { output, signal } = context;
  if (Object.keys(options).length === 0) throw usage("No change is specified.", "Use at least one option.");
  if (dryRun) {
    const { spec } = await (await context.hub()).getApplication(of, { signal });
    const what = `application/${applicationName({ ...of })}`;
    const after = { spec: withSpecOptions(spec, options) };
    return showDifference(context, { what, before: { spec }, after, source: "flags" });
  }
  const application = await changeApplication(context, of, options);
  output.answer(application, () => `${output.safe(of.name)} is changed.\n`);
}

/** The cluster writes its status all the time: what is changed here is decided anew then, of the newest. */
async function changeApplication(
  { hub: connect, signal }: CommandContext,
  of: ApplicationName,
  options: SpecOptions,
): Promise<ApplicationDetail> {
  const hub = await connect();
  for (let tries = 1; ; tries += 1) {
    const { spec, resourceVersion } = await hub.getApplication(of, { signal });
    try {
      return await hub.putApplication(of, { spec: withSpecOptions(spec, options), resourceVersion }, { signal });
    } catch (error) {
      if (!hubCodes.is(error, "GITOPS_APPLICATION_CONFLICT") || tries === maxTries) throw error;
    }
  }
}

const maxTries = 5;
