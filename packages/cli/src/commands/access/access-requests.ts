import type { AccessRequest, AccessRequestState } from "@fairlead/contract";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatAge, formatSpan, parseSpan } from "../../output/index.ts";
import { addClusterOptions, type ClusterOptions, clustersOf, formatClusters } from "./cluster-options.ts";

interface CreateOptions extends ClusterOptions {
  readonly role: string;
  readonly for: number;
  readonly reason: string;
}

interface ApproveOptions {
  readonly for?: number;
  readonly record?: boolean;
  readonly comment?: string;
}

export function addAccessRequestCommands(access: Command, open: OpenContext): void {
  const request = access
    .command("request")
    .description("Request a role for a time, and decide other people's requests");
  const creating = request
    .command("create")
    .description("Request a role for a time; it begins when somebody approves the request")
    .examples('fairlead access request create --role operator --cluster east --for 4h --reason "INC-7: shop is down"')
    .requiredOption("--role <role>", "Name of the role");
  addClusterOptions(creating)
    .option("--all-clusters", "All clusters, and the hub itself")
    .requiredOption("--for <time>", "Time for which you need the role, for example 4h (at most 30d)", parseSpan)
    .requiredOption("--reason <text>", "Reason for the request, for the approver and the records")
    .action((options: CreateOptions, command: Command) => create(open(command), options));
  request
    .command("list")
    .prints("request")
    .description("List your requests, or all requests if you can list bindings; newest first")
    .examples("fairlead access request list --state pending")
    .addOption(
      new Option("--state <state>", "Only requests in this state").choices([
        "pending",
        "approved",
        "denied",
        "cancelled",
        "expired",
      ]),
    )
    .action((options: { readonly state?: AccessRequestState["kind"] }, command: Command) =>
      list(open(command), options.state),
    );
  request
    .command("show")
    .prints("request")
    .description("Show a request and its state")
    .examples("fairlead access request show arq_4f2a…")
    .argument("<request>", "ID of the request, as 'request list' shows it")
    .action((id: string, _options: object, command: Command) =>
      tell(open(command), async (hub, signal) => await hub.getAccessRequest(id, { signal })),
    );
  request
    .command("approve")
    .description("Approve another person's request; the role begins now")
    .examples(
      "fairlead access request approve arq_4f2a…",
      "fairlead access request approve arq_4f2a… --for 1h --record",
    )
    .argument("<request>", "ID of the request, as 'request list' shows it")
    .option("--for <time>", "Time for which the role is granted, at most the requested time (default: that)", parseSpan)
    .option("--record", "Record every exec and attach session under the granted role")
    .option("--comment <text>", "Comment for the requester")
    .action((id: string, { for: ttlMs, record, comment }: ApproveOptions, command: Command) =>
      tell(
        open(command),
        async (hub, signal) => await hub.approveAccessRequest(id, { ttlMs, record, comment }, { signal }),
      ),
    );
  request
    .command("deny")
    .description("Deny another person's request")
    .examples('fairlead access request deny arq_4f2a… --comment "use the staging cluster"')
    .argument("<request>", "ID of the request, as 'request list' shows it")
    .option("--comment <text>", "Comment for the requester")
    .action((id: string, { comment }: { readonly comment?: string }, command: Command) =>
      tell(open(command), async (hub, signal) => await hub.denyAccessRequest(id, { comment }, { signal })),
    );
  request
    .command("cancel")
    .description("Withdraw your own request")
    .examples("fairlead access request cancel arq_4f2a…")
    .argument("<request>", "ID of the request, as 'request list' shows it")
    .action((id: string, _options: object, command: Command) =>
      tell(open(command), async (hub, signal) => await hub.cancelAccessRequest(id, { signal })),
    );
}

async function create(context: CommandContext, options: CreateOptions): Promise<void> {
  const { role, for: ttlMs, reason } = options;
  const clusters = clustersOf(options);
  await tell(
    context,
    async (hub, signal) => await hub.createAccessRequest({ role, clusters, ttlMs, reason }, { signal }),
  );
}

async function list(
  { hub, output, signal, terminal }: CommandContext,
  state?: AccessRequestState["kind"],
): Promise<void> {
  const found = await (await hub()).listAccessRequests({ state }, { signal });
  const rows = found.items.map((request) => [
    output.safe(request.id),
    output.safe(request.user),
    output.safe(request.role),
    output.safe(formatClusters(request.clusters)),
    formatSpan(request.ttlMs),
    request.state.kind,
    formatAge(terminal.now() - Date.parse(request.createdAt)),
    output.safe(request.reason),
  ]);
  const head = ["REQUEST", "WHO", "ROLE", "CLUSTERS", "FOR", "STATE", "AGE", "REASON"];
  output.answer(found, () => output.table(head, rows));
}

type Hub = Awaited<ReturnType<CommandContext["hub"]>>;

async function tell(
  { hub, output, signal }: CommandContext,
  call: (hub: Hub, signal: AbortSignal | undefined) => Promise<AccessRequest>,
): Promise<void> {
  const request = await call(await hub(), signal);
  const { id, user, role, clusters, ttlMs, reason, state } = request;
  const what = `${user} wants ${role} in ${formatClusters(clusters)} for ${formatSpan(ttlMs)}: ${reason}`;
  output.answer(
    request,
    () => `${output.safe(what)}\nRequest ${output.safe(id)} ${output.safe(describeState(request, state))}.\n`,
  );
}

function describeState({ expiresAt }: AccessRequest, state: AccessRequestState): string {
  switch (state.kind) {
    case "pending":
      return `is pending until ${expiresAt}`;
    case "approved":
      return `was approved by ${state.by} until ${state.endsAt} (binding ${state.binding})${because(state.comment)}`;
    case "denied":
      return `was denied by ${state.by}${because(state.comment)}`;
    case "cancelled":
      return `was cancelled at ${state.at}`;
    case "expired":
      return `expired at ${state.at}`;
    default:
      return state satisfies never;
  }
}

function because(comment: string | undefined): string {
  return comment === undefined ? "" : `: ${comment}`;
}
