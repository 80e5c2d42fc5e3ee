// One cluster's agent: upgraded, awaited, and rolled back when it doesn't get live.
import type { FairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { lastLine, programsErrors } from "../../programs/index.ts";
import type { Target } from "../attach/index.ts";
import { toValueArguments } from "../chart-values.ts";
import { upgradeErrors } from "./errors.ts";
import { openClusterTarget, readRelease } from "./look-at-cluster.ts";
import { toChartArguments, type UpgradeOptions } from "./options.ts";
import type { Goal, PlannedUpgrade } from "./plan.ts";
import { waitForVersion } from "./wait-for-version.ts";

/** @throws {FairleadError} `CLI_UPGRADE_REFUSED`, `CLI_UPGRADE_ROLLED_BACK`, `CLI_UPGRADE_NOT_ROLLED_BACK`, `CLI_UPGRADE_CHANGED` */
export async function upgradeOne(
  context: CommandContext,
  {
    upgrade,
    goal,
    options,
  }: { readonly upgrade: PlannedUpgrade; readonly goal: Goal; readonly options: UpgradeOptions },
): Promise<void> {
  const { output, signal } = context;
  const { cluster, release } = upgrade;
  const target = openClusterTarget(cluster.name, options, signal);
  await requireUnchanged(target, upgrade);
  output.remark(`… ${output.safe(cluster.name)}: upgrading to ${output.safe(goal.version)}`);
  const refused = await runHelm(target, [
    "upgrade",
    release.name,
    ...toChartArguments(options),
    "--namespace",
    release.namespace,
    "--reset-then-reuse-values",
    ...toValueArguments(options),
  ]);
  if (refused !== undefined) return await undo(`Helm couldn't upgrade it: ${refused}`);
  const wanting = await waitForVersion(context, { ...awaited(), versions: [goal.version] });
  if (wanting !== undefined) return await undo(wanting);
  output.remark(`✓ ${output.safe(cluster.name)}: live with ${output.safe(goal.version)}`);

  function awaited() {
    return { cluster: cluster.name, roles: upgrade.roles, release, target, timeoutMs: options.timeout };
  }

  async function undo(why: string): Promise<never> {
    output.remark(`✗ ${output.safe(cluster.name)}: ${output.safe(why)}`);
    const { name, namespace, goodRevision: revision } = release;
    const now = await readRelease(target, release);
    if (now?.revision === release.revision) throw upgradeErrors.CLI_UPGRADE_REFUSED({ cluster: cluster.name, why });
    if (/another operation/.test(why)) throw changed(upgrade);
    const kept = await runHelm(target, ["rollback", name, String(revision), "--namespace", namespace]);
    const left =
      kept === undefined
        ? await waitForVersion(context, { ...awaited(), versions: upgrade.from })
        : `Helm couldn't roll it back: ${kept}`;
    if (left !== undefined)
      throw upgradeErrors.CLI_UPGRADE_NOT_ROLLED_BACK({
        cluster: cluster.name,
        why: `${why} ${left}`,
        release: name,
        namespace,
        context: target.context,
      });
    output.remark(`✓ ${output.safe(cluster.name)}: rolled back, live with ${output.safe(upgrade.from.join(", "))}`);
    throw upgradeErrors.CLI_UPGRADE_ROLLED_BACK({ cluster: cluster.name, revision, why });
  }
}

/** Resolves with nothing, or with why Helm failed. One that hung is stopped, and has failed, too. */
async function runHelm(target: Target, args: readonly string[]): Promise<string | undefined> {
  try {
    const ended = await target.helm(args, { timeoutMs: 180_000 });
    return ended.code === 0 ? undefined : lastLine(ended);
  } catch (thrown) {
    if (programsErrors.is(thrown, "CLI_PROGRAM_HUNG")) return thrown.message;
    throw thrown;
  }
}

/** Somebody else may have upgraded it meanwhile, and a rollback would undo that. */
async function requireUnchanged(target: Target, { cluster, release }: PlannedUpgrade): Promise<void> {
  const now = await readRelease(target, release);
  if (now?.revision === release.revision && now.status === release.status) return;
  throw changed({ cluster, release });
}

function changed({ cluster, release }: Pick<PlannedUpgrade, "cluster" | "release">): FairleadError {
  const { namespace, name } = release;
  return upgradeErrors.CLI_UPGRADE_CHANGED({ cluster: cluster.name, namespace, release: name });
}
