// Commands that some write down and others ask for.
import type { PutTemplateRequest } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { findOrNone, showDifference } from "../../difference/index.ts";
import { usage } from "../../errors.ts";
import { confirm } from "../confirm.ts";
import { readMap } from "../read-map.ts";
import { addParameterOptions, type ParameterOptions, readParameters } from "./parameters.ts";
import { describeTemplate, templateHeading, toTemplateRow, toYaml } from "./template-text.ts";

export { addParameterOptions, type ParameterOptions, readParameters } from "./parameters.ts";

export function addTemplateCommands(program: Command, open: OpenContext): void {
  const template = program.command("template").description("Manage templates: prepared runs for other people");
  const add = (name: string, description: string): Command =>
    template.command(name).description(description).argument("<template>", "Name of the template");
  template
    .command("list")
    .prints("template")
    .description("List the templates that you can use or see")
    .examples("fairlead template list")
    .action((_options: object, command: Command) => list(open(command)));
  add("get", "Show a template with its parameters")
    .prints("template")
    .examples("fairlead template get web")
    .formerly("template show")
    .action((name: string, _options: object, command: Command) => show(open(command), name));
  template
    .command("apply")
    .description("Create or replace a template")
    .examples("fairlead template apply -f web.yaml")
    .requiredOption("-f, --file <file>", "File with the template in YAML or JSON; - for standard input")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((options: ApplyOptions, command: Command) => apply(open(command), options));
  add("delete", "Delete a template; runs in progress continue")
    .examples("fairlead template delete web")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, { yes }: { readonly yes?: boolean }, command: Command) => remove(open(command), name, yes));
  addParameterOptions(
    add("render", "Print the command that a template makes of parameters, without running it").examples(
      "fairlead template render web --set replicas=3",
    ),
  ).action((name: string, options: ParameterOptions, command: Command) => render(open(command), name, options));
}

async function list(context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { items } = await (await context.hub()).listTemplates({ signal });
  const rows = items.map((one) => toTemplateRow(context, one));
  output.answer({ items }, () => (rows.length === 0 ? "" : output.table(templateHeading, rows)));
  if (items.length === 0) output.remark("No templates.");
}

async function show(context: CommandContext, name: string): Promise<void> {
  const template = await (await context.hub()).getTemplate(name, { signal: context.signal });
  context.output.answer(template, () => describeTemplate(context, template));
}

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
}

/** Without what the hub says of it. */
function writtenOf({ name: _, revision: __, isVouched: ___, changedAt: _at, changedBy: _by, ...written }: Described) {
  return written;
}

type Described = Readonly<Record<string, unknown>>;

/** Takes the JSON that `show` prints, perhaps changed. The hub checks all but the name. */
async function apply(context: CommandContext, { file, dryRun }: ApplyOptions): Promise<void> {
  const { output, terminal, signal } = context;
  const { name, changedAt: _at, changedBy: _by, ...request } = await readMap(terminal, file, what);
  if (typeof name !== "string") throw usage(`${file} isn't a template with a name.`, what.example);
  const hub = await context.hub();
  if (dryRun) {
    const current = await findOrNone(() => hub.getTemplate(name, { signal }));
    const before = current && writtenOf({ ...current });
    return showDifference(context, { what: `template/${name}`, before, after: writtenOf(request) });
  }
  const template = await hub.putTemplate(name, request as unknown as PutTemplateRequest, { signal });
  output.answer(template, () => `${output.safe(template.name)} is at revision ${template.revision}.\n`);
}

async function remove(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { output, terminal, signal } = context;
  const hub = await context.hub();
  await confirm(terminal, { isYes, action: `remove template '${name}'`, question: `Remove template '${name}'?` });
  await hub.removeTemplate(name, { signal });
  output.answer({ name, removed: true }, () => `Template '${name}' is removed.\n`);
}

async function render(context: CommandContext, name: string, options: ParameterOptions): Promise<void> {
  const { output, signal } = context;
  const parameters = await readParameters(context, { name, options });
  const rendered = await (await context.hub()).renderTemplate(name, { parameters }, { signal });
  const { target, revision, spec } = rendered;
  output.answer(rendered, () =>
    [
      `${output.safe(name)}, revision ${revision}, would be ${output.safe(target)}.\n`,
      `\nParameters:\n${toYaml(output, rendered.parameters)}`,
      spec === undefined ? "" : `\nSpec:\n${toYaml(output, spec)}`,
    ].join(""),
  );
}

const what = {
  what: "a template",
  example: "It is written like: {name: web, kind: helm, clusters: {all: true}, parameters: {…}, spec: {…}}",
};
