import type { ExplainRequest, Explanation } from "@fairlead/contract";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { AnswerIsNo } from "../../terminal.ts";
import { collectText } from "../collect.ts";
import { addRequest, type RequestOptions } from "./request.ts";
import { parseSubject } from "./subject.ts";

interface ExplainOptions extends RequestOptions {
  readonly name?: string;
  readonly group?: string[];
  readonly kind?: ExplainRequest["subject"]["kind"];
}

export function addExplain(access: Command, open: OpenContext): void {
  const explaining = access
    .command("explain")
    .description("Explain whether a user can do something, and why")
    .examples("fairlead access explain alice@example.com delete pods --cluster east -n shop")
    .argument("<user>", "User, for example alice@example.com, robot:ci or admin");
  addRequest(explaining)
    .option("--name <object>", "Name of the object to ask about")
    .option("--group <group>", "Group of the user, instead of those of the last sign-in; can be repeated", collectText)
    .addOption(
      new Option("--kind <kind>", "Kind of account that <user> names").choices(["user", "robot", "admin-token"]),
    )
    .action((user: string, verb: string, resource: string, options: ExplainOptions, command: Command) =>
      explain(open(command), { user, verb, resource }, options),
    );
}

/** The exit code says the same as the text: a script can ask. */
async function explain(
  context: CommandContext,
  asked: { readonly user: string; readonly verb: string; readonly resource: string },
  options: ExplainOptions,
): Promise<void> {
  const { hub, output, signal } = context;
  const { user, verb, resource } = asked;
  const { cluster, namespace, name, group } = options;
  const subject = options.kind === undefined ? parseSubject(user) : { kind: options.kind, name: user };
  const request = { subject: { ...subject, groups: group }, verb, resource, cluster, namespace, name };
  const explanation = await (await hub()).explainAccess(request, { signal });

  output.answer(explanation, () => describe(context, explanation));
  if (!explanation.allowed) throw new AnswerIsNo();
}

function describe({ output }: CommandContext, { allowed, reason, identity, considered }: Explanation): string {
  const { colors } = output;
  const verdict = allowed ? colors.green("yes") : colors.red("no");
  const parts = [`${verdict}: ${output.safe(reason)}\n`];
  if (identity) {
    const groups = identity.groups.length === 0 ? "" : `, in ${identity.groups.map(output.safe).join(", ")}`;
    parts.push(`The cluster sees ${output.safe(identity.user)}${groups}; its own RBAC has the last word.\n`);
  }
  if (considered.length > 0) {
    const rows = considered.map(({ binding, role, matched, why }) => [
      output.safe(binding),
      output.safe(role),
      matched ? "yes" : "no",
      output.safe(why),
    ]);
    parts.push(`\n${output.table(["BINDING", "ROLE", "GIVES IT", "WHY"], rows)}`);
  }
  return parts.join("");
}
