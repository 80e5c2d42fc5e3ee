// A state that OpenTofu couldn't store is what knows of what was made: it is stored again as soon as that is possible, and
// until then it lies beside the state, as readable as that.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { reasonOf, sleep } from "@fairlead/kernel";
import { readRunFile, sharedFileMode } from "../../../processes/index.ts";
import type { Task } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuFiles } from "../prepare/environment.ts";
import type { TofuCli } from "../tofu-cli.ts";
import type { TofuSpec } from "../types.ts";
import { stateSecretName } from "./names.ts";
import { fetchPieces, keepPieces, type PiecesPlace, removePieces } from "./pieces.ts";

interface Session {
  readonly task: Task<TofuSpec>;
  readonly cli: TofuCli;
  readonly files: Pick<TofuFiles, "dataFolder" | "erroredFile" | "keptFolder">;
}

/** After each run that may have changed something. Throws TOFU_STATE_UNSAVED and TOFU_STATE_LOST. */
export async function saveErrored(session: Session): Promise<void> {
  const { task, cli, files } = session;
  const { erroredFile: file, keptFolder: folder } = files;
  const bytes = await readRunFile(file, { folder }).catch(() => undefined);
  if (bytes === undefined) return;
  task.log.line("tofu: the state wasn't stored; it is tried again");
  for (const waitMs of retryMs) {
    await sleep(waitMs, { clock: task.clock, signal: task.forced }).catch(() => undefined);
    task.mayAct({ repair: true });
    const { exitCode } = await cli.read(pushArgs(file), { isRepair: true });
    if (exitCode === 0) return await rm(file);
  }
  const place = placeOf(session);
  try {
    await removePieces(place);
    const labels = { "app.kubernetes.io/managed-by": "fairlead-agent" };
    const annotations = { "fairlead.dev/command": task.id };
    await keepPieces(place, { bytes: await promisify(gzip)(bytes), labels, annotations });
    await rm(file);
  } catch (error) {
    throw tofuErrors.TOFU_STATE_LOST({ reason: reasonOf(error), cause: error });
  }
  const secret = `${place.namespace}/${place.base}-0`;
  throw tofuErrors.TOFU_STATE_UNSAVED({ reason: "see the log for the reason", secret });
}

/** Pushes an earlier run's unsaved state. OpenTofu refuses one that doesn't follow on the state that is there. */
export async function pushUnsaved(session: Session): Promise<void> {
  const { task, cli, files } = session;
  await pushLeft(session);
  const place = placeOf(session);
  const kept = await fetchPieces(place);
  if (kept === undefined) return;
  const file = join(files.dataFolder, "unsaved.tfstate");
  await writeFile(file, await promisify(gunzip)(kept), { mode: sharedFileMode });
  task.mayAct();
  const { exitCode } = await cli.read(pushArgs(file));
  task.signal.throwIfAborted();
  if (exitCode !== 0)
    throw tofuErrors.TOFU_STATE_UNSAVED({
      reason: "see the log for the reason",
      secret: `${place.namespace}/${place.base}-0`,
    });
  await removePieces(place);
  task.log.line(stored);
}

/** Pushes the state that a run whose agent died left on this disk. It is of no use once another state has followed. */
async function pushLeft({ task, cli, files }: Session): Promise<void> {
  const { erroredFile: file, keptFolder: folder } = files;
  if ((await readRunFile(file, { folder }).catch(() => undefined)) === undefined) return;
  task.mayAct();
  const { exitCode } = await cli.read(pushArgs(file));
  task.signal.throwIfAborted();
  await rm(file);
  task.log.line(
    exitCode === 0 ? stored : "tofu: a state on disk doesn't follow on the one in the cluster; it is removed",
  );
}

function placeOf({ task }: Session): PiecesPlace {
  const { kube, spec } = task;
  return {
    kube,
    namespace: spec.namespace,
    base: `fairlead-unsaved-${stateSecretName(spec)}`,
    signal: AbortSignal.timeout(placeMs),
  };
}

function pushArgs(file: string): readonly string[] {
  return ["state", "push", "-lock=false", file];
}

const stored = "tofu: the state that an earlier run couldn't store is stored";
/** Also of a command that was ended by force: there is no other copy. */
const placeMs = 60_000;
const retryMs = [0, 2_000, 5_000, 15_000, 30_000];
