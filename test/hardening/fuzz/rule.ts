// What a parser promises about any input: a property that the suite tries some hundred times and `npm run chaos -- fuzz`
// as often as there is time for.
import assert from "node:assert/strict";
import { isFairleadError } from "@fairlead/kernel";
import fc from "fast-check";

export interface Fuzzer {
  readonly parser: string;
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly name: string;
  /** In the suite, and in each round of the experiment. */
  readonly cases: number;
  try(options: TryOptions): Promise<Tried>;
}

export interface TryOptions {
  readonly seed: number;
  /** Told of each input before it is tried: a parser that never returns can't say by which. */
  readonly onInput?: ((input: unknown) => void) | undefined;
}

export interface Tried {
  readonly cases: number;
  /** The smallest input that breaks the rule, and how. */
  readonly failure?: string | undefined;
}

export function rule<Input>(
  name: string,
  options: {
    readonly input: fc.Arbitrary<Input>;
    readonly cases?: number;
    readonly check: (input: Input) => void | Promise<void>;
  },
): Rule {
  const { input: inputs, cases = 300, check } = options;
  return {
    name,
    cases,
    async try({ seed, onInput }) {
      const property = fc.asyncProperty(inputs, async (input) => {
        onInput?.(input);
        await check(input);
        checkPrototypes();
      });
      const { failed, numRuns, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: cases });
      if (!failed) return { cases: numRuns };
      return { cases: numRuns, failure: `${fc.stringify(counterexample)}: ${String(errorInstance)}` };
    },
  };
}

/** Undefined for an input that was refused by a stable code, or by an error that the parser's callers expect. */
export function readOr<Read>(read: () => Read, isExpected: (error: unknown) => boolean = hasCode): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (!isExpected(error)) throw error;
    return undefined;
  }
}

export function hasCode(error: unknown): boolean {
  return isFairleadError(error) && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(String(error.code));
}

/** What one object was told must not be there in all others. */
function checkPrototypes(): void {
  for (const [prototype, names] of prototypes) assert.deepEqual(Object.getOwnPropertyNames(prototype), names);
}

const prototypes = [Object.prototype, Array.prototype].map(
  (prototype) => [prototype, Object.getOwnPropertyNames(prototype)] as const,
);
