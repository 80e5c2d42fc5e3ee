// Whether a template could be used. All that is wrong is said at once. Pure.
import { type PutTemplateRequest, templateLimits } from "@fairlead/contract";
import { isNestedDeeper } from "@fairlead/kernel";
import { templateErrors } from "./errors.ts";
import { type ParametersSchema, readParametersSchema } from "./parameters/index.ts";
import { formatProblems, type Problem } from "./problems.ts";
import { checkSpec, type KnownParameter } from "./rendering/index.ts";

/** Throws TEMPLATE_TOO_LARGE or TEMPLATE_INVALID. */
export function checkTemplate(request: PutTemplateRequest): void {
  const { kind, spec, parameters = noParameters } = request;
  // Before anything goes into its depths, as making JSON of it does.
  if (isNestedDeeper([spec, parameters], templateLimits.depth + 1)) {
    refuse([{ path: [], message: `it is deeper than ${templateLimits.depth}` }]);
  }
  const sizeBytes = Buffer.byteLength(JSON.stringify(request));
  const limitBytes = templateLimits.bytes;
  if (sizeBytes > limitBytes) throw templateErrors.TEMPLATE_TOO_LARGE({ sizeBytes, limitBytes });
  const { schema, problems } = readParametersSchema(parameters);
  const known = schema ? knownOf(schema) : new Map<string, KnownParameter>();
  // The spec isn't checked against a broken schema: each place would repeat the schema's problem.
  refuse(problems.length > 0 ? problems : checkSpec(kind, spec, known));
}

/** Reads the schema of a stored template, which was checked when it was stored. */
export function toSchema(parameters: string): ParametersSchema {
  const { schema } = readParametersSchema(JSON.parse(parameters));
  if (!schema) throw templateErrors.TEMPLATE_INVALID({ problems: "its schema is no longer readable" });
  return schema;
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw templateErrors.TEMPLATE_INVALID({ problems: formatProblems(problems) });
}

function knownOf({ properties, required }: ParametersSchema): ReadonlyMap<string, KnownParameter> {
  const known = ([name, { type, default: unlessTold }]: [string, { type: KnownParameter["type"]; default: unknown }]) =>
    [name, { type, isSure: required.has(name) || unlessTold !== undefined }] as const;
  return new Map([...properties].map(known));
}

export const noParameters = { type: "object" } as const;
