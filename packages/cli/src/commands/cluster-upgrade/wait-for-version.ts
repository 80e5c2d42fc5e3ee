// When an agent is live with its version: for each of its roles the hub uses links of that version, and of no other.
import type { ClusterDetail, Role } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { pause } from "../../files/index.ts";
import { formatSpan } from "../../output/index.ts";
import { findTroubles, type Target } from "../attach/index.ts";
import { throwUnlessRetryable } from "../throw-unless-retryable.ts";
import type { ReleasePlace } from "./installation.ts";

export interface AwaitedAgent {
  readonly cluster: string;
  readonly roles: readonly Role[];
  /** Any of these. */
  readonly versions: readonly string[];
  readonly release: ReleasePlace;
  readonly target: Target;
  readonly timeoutMs: number;
}

/** Resolves with nothing when the agent is live and stays so, and else with why it isn't when the time is up. */
export async function waitForVersion(context: CommandContext, awaited: AwaitedAgent): Promise<string | undefined> {
  const { signal, terminal, hub, output } = context;
  const { cluster, timeoutMs } = awaited;
  const client = await hub();
  const deadline = terminal.now() + timeoutMs;
  let looksInARow = 0;
  let wanting: string | undefined = "the hub hasn't said how it is";
  for (;;) {
    try {
      wanting = findWanting(await client.getCluster(cluster, { signal }), awaited);
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark: (text) => output.remark(output.safe(text)) });
      wanting = "the hub doesn't answer";
    }
    looksInARow = wanting === undefined ? looksInARow + 1 : 0;
    if (looksInARow === enoughLooks) return undefined;
    if (terminal.now() >= deadline && looksInARow === 0) return await explain(wanting, awaited);
    await pause(lookEveryMs, signal);
  }
}

/** A pod that dies soon after its start isn't live. */
const enoughLooks = 3;
const lookEveryMs = 1_000;

/** Says in words what is still to come. */
export function findWanting(
  { links, state }: Pick<ClusterDetail, "links" | "state">,
  { roles, versions }: Pick<AwaitedAgent, "roles" | "versions">,
): string | undefined {
  const used = links.filter(({ refusal }) => refusal === undefined);
  for (const role of roles) {
    const mine = used.filter((link) => link.roles.includes(role));
    if (mine.length === 0) return `the hub has no link of it for ${role}`;
    const other = mine.find(({ agentVersion }) => !versions.includes(agentVersion ?? ""));
    if (other) return `its agent for ${role} is ${other.agentVersion ?? "of an unknown version"} still`;
  }
  return state === "connected" || state === "stale" ? undefined : `the cluster is ${state}`;
}

async function explain(wanting: string | undefined, { release, target, timeoutMs }: AwaitedAgent): Promise<string> {
  const troubles = await findTroubles({ ...target, namespace: release.namespace }, release.name);
  return `${wanting} after ${formatSpan(timeoutMs)}.${troubles.map((trouble) => ` ${trouble}`).join("")}`;
}
