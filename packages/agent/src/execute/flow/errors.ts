import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  FLOW_STEP_FAILED: {
    message: "The step {step} failed: {reason} ({code}).",
    hint: "Check the state of each step in the result, correct the step, and submit the flow again.",
    meaning: "A step failed; the message names it.",
  },
  FLOW_STEP_TIMEOUT: {
    message: "The step timed out after {seconds} seconds.",
    hint: "The step was stopped in order, and its result shows how far it got. Increase timeoutSeconds to give it more time.",
    meaning: "A step timed out.",
    remedy: "Increase the step's `timeoutSeconds`, or find out what delayed it.",
  },
  FLOW_CONDITION_FAILED: {
    message: "The step's condition can't be evaluated: {detail}.",
    hint: "Compare each output with a value of its type. Outputs have the types that the steps gave them.",
    meaning: "A step's `if` compares outputs that can't be compared. The step fails.",
  },
  FLOW_OUTPUT_UNUSABLE: {
    message: "{reference} can't be used here: {detail}.",
    hint: "Only texts, numbers and booleans can be part of a longer text. A string that consists of the reference alone accepts any value.",
    meaning: "A reference names no output, or is part of a longer text although its value isn't text.",
    remedy: "Correct the reference. A string that consists of the reference alone accepts any value.",
  },
  FLOW_OUTPUTS_TOO_LARGE: {
    message: "The outputs of the flow's steps are larger than {limitBytes} bytes.",
    hint: "The step did its work. Split the flow, or return smaller outputs from its steps.",
    meaning: "The outputs of a flow's steps are larger than 1 MiB. The step did its work, but counts as failed.",
  },
  FLOW_STEP_UNAPPROVED: {
    message: "The step was skipped: its plan wasn't approved before the flow was cancelled.",
    hint: "Write clean-up steps whose specs use no outputs. Such steps are planned and approved before the flow starts.",
    meaning: "A flow was cancelled before the plan of a clean-up step was approved. The step was skipped.",
    remedy:
      "Write clean-up steps that use no outputs of other steps. Such steps are planned and approved before the flow starts.",
  },
  FLOW_WAIT_TIMEOUT: {
    message: "{what} didn't reach the expected state within {seconds} seconds: {detail}.",
    hint: "Check the object and its events. Increase timeoutSeconds to give it more time.",
    meaning: "An object didn't reach the expected state in time; the message says what is missing.",
  },
  FLOW_WAIT_TOO_MANY: {
    message: "The selector matches more than {limit} objects.",
    hint: "Use a narrower selector.",
    meaning: "The selector of a wait matches more than 500 objects.",
  },
} as const;

export const flowErrors: Errors<typeof table> = defineErrors(table);
