import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOOR_PLAN_WRITES: {
    httpStatus: 403,
    message: "A plan can only read, but {what} may change something.",
    hint: "Programs of a plan can request a dry run (dryRun=All). Other changes must wait until the plan is approved.",
    meaning: "A program of a plan or a dry run tried to change something. Plans can only read and request dry runs.",
    remedy: "Find out what the chart or the configuration does while it is planned.",
  },
  DOOR_OWN_NAMESPACE: {
    httpStatus: 403,
    message: "Programs of commands can't do {what}: the namespace of Fairlead's agent is closed to them.",
    hint: "Deploy to another namespace. Use the agent's chart to change the agent itself.",
    meaning:
      "A program tried to change something in the agent's namespace, to get into its pods or to read its Secrets.",
  },
  DOOR_SECRET_HIDDEN: {
    httpStatus: 403,
    message: "The command doesn't name the Secret {secret}, so its programs can't read it.",
    hint: "Name it in the command. Programs can read Secrets that the command names, that it created, and that belong to its release or state.",
    meaning:
      "A program tried to read a Secret that the command doesn't name, that the run didn't create and that doesn't belong to its release or state.",
  },
  DOOR_SECRET_MISSING: {
    httpStatus: 404,
    message: "No Secret {secret} is available to the proposal's programs.",
    hint: "Programs can read Secrets after a user who can create such commands has approved the proposal.",
    meaning:
      "A program of a proposal tried to read a Secret before a user approved planning the proposal. The answer is the same as for a Secret that doesn't exist.",
  },
  DOOR_TOO_MANY_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "Programs of the command have {limit} requests to the API server in progress, which is the maximum.",
    hint: "Configure the programs to send fewer requests at once (for OpenTofu: parallelism).",
    remedy: "Lower the programs' parallelism. Kubernetes clients retry by themselves.",
  },
  // Clients of Kubernetes ask again after this one.
  DOOR_RIGHTS_UNSETTLED: {
    httpStatus: 429,
    retryable: true,
    message: "The API server has just restarted and rejects requests until it has loaded all roles.",
    hint: "Nothing to do: the programs retry.",
    meaning: "The API server rejected a program's request less than a minute after an outage.",
    remedy: "Nothing to do: programs retry. A minute after the outage they get the API server's own answer.",
  },
  DOOR_ANSWER_UNREADABLE: {
    httpStatus: 502,
    message: "The API server's answer about Secrets can't be filtered ({detail}), so programs don't get it.",
    hint: "Request fewer Secrets at a time (limit, a label selector), or check the API server.",
    meaning:
      "The API server's answer about Secrets isn't JSON or is larger than 64 MiB, so the agent can't remove the Secrets that the command isn't allowed to see. Programs don't get the answer.",
  },
} as const;

export const doorErrors: Errors<typeof table> = defineErrors(table);
