// `npm run chaos -- NAME [--seed N]`: runs one experiment that takes minutes, and ends with 1 when something broke.
import { chaosPowerCut } from "./power-cut.ts";

interface Experiment {
  /** True when nothing broke. */
  readonly run: (options: { readonly seed: number; readonly onProgress: (line: string) => void }) => Promise<boolean>;
  readonly about: string;
}

const experiments: Readonly<Record<string, Experiment>> = {
  "power-cut": {
    run: chaosPowerCut,
    about: "cuts the power of a working hub at 200 moments; whatever it acknowledged must be there again",
  },
};

const [name = "", ...flags] = process.argv.slice(2);
const experiment = experiments[name];
const seed = readSeed(flags);
if (experiment === undefined || seed === undefined) {
  console.error("usage: npm run chaos -- NAME [--seed N]\n");
  for (const [each, { about }] of Object.entries(experiments)) console.error(`  ${each}  ${about}`);
  console.error("\nThe seed decides what is chosen by chance. It is printed, and a new one unless given.");
  process.exit(2);
}
console.log(`seed ${seed}`);
const isSound = await experiment.run({ seed, onProgress: (line) => console.log(line) });
process.exitCode = isSound ? 0 : 1;

function readSeed(given: readonly string[]): number | undefined {
  if (given.length === 0) return Math.floor(Math.random() * 2 ** 31);
  const [flag, value = ""] = given;
  return flag === "--seed" && /^\d{1,10}$/.test(value) && given.length === 2 ? Number(value) : undefined;
}
