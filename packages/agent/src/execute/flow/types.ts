import type { CommandRunner } from "../types.ts";
import type { Expression } from "./expression/types.ts";
import type { Template } from "./values/template.ts";

export interface FlowSpec {
  readonly name: string;
  readonly steps: readonly FlowStep[];
}

export interface FlowStep {
  readonly id: string;
  /** A kind of command, or `wait`. */
  readonly kind: string;
  readonly runner: CommandRunner;
  /** Its spec, with references to earlier steps. */
  readonly template: Template;
  /** Ids of the steps before it. */
  readonly earlier: ReadonlySet<string>;
  /** Ids of the earlier steps whose outputs stand in its spec. */
  readonly needs: ReadonlySet<string>;
  /** All that was given, as JSON. */
  readonly text: string;
  readonly conditionText: string | undefined;
  readonly condition: Expression | undefined;
  /** It runs whatever became of those before it. */
  readonly isAlways: boolean;
  /** A graceful cancel lets it begin, and doesn't interrupt it. */
  readonly isCleanup: boolean;
  readonly continueOnError: boolean;
  readonly attempts: number;
  readonly delayMs: number;
  /** All its attempts together. */
  readonly timeoutMs: number;
}

export type RunnerOf = (kind: string) => CommandRunner | undefined;
