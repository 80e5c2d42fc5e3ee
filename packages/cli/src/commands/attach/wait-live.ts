import type { ClusterInventory, HubClient, Role } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { pause } from "../../files/index.ts";
import { formatSpan } from "../../output/index.ts";
import { release } from "./chart.ts";
import { notLive } from "./errors.ts";
import type { Target } from "./target.ts";
import { findTroubles } from "./troubles.ts";

/** Until the hub has a link of each role and, where it is to observe, all objects. Tells on the way what is wrong. */
export async function waitUntilLive(
  { output, signal, terminal, hub }: CommandContext,
  options: {
    readonly name: string;
    readonly roles: readonly Role[];
    readonly target: Target;
    readonly timeoutMs: number;
  },
): Promise<void> {
  const { name, roles, target, timeoutMs } = options;
  const client = await hub();
  const deadline = terminal.now() + timeoutMs;
  const told = new Set<string>();
  let nextLook = terminal.now() + lookEveryMs;
  for (;;) {
    const wanting = await findWanting(client, { name, roles, signal });
    if (wanting === undefined) return;
    const isOver = terminal.now() >= deadline;
    if (isOver || terminal.now() >= nextLook) {
      const troubles = await findTroubles(target, release);
      if (isOver) throw notLive(`${wanting} after ${formatSpan(timeoutMs)}`, troubles.map(output.safe));
      for (const trouble of troubles.filter((one) => !told.has(one))) {
        told.add(trouble);
        output.remark(`  … ${output.safe(trouble)}`);
      }
      nextLook = terminal.now() + lookEveryMs;
    }
    await pause(Math.min(1_000, Math.max(50, deadline - terminal.now())), signal);
  }
}

const lookEveryMs = 5_000;

/** Says in words what is still to come. */
async function findWanting(
  client: HubClient,
  { name, roles, signal }: { readonly name: string; readonly roles: readonly Role[]; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { links } = await client.getCluster(name, { signal });
  const missing = roles.filter((role) => !links.some((link) => link.roles.includes(role)));
  if (missing.length > 0) return `the hub has no link of it for ${missing.join(" and ")}`;
  if (!roles.includes("observe")) return undefined;
  return isSynced(await findInventory(client, name, signal)) ? undefined : "the hub hasn't all of its objects";
}

/** Where the person may not look, the link has to do. */
async function findInventory(
  client: HubClient,
  name: string,
  signal: AbortSignal,
): Promise<ClusterInventory | undefined | "hidden"> {
  try {
    return await client.getInventory(name, { signal });
  } catch (thrown) {
    if (isFairleadError(thrown) && thrown.httpStatus === 404) return undefined;
    if (isFairleadError(thrown) && thrown.httpStatus === 403) return "hidden";
    throw thrown;
  }
}

function isSynced(inventory: ClusterInventory | undefined | "hidden"): boolean {
  if (inventory === undefined || inventory === "hidden") return inventory === "hidden";
  const isUnderWay = inventory.kinds.some(({ state }) => state === "listing" || state === "comparing");
  return inventory.age.ageMs !== undefined && !isUnderWay;
}
