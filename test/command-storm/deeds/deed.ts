// Makes the storm's commands of a kind, and checks their effects in the end.
import type { Ground } from "../harness.ts";

export interface Deed {
  readonly spec: object;
  /** How it ends when nobody cancels it. */
  readonly end: "succeeded" | "failed" | "refused";
  /** Of its log, when it succeeded. */
  readonly lastLine: RegExp;
  /** Its log has so many of them: `numbered N of …`. */
  readonly numberedLines?: number;
}

export interface DeedKind {
  readonly kind: string;
  /** The `turn`-th one for this target of the kind: they run one after another. */
  make(ground: Ground, target: string, turn: number): Deed;
  /** The turns whose effect may be what is there: the last that succeeded, and those after it that may have acted. */
  check(ground: Ground, target: string, turns: readonly number[]): Promise<readonly string[]>;
  /** Finds what a dead run may have left behind in the ground. */
  findLeftovers?(ground: Ground): Promise<readonly string[]>;
}
