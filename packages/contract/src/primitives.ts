import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { Infer } from "./infer.ts";

// Each property describes its own use of a schema, also of one with an id: OpenAPI then has the reference with the
// description beside it, and the schema keeps its own description in `components`.

/** A cluster's name: part of URLs, certificates and file names. */
export const clusterNameSchema = z
  .string()
  .max(63)
  .refine(isDnsLabel, {
    message: "must be a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end",
  })
  .meta({ pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" });

/** RFC 3339, as all dates on the API. */
export const timestampSchema = z.iso.datetime({ offset: true });

/** For queries: not empty, and without NUL, which no database takes. */
export function optionalTextSchema(maxLength: number) {
  const plain = z.string().min(1).max(maxLength);
  return plain.refine((value) => !value.includes("\0"), { message: "has a NUL" }).optional();
}

/** Chosen by the caller, so that the hub recognizes a request that it gets twice. */
export const idempotencyKeySchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

const labelKeySchema = z
  .string()
  .regex(/^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/, {
    message: "is not a label key",
  });
const labelValueSchema = z
  .string()
  .regex(/^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/, { message: "is not a label value" });
export const maxLabels = 64;

/** Labels as Kubernetes spells them: an optional DNS prefix on keys, at most 63 characters on either side. */
export const labelsSchema = z
  .record(labelKeySchema, labelValueSchema)
  .refine((labels) => Object.keys(labels).length <= maxLabels, { message: `has more than ${maxLabels} labels` });
export type Labels = Infer<typeof labelsSchema>;

/** As in a JSON merge patch: null takes a label away. */
export const labelChangesSchema = z
  .record(labelKeySchema, z.nullable(labelValueSchema))
  .refine((labels) => Object.keys(labels).length <= 2 * maxLabels, {
    message: `changes more than ${2 * maxLabels} labels`,
  });
export type LabelChanges = Infer<typeof labelChangesSchema>;
