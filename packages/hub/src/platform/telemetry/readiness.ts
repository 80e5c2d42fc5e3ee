// Ready means that work gets done: each check is a round trip of its own, not a look at whether something is open.
import { type FairleadError, toFairleadError } from "@fairlead/kernel";

export interface Check {
  readonly name: string;
  /** Shown, and never makes the hub unready. */
  readonly isForInformation?: boolean;
  run(): Promise<void> | void;
}

export interface Readiness {
  add(check: Check): void;
  /** From now on never ready again: the first step of a shutdown. */
  stop(): void;
  check(): Promise<ReadinessReport>;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly code?: string }[];
}

export function createReadiness(options: { readonly timeoutMs?: number } = {}): Readiness {
  const { timeoutMs = 3_000 } = options;
  const checks: Check[] = [];
  let isStopping = false;
  return {
    add: (check) => void checks.push(check),
    stop() {
      isStopping = true;
    },
    async check() {
      const results = await Promise.all(
        checks.map(async (check) => {
          const error = await runWithin(check, timeoutMs);
          return { name: check.name, ok: error === undefined, ...(error ? { code: error.code } : {}) };
        }),
      );
      const areMet = results.every(({ ok }, index) => ok || checks[index]?.isForInformation === true);
      const ready = checks.length > 0 && areMet && !isStopping;
      return { ready, checks: [...results, { name: "running", ok: !isStopping }] };
    },
  };
}

async function runWithin(check: Check, timeoutMs: number): Promise<FairleadError | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${check.name} took too long`)), timeoutMs);
    timer.unref();
  });
  try {
    await Promise.race([check.run(), late]);
    return undefined;
  } catch (thrown) {
    return toFairleadError(thrown);
  } finally {
    clearTimeout(timer);
  }
}
