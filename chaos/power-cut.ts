import { runPowerCuts } from "../test/power-cut/index.ts";

export async function chaosPowerCut(options: {
  readonly seed: number;
  readonly onProgress: (line: string) => void;
}): Promise<boolean> {
  const { facts, states, cuts } = await runPowerCuts({ ...options, cuts: 200, rounds: 5, deedsEach: 25 });
  const broken = cuts.filter((cut) => cut.broken.length > 0);
  const checked = cuts.reduce((sum, cut) => sum + cut.checked, 0);
  options.onProgress(
    `${cuts.length} of ${states.before + states.since} states: ${facts} facts, looked for ${checked} times; ${broken.length} cuts broke something`,
  );
  return broken.length === 0;
}
