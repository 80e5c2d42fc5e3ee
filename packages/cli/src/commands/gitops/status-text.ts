import type { GitopsFlowStatus, GitopsGuard, GitopsStatus } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";

export const statusHeading: readonly string[] = [
  "CLUSTER",
  "MODE",
  "SERVED",
  "OBJECTS",
  "DIRTY",
  "OLDEST",
  "REFUSED",
  "HELD",
  "SEEN",
];

export function toStatusRow(context: CommandContext, status: GitopsStatus): string[] {
  const { output } = context;
  const { cluster, mode, servedBy, since, toldAt, flows, guard } = status;
  const sum = (pick: (flow: GitopsFlowStatus) => number): string =>
    flows.length === 0 ? "-" : String(flows.reduce((total, flow) => total + pick(flow), 0));
  const contents = flows.find(({ flow }) => flow === "applications");
  return [
    output.safe(cluster),
    mode,
    servedBy === undefined ? "no" : `for ${age(context, since)}`,
    contents === undefined ? "-" : String(contents.objects),
    sum(({ dirty }) => dirty),
    age(context, flows.map(({ oldestChangeAt }) => oldestChangeAt).sort()[0]),
    sum(({ refusedCount }) => refusedCount),
    guard === undefined ? "-" : String(guard.count),
    age(context, toldAt),
  ];
}

export function describeStatus(context: CommandContext, status: GitopsStatus): string {
  const { output } = context;
  const { cluster, mode, mapping, servedBy, since, toldAt, flows, guard } = status;
  const facts = [
    ["Cluster:", output.safe(cluster)],
    ["Mode:", `${mode}, by ${mapping}`],
    ["Served:", servedBy === undefined ? "by no hub now" : `by ${output.safe(servedBy)} for ${age(context, since)}`],
    ["Seen:", toldAt === undefined ? "never" : `${age(context, toldAt)} ago`],
  ];
  const refused = flows.flatMap(({ flow, refused: some }) =>
    some.map(({ object, reason, message }) => [flow, object, reason, message].map((text) => output.safe(text))),
  );
  return [
    output.table(undefined, facts),
    flows.length === 0 ? "" : output.table(flowHeading, flows.map(toFlowRow)),
    refused.length === 0 ? "" : output.table(["FLOW", "REFUSED", "REASON", "MESSAGE"], refused),
    guard === undefined ? "" : describeDeletions(context, guard),
  ]
    .filter((part) => part !== "")
    .join("\n");

  function toFlowRow(flow: GitopsFlowStatus): string[] {
    const { objects, dirty, unacked, oldestChangeAt, comparedAt, refusedCount } = flow;
    return [
      output.safe(flow.flow),
      flow.from,
      flow.state,
      String(objects),
      String(dirty),
      String(unacked),
      age(context, oldestChangeAt),
      age(context, comparedAt),
      String(refusedCount),
    ];
  }
}

export function describeDeletions({ output, terminal }: CommandContext, guard: GitopsGuard): string {
  const { count, deletions } = guard;
  const rows = deletions.map(({ name, leftAt }) => [
    output.safe(name),
    formatSpan(terminal.now() - Date.parse(leftAt)),
  ]);
  const more = count > deletions.length ? `and ${count - deletions.length} more\n` : "";
  return output.table(["TO BE DELETED", "GONE FOR"], rows) + more;
}

function age({ terminal }: CommandContext, timestamp: string | undefined): string {
  return timestamp === undefined ? "-" : formatSpan(terminal.now() - Date.parse(timestamp));
}

const flowHeading = ["FLOW", "FROM", "STATE", "OBJECTS", "DIRTY", "UNACKED", "OLDEST", "COMPARED", "REFUSED"];
