import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_UPGRADE_TOO_FAR: {
    httpStatus: 409,
    message: "The chart's agent is {version}, and the hub is {hub}: they are more than two minor versions apart.",
    hint: "Upgrade the hub first, or name another chart with --chart and --chart-version.",
    meaning: "`cluster upgrade` names a chart whose agent doesn't work with this hub.",
  },
  CLI_UPGRADE_UNUSABLE: {
    httpStatus: 409,
    message: "{count} of the chosen clusters can't be upgraded from here: {clusters}.",
    hint: "Mend what the plan says of them, or leave them out with --skip-unusable. Nothing was changed.",
    meaning: "`cluster upgrade` found clusters that are offline or can't be upgraded from here. Nothing was changed.",
    remedy: "Mend what the plan says of them, or leave them out with `--skip-unusable`.",
  },
  CLI_UPGRADE_REFUSED: {
    message: "Helm couldn't upgrade the agent of '{cluster}', and changed nothing: {why}",
    hint: "Mend what the message names and run the same command again.",
    meaning:
      "Helm refused to upgrade an agent before it changed anything; the message has its reason. No further cluster was begun.",
    remedy: "Mend what the message names and run `cluster upgrade` again.",
  },
  CLI_UPGRADE_ROLLED_BACK: {
    message: "The agent of '{cluster}' was rolled back to revision {revision} of its release: {why}",
    hint: "The agent of before is live again. Mend what the message names and run the same command again.",
    meaning:
      "`cluster upgrade` upgraded an agent that didn't get live with its new version, and rolled it back. No further cluster was begun.",
    remedy: "Mend what the message names and run the same command again.",
  },
  CLI_UPGRADE_NOT_ROLLED_BACK: {
    message: "The agent of '{cluster}' isn't live with its new version, and isn't with the former one either: {why}",
    hint: "Go on by hand: 'helm history {release} --namespace {namespace} --kube-context {context}' shows the release.",
    meaning: "`cluster upgrade` couldn't bring an agent back after a failed upgrade. No further cluster was begun.",
    remedy: "Look at the release with `helm history`, and at the agent's pods.",
  },
  CLI_UPGRADE_CHANGED: {
    httpStatus: 409,
    message:
      "The release {namespace}/{release} of '{cluster}' was changed since the plan was made, and is left as it is.",
    hint: "Run the same command again: it makes a new plan.",
    meaning:
      "Somebody else changed an agent's release while `cluster upgrade` was running. The release was left as it is.",
  },
} as const;

export const upgradeErrors: Errors<typeof table> = defineErrors(table);
