import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  FLOW_STEP_FAILED: {
    message: "The step {step} failed: {reason} ({code}).",
    hint: "The result says what became of each step. Mend the step and submit the flow again.",
    meaning: "A step has failed; the message names it.",
  },
  FLOW_STEP_TIMEOUT: {
    message: "The step's {seconds} seconds were over before it ended.",
    hint: "It was stopped in order; its result says how far it came. A longer timeoutSeconds gives it more time.",
    meaning: "A step's time was over before it ended.",
    remedy: "Give it more `timeoutSeconds`, or see what held it up.",
  },
  FLOW_CONDITION_FAILED: {
    message: "The step's condition can't be evaluated: {detail}.",
    hint: "Outputs have the types that the steps gave them; compare each with a value of its type.",
    meaning: "A step's `if` compares outputs that can't be compared. The step has failed.",
  },
  FLOW_OUTPUT_UNUSABLE: {
    message: "{reference} can't be used here: {detail}.",
    hint: "Only texts, numbers and booleans can stand within other text. A string that is the reference alone takes anything.",
    meaning: "A reference to an output names none, or it stands within other text and its value is no text.",
    remedy: "Mend the reference; alone in its string it takes anything.",
  },
  FLOW_OUTPUTS_TOO_LARGE: {
    message: "The outputs of the flow's steps are larger than {limitBytes} bytes.",
    hint: "The step did its work. Split the flow, or have its steps give out less.",
    meaning: "The outputs of a flow's steps have more than 1 MiB. The step has done its work and counts as failed.",
  },
  FLOW_STEP_UNAPPROVED: {
    message: "The step wasn't carried out: nobody has approved its plan, and the flow is cancelled.",
    hint: "A step whose spec uses no outputs is planned, and approved, before the flow begins. Clean up by such steps.",
    meaning: "A flow was cancelled before anybody approved the plan of a step that cleans up. The step was skipped.",
    remedy:
      "Write steps that clean up without outputs of others: these are planned, and approved, before the flow begins.",
  },
  FLOW_WAIT_TIMEOUT: {
    message: "{what} isn't as awaited after {seconds} seconds: {detail}.",
    hint: "Look at the object and its events. A longer timeoutSeconds gives it more time.",
    meaning: "An object isn't as awaited when the time is over; the message says what it lacks.",
  },
  FLOW_WAIT_TOO_MANY: {
    message: "The selector finds more than {limit} objects.",
    hint: "Wait for fewer of them by a narrower selector.",
    meaning: "The selector of a wait finds more than 500 objects.",
    remedy: "Use a narrower one.",
  },
} as const;

export const flowErrors: Errors<typeof table> = defineErrors(table);
