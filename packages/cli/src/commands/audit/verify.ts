import type { ChainVerification } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import type { Output } from "../../output/index.ts";
import { AnswerIsNo } from "../../terminal.ts";

export function addVerify(audit: Command, open: OpenContext): void {
  audit
    .command("verify")
    .description("Check that no audit record was changed or removed")
    .examples("fairlead audit verify")
    .action((_options: object, command: Command) => verify(open(command)));
}

async function verify({ hub, output, signal }: CommandContext): Promise<void> {
  const found = await (await hub()).verifyAudit({ signal });
  const { ok, records, firstSeq, lastSeq, brokenAt, headHash, chains } = found;
  output.answer(found, () => {
    if (chains) return describeChains(output, chains);
    return ok
      ? `${output.colors.green("whole")}: ${records} records, ${firstSeq} to ${lastSeq}\nhash of the last: ${output.safe(headHash)}\n`
      : `${output.colors.red("broken")}: record ${brokenAt ?? "?"} isn't as it was written, or is missing (${records} records, ${firstSeq} to ${lastSeq})\n`;
  });
  if (!ok) throw new AnswerIsNo();
  output.remark(
    "Keep number and hash elsewhere: another hash for that number later on means that the past was rewritten.",
  );
}

/** Each hub on the database has a chain of its own. */
function describeChains(output: Output, chains: readonly ChainVerification[]): string {
  return output.table(
    ["CHAIN", "HUB", "RECORDS", "FOUND", "HASH OF THE LAST"],
    chains.map((chain) => [
      chain.chain === "" ? "first" : output.safe(chain.chain),
      output.safe(chain.hub),
      chain.firstSeq === 0 ? "none" : `${chain.firstSeq} to ${chain.lastSeq}`,
      chain.ok ? output.colors.green("whole") : output.colors.red(`broken: ${describeProblem(output, chain)}`),
      output.safe(chain.headHash),
    ]),
  );
}

function describeProblem(output: Output, { problem, brokenAt = 0, lastSeq, namedBy }: ChainVerification): string {
  const by = output.safe(namedBy === "" ? "first" : namedBy);
  switch (problem) {
    case "missing":
      return `all up to ${lastSeq} is missing, says ${by}`;
    case "cut":
      return `the records from ${brokenAt} on are missing, says ${by}`;
    case "changed":
    case undefined:
      return `record ${brokenAt} isn't as it was written, or is missing`;
  }
}
