import { type AccessRole, loadPutRoleRequestSchema, type PutRoleRequest } from "@fairlead/contract/client";
import { parse, stringify } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { showDifference } from "../../difference/index.ts";
import { cliErrors, usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import { readAll } from "../../terminal.ts";
import { confirm } from "../confirm.ts";

export function addRoleCommands(access: Command, open: OpenContext): void {
  const role = access.command("role").description("Manage roles");
  role
    .command("list")
    .prints("role")
    .formerly("access roles")
    .description("List roles")
    .examples("fairlead access role list")
    .action((_options: object, command: Command) => listRoles(open(command)));
  role
    .command("get")
    .prints("role")
    .formerly("access role show")
    .description("Print a role as YAML, as 'apply' reads it")
    .examples("fairlead access role get viewer")
    .argument("<role>", "Name of the role")
    .action((name: string, _options: object, command: Command) => showRole(open(command), name));
  role
    .command("apply")
    .formerly("access role set")
    .description("Create or replace a role")
    .examples("fairlead access role apply reader -f reader.yaml")
    .argument("<role>", "Name of the role: lower-case letters, digits and '-'")
    .requiredOption("-f, --file <file>", "File with the role in YAML or JSON; - for standard input")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((name: string, options: ApplyOptions, command: Command) => setRole(open(command), name, options));
  role
    .command("delete")
    .description("Delete a role that no binding uses")
    .examples("fairlead access role delete reader")
    .argument("<role>", "Name of the role")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, options: { readonly yes?: boolean }, command: Command) =>
      deleteRole(open(command), name, options.yes),
    );
}

async function listRoles({ hub, output, signal }: CommandContext): Promise<void> {
  const list = await (await hub()).listRoles({ signal });
  const rows = list.items.map((role) => [
    output.safe(role.name),
    role.isBuiltIn ? "built in" : "custom",
    output.safe(role.groups.join(", ")),
    output.safe(role.description),
  ]);
  output.answer(list, () => output.table(["ROLE", "KIND", "GROUPS IN THE CLUSTER", "DESCRIPTION"], rows));
}

async function showRole({ hub, output, signal }: CommandContext, name: string): Promise<void> {
  const { items } = await (await hub()).listRoles({ signal });
  const role = items.find((item) => item.name === name);
  if (!role) throw cliErrors.CLI_ROLE_UNKNOWN({ name });
  output.answer(role, () => stringify(toRequest(role)));
}

function toRequest({ name: _, isBuiltIn: __, ...role }: AccessRole): PutRoleRequest {
  return role;
}

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
}

async function setRole(context: CommandContext, name: string, { file, dryRun }: ApplyOptions): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const request = await parseRole(name, file, file === "-" ? await readAll(terminal.stdin) : await readText(file));
  if (dryRun) {
    const current = (await (await hub()).listRoles({ signal })).items.find((item) => item.name === name);
    return showDifference(context, { what: `role/${name}`, before: current && toRequest(current), after: request });
  }
  const role = await (await hub()).putRole(name, request, { signal });
  output.answer(role, () => `Role '${output.safe(role.name)}' is set.\n`);
}

async function parseRole(name: string, file: string, text: string): Promise<PutRoleRequest> {
  const value = parseYaml(file, text);
  const { name: inFile = name, isBuiltIn: _, ...request } = value;
  if (inFile !== name) throw usage(`The role in ${file} is named '${String(inFile)}', not '${name}'.`);
  const parsed = (await loadPutRoleRequestSchema()).safeParse(request);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") || "the role";
  throw usage(`${file} isn't a role: ${where}: ${issue?.message ?? "it isn't valid"}.`, roleHint);
}

function parseYaml(file: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    throw usage(`${file} isn't YAML.`, roleHint);
  }
  throw usage(`${file} isn't a mapping.`, roleHint);
}

const roleHint = "Run 'fairlead access role get viewer' to print an example.";

async function deleteRole(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, { isYes, action: `delete role '${name}'`, question: `Delete role '${name}'?` });
  await client.removeRole(name, { signal });
  output.answer({ name, removed: true }, () => `Role '${name}' is deleted.\n`);
}
