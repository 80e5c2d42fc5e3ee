import { z } from "zod";
import { executeErrors } from "../../errors.ts";
import { isInnerPath } from "../chart/chart-spec.ts";
import type { ChartSource, ValuesFrom, ValuesRule } from "../types.ts";
import { objectRefShape, toObjectRef } from "./object-ref.ts";
import { readTargetPath } from "./target-path.ts";

export function parseValuesRule(
  given: {
    readonly values?: Readonly<Record<string, unknown>> | undefined;
    readonly reuseValues?: boolean | undefined;
    readonly valuesFiles?: readonly string[] | undefined;
    readonly valuesFrom?: readonly GivenValuesFrom[] | undefined;
  },
  chart: ChartSource,
): ValuesRule {
  const { values = {}, reuseValues: isReusing = false, valuesFiles = [], valuesFrom = [] } = given;
  if (valuesFiles.length > 0 && chart.type !== "inline" && chart.type !== "git")
    throw invalid("valuesFiles: only charts in git and inline charts support files");
  for (const path of valuesFiles) {
    if (!isInnerPath(path)) throw invalid("valuesFiles has a path that isn't a plain path below the chart's folder");
    if (chart.type === "inline" && !Object.hasOwn(chart.files, path))
      throw invalid(`valuesFiles: the chart has no file ${path}`);
  }
  return { isReusing, inline: values, files: valuesFiles, from: valuesFrom.map(toValuesFrom) };
}

function toValuesFrom(given: GivenValuesFrom, index: number): ValuesFrom {
  const { secret, configMap, key = "values.yaml", optional: isOptional = false, targetPath } = given;
  const where = `valuesFrom.${index}`;
  const named = secret ?? configMap;
  if (named === undefined || (secret !== undefined && configMap !== undefined))
    throw invalid(`${where}: it must name either a secret or a configMap`);
  const target = targetPath === undefined ? undefined : readTargetPath(targetPath);
  if (targetPath !== undefined && target === undefined)
    throw invalid(`${where}.targetPath: it isn't a path of a value`);
  return { kind: secret === undefined ? "configmap" : "secret", object: toObjectRef(named), key, isOptional, target };
}

function invalid(detail: string): Error {
  return executeErrors.COMMAND_SPEC_INVALID({ detail });
}

export interface GivenValuesFrom {
  readonly secret?: string | undefined;
  readonly configMap?: string | undefined;
  readonly key?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly targetPath?: string | undefined;
}

export const valuesFromShape: z.ZodType<GivenValuesFrom> = z.strictObject({
  secret: objectRefShape.optional(),
  configMap: objectRefShape.optional(),
  key: z
    .string()
    .max(253)
    .regex(/^(?!\.{1,2}$)[-._a-zA-Z0-9]+$/, "it is no key of a Secret or ConfigMap")
    .optional(),
  optional: z.boolean().optional(),
  targetPath: z.string().max(512).optional(),
});
