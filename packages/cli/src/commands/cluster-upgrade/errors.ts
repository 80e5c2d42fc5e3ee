import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_UPGRADE_TOO_FAR: {
    httpStatus: 409,
    message: "The chart's agent has version {version} and the hub {hub}: they are more than two minor versions apart.",
    hint: "Upgrade the hub first, or name another chart with --chart and --chart-version.",
    meaning: "`cluster upgrade` names a chart whose agent doesn't work with this hub.",
  },
  CLI_UPGRADE_UNUSABLE: {
    httpStatus: 409,
    message: "{count} of the chosen clusters can't be upgraded from here: {clusters}.",
    hint: "Fix what the plan says about them, or leave them out with --skip-unusable. Nothing was changed.",
    meaning: "`cluster upgrade` found clusters that are offline or can't be upgraded from here. Nothing was changed.",
    remedy: "Fix what the plan says about them, or leave them out with `--skip-unusable`.",
  },
  CLI_UPGRADE_REFUSED: {
    message: "Helm couldn't upgrade the agent of '{cluster}', and changed nothing: {why}",
    hint: "Fix what the message names and run the same command again.",
    meaning:
      "Helm rejected the upgrade of an agent before it changed anything; the message has its reason. No further cluster was started.",
    remedy: "Fix what the message names and run `cluster upgrade` again.",
  },
  CLI_UPGRADE_ROLLED_BACK: {
    message: "The agent of '{cluster}' was rolled back to revision {revision} of its release: {why}",
    hint: "The previous agent is live again. Fix what the message names and run the same command again.",
    meaning:
      "`cluster upgrade` upgraded an agent that didn't become live with its new version, and rolled it back. No further cluster was started.",
    remedy: "Fix what the message names and run the same command again.",
  },
  CLI_UPGRADE_NOT_ROLLED_BACK: {
    message: "The agent of '{cluster}' is live neither with its new version nor with the previous one: {why}",
    hint: "Repair the release manually; 'helm history {release} --namespace {namespace} --kube-context {context}' shows it.",
    meaning: "`cluster upgrade` couldn't restore an agent after a failed upgrade. No further cluster was started.",
    remedy: "Check the release with `helm history`, and the agent's pods.",
  },
  CLI_UPGRADE_CHANGED: {
    httpStatus: 409,
    message:
      "The release {namespace}/{release} of '{cluster}' changed after the plan was made, so it was left unchanged.",
    hint: "Run the same command again to make a new plan.",
    meaning:
      "Another process changed an agent's release while `cluster upgrade` was running. The release was left unchanged.",
  },
} as const;

export const upgradeErrors: Errors<typeof table> = defineErrors(table);
