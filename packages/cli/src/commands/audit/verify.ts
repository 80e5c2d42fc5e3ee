import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { AnswerIsNo } from "../../terminal.ts";

export function addVerify(audit: Command, open: OpenContext): void {
  audit
    .command("verify")
    .description("check that no record was changed, and none taken out")
    .action((_options: object, command: Command) => verify(open(command)));
}

async function verify({ hub, output, signal }: CommandContext): Promise<void> {
  const found = await (await hub()).verifyAudit({ signal });
  const { ok, records, firstSeq, lastSeq, brokenAt, headHash } = found;
  output.answer(found, () =>
    ok
      ? `${output.colors.green("whole")}: ${records} records, ${firstSeq} to ${lastSeq}\nhash of the last: ${output.safe(headHash)}\n`
      : `${output.colors.red("broken")}: record ${brokenAt ?? "?"} isn't as it was written, or is missing (${records} records, ${firstSeq} to ${lastSeq})\n`,
  );
  if (!ok) throw new AnswerIsNo();
  output.remark(
    "Keep number and hash elsewhere: another hash for that number later on means that the past was rewritten.",
  );
}
