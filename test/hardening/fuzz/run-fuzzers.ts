// Tries all rules round after round, each round with the seed behind that of the round before. A thread does it, so that a
// parser that never returns, or takes memory without bound, is found as well.
import { Worker } from "node:worker_threads";
import type { Progress } from "./worker.ts";

export interface FuzzResult {
  /** By parser. */
  readonly cases: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

export async function runFuzzers(options: {
  readonly seed: number;
  readonly seconds: number;
  readonly onProgress: (line: string) => void;
}): Promise<FuzzResult> {
  const { seed, seconds, onProgress } = options;
  const cases: Record<string, number> = {};
  const broken: string[] = [];
  const input = new Uint8Array(new SharedArrayBuffer(mostInputBytes));
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: { seed, input },
    resourceLimits: { maxOldGenerationSizeMb: mostMemoryMib },
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let current = "the start";
  let stopped: string | undefined;
  const stop = (why: string): void => {
    stopped ??= why;
    end();
  };
  let isQuiet = false;
  const watch = setInterval(() => {
    if (isQuiet) stop("hangs");
    isQuiet = true;
  }, longestCaseMs);
  const enough = setTimeout(end, seconds * 1_000);
  worker.on("message", (progress: Progress) => {
    isQuiet = false;
    switch (progress.is) {
      case "begun":
        current = `${progress.parser}: ${progress.rule} (seed ${progress.seed})`;
        break;
      case "tried":
        cases[progress.parser] = (cases[progress.parser] ?? 0) + progress.cases;
        if (progress.failure === undefined) break;
        broken.push(`${current}: ${progress.failure}`);
        onProgress(`broken: ${broken.at(-1)}`);
        break;
    }
  });
  worker.on("error", (error) => stop(String(error)));
  await ended;
  clearInterval(watch);
  clearTimeout(enough);
  await worker.terminate();
  if (stopped !== undefined) {
    const text = Buffer.from(input).toString("utf8").replace(/\0.*$/s, "");
    broken.push(`${current}: ${stopped}, at the input ${text}`);
    onProgress(`broken: ${broken.at(-1)}`);
  }
  return { cases, broken };
}

/** A rule takes some seconds at most. */
const longestCaseMs = 120_000;
const mostMemoryMib = 512;
const mostInputBytes = 256 * 1024;
