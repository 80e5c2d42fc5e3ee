import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_ADDON_CHART_UNREACHABLE: {
    retryable: true,
    message: "The chart {chart} can't be fetched from {repository}: {why}",
    hint: "The repository must be reachable from here; --mirror FROM=TO names another place for it.",
    meaning: "A chart can't be fetched from here; the message has helm's reason.",
  },
  CLI_ADDON_CHART_MISSING: {
    httpStatus: 404,
    message: "{repository} has no chart {chart} {version}.",
    hint: "Name a version that it has with --to ADDON=VERSION, or another place with --mirror FROM=TO.",
    meaning: "The chart repository doesn't have the version of the chart.",
  },
  CLI_ADDON_CHART_MISMATCH: {
    message: "{repository} gives another archive of {chart} {version} than its index says: {found}, not {expected}.",
    hint: "Nothing was installed. Somebody changed the archive after it was published, or on its way to you.",
    meaning: "A chart repository gives another archive than its index says. Nothing was installed.",
    remedy: "Find out who changed the archive after it was published.",
  },
  CLI_ADDON_CHART_UNRENDERED: {
    httpStatus: 400,
    message: "The chart {chart} {version} can't be rendered with these values: {why}",
    hint: "Look at the values with --show-values, and give others with --values ADDON=FILE.",
    meaning: "Helm can't render a chart with these values; the message has its reason.",
    remedy: "Mend the values; `--show-values` shows them.",
  },
} as const;

export const chartErrors: Errors<typeof table> = defineErrors(table);
