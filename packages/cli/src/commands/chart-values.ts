// The options that choose a chart's values, as Helm's own.
import type { Command } from "../command.ts";
import { collectText } from "./collect.ts";

export interface ChartValues {
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
  readonly values?: readonly string[];
}

export function addChartValues(command: Command): Command {
  return command
    .option("--set <key=value>", "Value of the chart, as for helm --set; can be repeated", collectText)
    .option(
      "--set-string <key=value>",
      "Text value of the chart, as for helm --set-string; can be repeated",
      collectText,
    )
    .option("--values <file>", "File with values for the chart; can be repeated", collectText);
}

export function toValueArguments({ set = [], setString = [], values = [] }: ChartValues): string[] {
  return [
    ...values.flatMap((file) => ["--values", file]),
    ...set.flatMap((value) => ["--set", value]),
    ...setString.flatMap((value) => ["--set-string", value]),
  ];
}
