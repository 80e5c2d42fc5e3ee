// `npm run chaos -- NAME [--seed N] [--seconds N]`: runs one experiment that takes minutes, and ends with 1 when something
// broke.
import { inspect, parseArgs } from "node:util";
import { chaosArgocd } from "./argocd.ts";
import { chaosCommands } from "./commands.ts";
import type { ExperimentOptions } from "./experiment.ts";
import { chaosFuzz } from "./fuzz.ts";
import { chaosHubs } from "./hubs.ts";
import { chaosPowerCut } from "./power-cut.ts";

interface Experiment {
  /** True when nothing broke. */
  readonly run: (options: ExperimentOptions) => Promise<boolean>;
  readonly about: string;
}

const experiments: Readonly<Record<string, Experiment>> = {
  argocd: {
    run: chaosArgocd,
    about:
      "kills and cuts off agents and the hub, restarts and restores clusters, fills the hub's disk and sets clocks, under applications that change, for 120 seconds and until each fault has come once",
  },
  commands: {
    run: chaosCommands,
    about:
      "kills, stops and cuts off agents and the hub, restarts API servers, fills disks and sets clocks, under commands of all kinds, for 300 seconds",
  },
  fuzz: {
    run: chaosFuzz,
    about: "gives parsers inputs that are arbitrary, or valid ones that were changed, for 600 seconds",
  },
  hubs: {
    run: chaosHubs,
    about: "kills, stops and cuts off three hubs on one database under clients of all kinds, for 300 seconds",
  },
  "power-cut": {
    run: chaosPowerCut,
    about: "cuts the power of a working hub at 200 moments; whatever it acknowledged must be there again",
  },
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const given = readGiven(args);
  if (given === undefined) return explain();
  const { experiment, seed, seconds } = given;
  console.log(`seed ${seed}`);
  try {
    const isSound = await experiment.run({ seed, seconds, onProgress: (line) => console.log(line) });
    return isSound ? 0 : 1;
  } catch (error) {
    // Node names only the outermost error, which may be one of clearing away.
    console.log(inspect(error, { depth: 8 }));
    return 1;
  }
}

function readGiven(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { seed: { type: "string" }, seconds: { type: "string" } },
      allowPositionals: true,
    });
    const experiment = experiments[positionals[0] ?? ""];
    const seed = readNumber(values.seed) ?? Math.floor(Math.random() * 2 ** 31);
    if (experiment === undefined || positionals.length > 1) return undefined;
    return { experiment, seed, seconds: readNumber(values.seconds) };
  } catch {
    return undefined;
  }
}

function readNumber(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,10}$/.test(given)) throw new TypeError(`'${given}' is no number`);
  return Number(given);
}

function explain(): number {
  console.error("usage: npm run chaos -- NAME [--seed N] [--seconds N]\n");
  for (const [each, { about }] of Object.entries(experiments)) console.error(`  ${each}  ${about}`);
  console.error("\nThe seed decides what is chosen by chance. It is printed, and a new one unless given.");
  console.error("The seconds are for how long faults come, or inputs.");
  return 2;
}
