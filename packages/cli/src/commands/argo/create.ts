import type { ApplicationName, Labels, PutApplicationRequest } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { findOrNone, showDifference } from "../../difference/index.ts";
import { cliErrors, usage } from "../../errors.ts";
import { hubCodes } from "../../hub-codes.ts";
import { collectLabel } from "../collect.ts";
import { applicationArgument, applicationDescription, applicationName, parseApplication } from "./application-name.ts";
import { readApplication } from "./read-application.ts";
import { addSpecOptions, type SpecOptions, withSpecOptions } from "./spec-options.ts";

interface CreateOptions extends SpecOptions {
  readonly file?: string;
  readonly label?: Labels;
  readonly cascade?: boolean;
  readonly upsert?: boolean;
  readonly dryRun?: boolean;
}

export function addApplicationCreate(app: Command, open: OpenContext): void {
  const command = app
    .command("create")
    .description("Create an application for a managed cluster")
    .examples(
      "fairlead argo app create east/shop --repo https://git.example.com/shop.git --path deploy --dest-namespace shop",
    )
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option(
      "-f, --file <file>",
      "File with the manifest in YAML or JSON, of which labels, annotations, finalizers and the spec are used; - for standard input. Other flags override it",
    );
  addSpecOptions(command)
    .option("--label <key=value>", "Label, for example team=shop; can be repeated", collectLabel)
    .option("--cascade", "Delete the deployed resources together with the application")
    .option("--upsert", "Replace the application if it exists")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((of: ApplicationName, options: CreateOptions, sub: Command) => createApplication(open(sub), of, options));
}

async function createApplication(context: CommandContext, of: ApplicationName, options: CreateOptions): Promise<void> {
  const { hub, output, signal } = context;
  const request = await toRequest(context, of, options);
  if (options.dryRun) return showChange(context, of, request);
  try {
    const application = await (await hub()).putApplication(of, request, { signal });
    output.answer(application, () => `${output.safe(of.name)} is made for ${output.safe(of.cluster)}.\n`);
  } catch (error) {
    if (!hubCodes.is(error, "GITOPS_APPLICATION_CONFLICT") || options.upsert === true) throw error;
    throw cliErrors.CLI_APPLICATION_EXISTS({ name: of.name, cluster: of.cluster, cause: error });
  }
}

async function showChange(context: CommandContext, of: ApplicationName, request: PutApplicationRequest): Promise<void> {
  const { resourceVersion: _, ...after } = request;
  const hub = await context.hub();
  const current = await findOrNone(() => hub.getApplication(of, { signal: context.signal }));
  // The hub keeps the fields that the request leaves out.
  const before =
    current && Object.fromEntries(Object.keys(after).map((field) => [field, current[field as keyof typeof after]]));
  return showDifference(context, { what: `application/${applicationName({ ...of })}`, before, after });
}

async function toRequest(
  { terminal }: CommandContext,
  { cluster, name }: ApplicationName,
  options: CreateOptions,
): Promise<PutApplicationRequest> {
  const { file, label, cascade, upsert } = options;
  const base: PutApplicationRequest = file === undefined ? { spec: {} } : await readApplication(terminal, file, name);
  if (file === undefined && (options.repo === undefined || (options.path ?? options.chart) === undefined))
    throw usage("An application needs a source.", "Use --repo with --path or --chart, or -f FILE.");
  const { project = "default", destination = { name: cluster }, ...spec } = base.spec;
  return {
    ...base,
    spec: withSpecOptions({ project, destination, ...spec }, options),
    ...(label === undefined ? {} : { labels: { ...base.labels, ...label } }),
    ...(cascade === true ? { finalizers: [...new Set([...(base.finalizers ?? []), resourcesFinalizer])] } : {}),
    ...(upsert === true ? {} : { resourceVersion: noVersion }),
  };
}

const resourcesFinalizer = "resources-finalizer.argocd.argoproj.io";
/** No application that is there has it, so none is replaced. */
const noVersion = "0";
