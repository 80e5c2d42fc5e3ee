import { cliErrors } from "../errors.ts";
import { ask, canAsk, type Terminal } from "../terminal.ts";

/** Asks before what can't be taken back. `action` follows "To", `question` stands alone. */
export async function confirm(
  terminal: Terminal,
  {
    isYes,
    action,
    question,
  }: { readonly isYes: boolean | undefined; readonly action: string; readonly question: string },
): Promise<void> {
  if (isYes === true) return;
  if (!canAsk(terminal)) throw cliErrors.CLI_CONFIRMATION_NEEDED({ action });
  const answer = await ask(terminal, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw cliErrors.CLI_CANCELLED();
}
