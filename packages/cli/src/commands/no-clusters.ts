// What someone is told who sees no cluster: that there is none, or that none of them is for him.
import { FairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../context.ts";

export async function sayNoClusters({ hub, output, signal }: CommandContext): Promise<void> {
  const { bindings, kind, name } = await (await hub()).whoami({ signal });
  const seesAll = kind === "admin-token" || bindings.some(({ clusters }) => clusters === "all");
  if (!seesAll && bindings.length === 0) throw roleMissing(name);
  output.remark(
    seesAll ? "No clusters yet. 'fairlead cluster add NAME' registers one." : "No cluster that you can see.",
  );
}

function roleMissing(name: string): FairleadError {
  return new FairleadError({
    code: "CLI_ROLE_MISSING",
    message: `${name} has no role in any cluster, and so can see none.`,
    hint: "Whoever runs the hub gives roles, with 'fairlead access bind'.",
    httpStatus: 403,
  });
}
