import type { CaStatus } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatAge, parseSpan } from "../output/index.ts";
import { confirm } from "./confirm.ts";

export function addCaCommands(program: Command, open: OpenContext): void {
  const ca = program.command("ca").description("Manage the hub's certificate authority");
  ca.command("status")
    .description("Show the certificate authorities, their age, and how many agents use each")
    .examples("fairlead ca status")
    .action((_options: object, command: Command) => showStatus(open(command)));
  ca.command("rotate")
    .description("Create a new certificate authority, and ask agents to renew their certificates under it")
    .examples("fairlead ca rotate --renew-within 1h")
    .option(
      "--renew-within <span>",
      "Time over which the agents spread their renewals (default: 1m, longer for thousands of agents)",
      parseSpan,
    )
    .action((options: RotateOptions, command: Command) => rotate(open(command), options));
  ca.command("retire")
    .description("Retire the old certificate authority, once no agent uses it")
    .examples("fairlead ca retire")
    .option("--force", "Retire it even while agents use it; those agents must enroll again")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((options: RetireOptions, command: Command) => retire(open(command), options));
}

interface RotateOptions {
  readonly renewWithin?: number;
}

interface RetireOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
}

async function showStatus(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const status = await (await hub()).getCa({ signal });
  output.answer(status, () => describeStatus(context, status));
}

async function rotate(context: CommandContext, { renewWithin }: RotateOptions): Promise<void> {
  const { hub, output, signal } = context;
  const status = await (await hub()).rotateCa({ renewWithinMs: renewWithin }, { signal });
  output.answer(status, () => describeStatus(context, status));
  output.remark("Agents renew under the new authority now. 'fairlead ca status' says how many haven't yet.");
  output.remark("Let everyone run 'fairlead kubeconfig --refresh' before 'fairlead ca retire' ends the old one.");
}

async function retire(context: CommandContext, options: RetireOptions): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, {
    isYes: options.yes,
    action: "retire the old certificate authority",
    question: options.force
      ? "Retire the old certificate authority, and cut off all agents and clients that know no other?"
      : "Retire the old certificate authority? Clients that know no other won't trust the hub any more.",
  });
  const status = await client.retireCa({ force: options.force }, { signal });
  output.answer(status, () => describeStatus(context, status));
}

function describeStatus({ output, terminal }: CommandContext, { authorities }: CaStatus): string {
  const rows = authorities.map(({ use, fingerprint, createdAt, notAfter, agents }) => [
    use,
    fingerprint,
    formatAge(terminal.now() - Date.parse(createdAt)),
    notAfter.slice(0, 10),
    String(agents),
  ]);
  const table = output.table(["USE", "FINGERPRINT", "AGE", "UNTIL", "AGENTS"], rows);
  const leaving = authorities.find(({ use }) => use === "leaving");
  if (!leaving || leaving.clusters.length === 0) return table;
  return `${table}\nNot renewed yet: ${leaving.clusters.map((name) => output.safe(name)).join(", ")}\n`;
}
