import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_ADDON_CHART_UNREACHABLE: {
    retryable: true,
    message: "The chart {chart} can't be fetched from {repository}: {why}",
    hint: "The repository must be reachable from here; --mirror FROM=TO names another place for it.",
  },
  CLI_ADDON_CHART_MISSING: {
    httpStatus: 404,
    message: "{repository} has no chart {chart} {version}.",
    hint: "Name a version that it has with --to ADDON=VERSION, or another place with --mirror FROM=TO.",
  },
  CLI_ADDON_CHART_MISMATCH: {
    message: "{repository} gives another archive of {chart} {version} than its index says: {found}, not {expected}.",
    hint: "Nothing was installed. Somebody changed the archive after it was published, or on its way to you.",
  },
  CLI_ADDON_CHART_UNRENDERED: {
    httpStatus: 400,
    message: "The chart {chart} {version} can't be rendered with these values: {why}",
    hint: "Look at the values with --show-values, and give others with --values ADDON=FILE.",
  },
} as const;

export const chartErrors: Errors<typeof table> = defineErrors(table);
