// A hub that works on a forgetful disk, and the power cut again and again: each time at another moment of its past.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choosePositions, type ForgetfulDisk, mountForgetful, startHub, type TestHub } from "@fairlead/testkit";
import { HubPicture } from "./hub-picture.ts";
import { Ledger } from "./ledger.ts";
import { startNextHub } from "./start-next-hub.ts";
import { workInRounds } from "./work.ts";

export interface PowerCutOptions {
  readonly cuts: number;
  /** The hub is killed or stopped between two. */
  readonly rounds: number;
  readonly deedsEach: number;
  /** Decides where the power is cut, and what of that which wasn't synced is there all the same. */
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

export interface PowerCutReport {
  /** How much was acknowledged. */
  readonly facts: number;
  /** How many states a power cut could have left: before the hub first served, and since. */
  readonly states: { readonly before: number; readonly since: number };
  readonly cuts: readonly CutReport[];
}

export interface CutReport {
  readonly position: number;
  readonly unsynced: "lost" | "names" | "some";
  /** How many facts were looked for. */
  readonly checked: number;
  /** Those that don't hold, or why the hub didn't start. */
  readonly broken: readonly string[];
}

export async function runPowerCuts(options: PowerCutOptions): Promise<PowerCutReport> {
  const { cuts, rounds, deedsEach, seed, onProgress = () => undefined } = options;
  await using undo = new AsyncDisposableStack();
  const stateDir = await mkdtemp(join(tmpdir(), "fairlead-hub-"));
  undo.defer(() => rm(stateDir, { recursive: true, force: true }));
  const disk = undo.use(await mountForgetful({ folder: join(stateDir, "data") }));
  const hub = undo.use(await startHub({ stateDir, launcher: disk.launcher }));
  const served = await disk.position();
  const ledger = new Ledger(() => disk.position());
  await ledger.note("the admin's token is taken", (picture) => picture.hasRole("admin"));
  await ledger.note("the certificate authority is the same", async ({ hub: { caPem } }) => caPem === hub.caPem);
  await workInRounds({ hub, ledger }, { rounds, deedsEach });
  const end = await disk.position();
  await hub.stop("KILL");

  const before = await disk.moments({ after: 0, upTo: served });
  const since = await disk.moments({ after: served, upTo: end });
  onProgress(`${ledger.facts.length} facts; ${before.length} states before the hub served, ${since.length} since`);
  const positions = chooseMoments({ ledger, before, since, count: cuts, seed });
  const reports: CutReport[] = [];
  for (const [index, position] of positions.entries()) {
    const report = await cutPower({ disk, hub, ledger, served, stateDir, position, index, seed: seed + index });
    reports.push(report);
    onProgress(describe(report, `${index + 1}/${positions.length}`));
  }
  return { facts: ledger.facts.length, states: { before: before.length, since: since.length }, cuts: reports };
}

/**
 * A fifth while the hub makes its folder, a fifth at any time since, which is mostly while its database recovers, and
 * the rest between two acknowledgements.
 */
function chooseMoments(options: {
  readonly ledger: Ledger;
  readonly before: readonly number[];
  readonly since: readonly number[];
  readonly count: number;
  readonly seed: number;
}): readonly number[] {
  const { ledger, before, since, count, seed } = options;
  const fifth = Math.ceil(count / 5);
  const acknowledged = ledger.facts.map(({ from }) => from).sort((one, other) => one - other);
  const firstOfEach = new Map<number, number>();
  let facts = 0;
  for (const moment of since) {
    while ((acknowledged[facts] ?? Number.POSITIVE_INFINITY) <= moment) facts++;
    firstOfEach.set(facts, firstOfEach.get(facts) ?? moment);
  }
  const anyTime = choosePositions({ from: since, count: fifth, seed });
  const working = [...firstOfEach.values()].filter((moment) => !anyTime.includes(moment));
  return [
    ...choosePositions({ from: before, count: fifth, seed }),
    ...[...anyTime, ...choosePositions({ from: working, count: count - 2 * fifth, seed })].sort(
      (one, other) => one - other,
    ),
  ];
}

async function cutPower(options: {
  readonly disk: ForgetfulDisk;
  readonly hub: TestHub;
  readonly ledger: Ledger;
  readonly served: number;
  readonly stateDir: string;
  readonly position: number;
  readonly index: number;
  readonly seed: number;
}): Promise<CutReport> {
  const { disk, hub, ledger, served, stateDir, position, index, seed } = options;
  const unsynced = kinds[index % kinds.length] ?? "lost";
  const folder = join(disk.memory, `cut-${index}`);
  const standing = chooseFacts(ledger, position);
  const broken: string[] = [];
  try {
    await disk.materialise({ position, to: join(folder, "data"), unsynced, seed });
    await using next = await startNextHub({
      disk,
      dataDir: join(folder, "data"),
      logFile: join(stateDir, `cut-${index}.log`),
      before: position < served ? undefined : hub,
    });
    const picture = new HubPicture(next);
    for (const { text, from, holds } of standing) {
      const outcome = await holds(picture).catch(String);
      if (outcome !== true) broken.push(`${text} (acknowledged at ${from})${outcome === false ? "" : `: ${outcome}`}`);
    }
  } catch (error) {
    broken.push(error instanceof Error ? error.message : String(error));
  }
  await rm(disk.view(folder), { recursive: true, force: true });
  return { position, unsynced, checked: standing.length, broken };
}

/** All that a list can tell; and of what must be tried, the newest, which are in the greatest danger. */
function chooseFacts(ledger: Ledger, position: number): ReturnType<Ledger["standingAt"]> {
  const standing = ledger.standingAt(position);
  const probes = standing.filter(({ isProbe }) => isProbe).slice(-probesEach);
  return [...standing.filter(({ isProbe }) => !isProbe), ...probes];
}

function describe({ position, unsynced, checked, broken }: CutReport, count: string): string {
  const sound = checked === 0 ? "the hub starts" : `${checked} facts hold`;
  const outcome = broken.length === 0 ? sound : `BROKEN: ${broken.join("; ")}`;
  return `${count} cut at ${position}, unsynced ${unsynced}: ${outcome}`;
}

const kinds = ["lost", "some", "names"] as const;
/** Below what a hub allows one address to fail in a minute. */
const probesEach = 24;
