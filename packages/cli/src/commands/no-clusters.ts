// Says to someone who sees no cluster that there is none, or that none of them is for him.
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";

export async function sayNoClusters({ hub, output, signal }: CommandContext): Promise<void> {
  const { bindings, kind, name } = await (await hub()).whoami({ signal });
  const seesAll = kind === "admin-token" || bindings.some(({ clusters }) => clusters === "all");
  if (!seesAll && bindings.length === 0) throw cliErrors.CLI_ROLE_MISSING({ name });
  output.remark(
    seesAll ? "No clusters yet. 'fairlead cluster add NAME' registers one." : "No cluster that you can see.",
  );
}
