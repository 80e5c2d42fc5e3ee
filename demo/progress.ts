/** The demo prints a line when something begins, and one with the time it took when it is done. */
export interface Progress {
  step<T>(title: string, work: () => PromiseLike<T>): Promise<T>;
  say(text?: string): void;
  /** A command as a person would type it, then what it printed. */
  showCommand(command: string, output: string): void;
}

export function createProgress(write: (text: string) => void): Progress {
  const begin = performance.now();
  return {
    async step(title, work) {
      const start = performance.now();
      write(`${clock(start - begin)}  ${title} ...\n`);
      const result = await work();
      const tookMs = performance.now() - start;
      if (tookMs > 1000)
        write(`${clock(performance.now() - begin)}  ${title}: done in ${(tookMs / 1000).toFixed(1)} s\n`);
      return result;
    },
    say: (text = "") => write(`${text}\n`),
    showCommand(command, output) {
      write(`\n  $ ${command}\n${output.trimEnd().replace(/^/gm, "  ")}\n\n`);
    },
  };
}

function clock(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1).padStart(6)} s`;
}
