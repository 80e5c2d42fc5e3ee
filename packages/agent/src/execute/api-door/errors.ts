import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOOR_PLAN_WRITES: {
    httpStatus: 403,
    message: "A plan only reads, and {what} may change something.",
    hint: "Programs of a plan may ask for a dry run (dryRun=All). What they change otherwise waits until the plan is approved.",
  },
  DOOR_OWN_NAMESPACE: {
    httpStatus: 403,
    message: "Programs of commands may not do {what}: the namespace of Fairlead's agent is closed to them.",
    hint: "Deploy to another namespace. To change the agent itself, use its chart.",
  },
  DOOR_SECRET_HIDDEN: {
    httpStatus: 403,
    message: "The command doesn't name the Secret {secret}, so its programs may not read it.",
    hint: "Name it in the command: programs read Secrets that the command names, that it made, and that belong to its release or state.",
  },
  DOOR_SECRET_MISSING: {
    httpStatus: 404,
    message: "There is no Secret {secret} that a proposal's programs may read.",
    hint: "Secrets are read after somebody who may create such commands has approved.",
  },
  DOOR_TOO_MANY_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "Programs of the command have {limit} requests to the API server under way, which is the most.",
    hint: "Have them do less at a time (for OpenTofu: parallelism).",
  },
  DOOR_ANSWER_UNREADABLE: {
    httpStatus: 502,
    message: "The API server's answer about Secrets can't be looked through ({detail}), so programs don't get it.",
    hint: "Ask for fewer Secrets at a time (limit, a label selector), or look at the API server.",
  },
} as const;

export const doorErrors: Errors<typeof table> = defineErrors(table);
