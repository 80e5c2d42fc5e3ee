import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOOR_PLAN_WRITES: {
    httpStatus: 403,
    message: "A plan only reads, and {what} may change something.",
    hint: "Programs of a plan may ask for a dry run (dryRun=All). What they change otherwise waits until the plan is approved.",
    meaning: "A program of a plan or a dry run wants to change something. Plans read, and ask for dry runs.",
    remedy: "Look at what the chart or the configuration does while it is planned.",
  },
  DOOR_OWN_NAMESPACE: {
    httpStatus: 403,
    message: "Programs of commands may not do {what}: the namespace of Fairlead's agent is closed to them.",
    hint: "Deploy to another namespace. To change the agent itself, use its chart.",
    meaning:
      "A program wants to change something in the namespace of the agent, to get into its pods or to read its Secrets.",
  },
  DOOR_SECRET_HIDDEN: {
    httpStatus: 403,
    message: "The command doesn't name the Secret {secret}, so its programs may not read it.",
    hint: "Name it in the command: programs read Secrets that the command names, that it made, and that belong to its release or state.",
    meaning:
      "A program wants to read a Secret that the command doesn't name, that the run didn't make and that doesn't belong to its release or state.",
  },
  DOOR_SECRET_MISSING: {
    httpStatus: 404,
    message: "There is no Secret {secret} that a proposal's programs may read.",
    hint: "Secrets are read after somebody who may create such commands has approved.",
    meaning:
      "A program of a proposal wants to read a Secret before somebody has approved that the proposal is planned. The Secret looks as if it weren't there.",
  },
  DOOR_TOO_MANY_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "Programs of the command have {limit} requests to the API server under way, which is the most.",
    hint: "Have them do less at a time (for OpenTofu: parallelism).",
    remedy: "Lower their parallelism; clients of Kubernetes ask again by themselves.",
  },
  // Clients of Kubernetes ask again after this one.
  DOOR_RIGHTS_UNSETTLED: {
    httpStatus: 429,
    retryable: true,
    message: "The API server has just started again and refuses requests until it knows all roles.",
    hint: "Programs ask again by themselves.",
    meaning: "The API server refused a program's request less than a minute after an outage.",
    remedy: "None: programs ask again, and are told the refusal itself a minute after the outage.",
  },
  DOOR_ANSWER_UNREADABLE: {
    httpStatus: 502,
    message: "The API server's answer about Secrets can't be looked through ({detail}), so programs don't get it.",
    hint: "Ask for fewer Secrets at a time (limit, a label selector), or look at the API server.",
    meaning:
      "The API server's answer about Secrets isn't JSON or is larger than 64 MiB, so the Secrets that the command may not see can't be taken out of it. Programs don't get it.",
  },
} as const;

export const doorErrors: Errors<typeof table> = defineErrors(table);
