import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";

/** The name of a role or a robot. */
export const plainNameSchema = z.string().refine(isDnsLabel, {
  message: "must be a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end",
});

/**
 * The name of a user or a group, as the identity provider spells it: no control characters, no blanks at either end.
 */
export const subjectNameSchema = z
  .string()
  .max(256)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\s](?:[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{Cc}\p{Zl}\p{Zp}\s])?$/u, {
    message: "is empty, or has control characters or blanks at an end",
  });

/** A sentence for people: one line, no blanks at either end. */
export const reasonSchema = z
  .string()
  .max(500)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\s](?:[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{Cc}\p{Zl}\p{Zp}\s])?$/u, {
    message: "is empty, or has control characters, line breaks or blanks at an end",
  });

/** A verb of a rule or a request: `get`, `create` …; `*` is all of them. */
export const verbSchema = z.string().regex(/^(?:\*|[a-z]{1,32})$/, { message: "is not a verb" });

// `pods`, `pods/exec`, `pods/*`, `*/proxy`; `*` is everything, subresources too.
export const resourcePatternSchema = z
  .string()
  .max(253)
  .regex(/^(?:\*|[a-z0-9][a-z0-9.-]*)(?:\/(?:\*|[a-z0-9][a-z0-9.-]*))?$/, { message: "is not a resource" });

/** Empty for the core group. */
export const apiGroupSchema = z
  .string()
  .max(253)
  .regex(/^(?:\*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$/, { message: "is not an API group" });

export const namespaceSchema = z.string().refine((name) => isDnsLabel(name), { message: "is not a namespace" });
