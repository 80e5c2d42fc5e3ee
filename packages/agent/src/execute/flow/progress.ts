// How a flow goes so far, as later steps ask about it.
import { flowErrors } from "./errors.ts";
import type { Situation } from "./expression/evaluate.ts";
import type { Status } from "./expression/types.ts";
import type { EndedStep, FlowRecord } from "./state.ts";
import type { FlowSpec } from "./types.ts";
import { valueAt } from "./values/field-path.ts";
import type { Output } from "./values/fill-in.ts";
import type { StepValue } from "./values/step-value.ts";

export class FlowProgress implements Situation {
  readonly #steps: FlowSpec["steps"];
  readonly #record: FlowRecord;
  readonly #isCancelled: () => boolean;

  constructor(options: {
    readonly spec: FlowSpec;
    readonly record: FlowRecord;
    readonly isCancelled: () => boolean;
  }) {
    this.#steps = options.spec.steps;
    this.#record = options.record;
    this.#isCancelled = options.isCancelled;
  }

  get isCancelled(): boolean {
    return this.#isCancelled();
  }

  holds(status: Status): boolean {
    switch (status) {
      case "success":
        return !this.isCancelled && this.firstFailed === undefined;
      case "failure":
        return this.firstFailed !== undefined;
      case "cancelled":
        return this.isCancelled;
      case "always":
        return true;
    }
  }

  /** The step that makes the flow fail. */
  get firstFailed(): { readonly id: string; readonly ended: EndedStep } | undefined {
    for (const [index, { id, continueOnError }] of this.#steps.entries()) {
      const ended = this.#record.ended(index);
      if (ended?.outcome === "failed" && !continueOnError) return { id, ended };
    }
    return undefined;
  }

  lookUp(asked: StepValue): unknown {
    const output = this.outputOf(asked);
    return "secret" in output ? output.secret : output.value;
  }

  /** Null for what a step that didn't succeed would have given. Throws FLOW_OUTPUT_UNUSABLE. */
  outputOf({ step, output, text }: StepValue): Output {
    const ended = this.#record.ended(this.#steps.findIndex(({ id }) => id === step));
    if (output === undefined) return { value: ended?.outcome ?? null };
    const { name, path } = output;
    const given = ended !== undefined && Object.hasOwn(ended.outputs, name) ? ended.outputs[name] : undefined;
    if (given === undefined && ended?.outcome === "succeeded")
      throw unusable(text, `the step has no output ${name}; it has ${nameAll(ended)}`);
    if (given === undefined) return { value: null };
    if (!("secret" in given)) return { value: valueAt(given.value, path) ?? null };
    if (path.length > 0) throw unusable(text, "it is secret, and nothing in it can be looked at");
    return given;
  }
}

function unusable(text: string, detail: string): Error {
  return flowErrors.FLOW_OUTPUT_UNUSABLE({ reference: `\${${text}}`, detail });
}

function nameAll({ outputs }: EndedStep): string {
  return Object.keys(outputs).slice(0, 20).join(", ") || "none";
}
