import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_ADDON_CHART_UNREACHABLE: {
    retryable: true,
    message: "The chart {chart} can't be downloaded from {repository}: {why}",
    hint: "Make sure that this machine can reach the repository, or name another place with --mirror FROM=TO.",
    meaning: "A chart can't be downloaded; the message has helm's reason.",
  },
  CLI_ADDON_CHART_MISSING: {
    httpStatus: 404,
    message: "{repository} has no chart {chart} {version}.",
    hint: "Name a version that exists with --to ADDON=VERSION, or another place with --mirror FROM=TO.",
    meaning: "The chart repository doesn't have this version of the chart.",
  },
  CLI_ADDON_CHART_MISMATCH: {
    message:
      "The archive of {chart} {version} from {repository} doesn't match its index: it has {found}, not {expected}.",
    hint: "Nothing was installed. The archive was changed after it was published, or in transit.",
    meaning: "The archive of a chart doesn't match its repository's index. Nothing was installed.",
    remedy: "Find out who changed the archive after it was published.",
  },
  CLI_ADDON_CHART_UNRENDERED: {
    httpStatus: 400,
    message: "The chart {chart} {version} can't be rendered with these values: {why}",
    hint: "Show the values with --show-values, and change them with --values ADDON=FILE.",
    meaning: "Helm can't render a chart with these values; the message has its reason.",
    remedy: "Correct the values; `--show-values` shows them.",
  },
} as const;

export const chartErrors: Errors<typeof table> = defineErrors(table);
