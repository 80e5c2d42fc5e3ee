import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { ObjectRef } from "../types.ts";

/** `NAMESPACE/NAME` of a Secret or a ConfigMap. */
export const objectRefShape: z.ZodType<string> = z
  .string()
  .max(320)
  .refine((text) => {
    const { namespace, name } = toObjectRef(text);
    return isDnsLabel(namespace) && objectName.test(name) && name.length <= 253;
  }, "it is no NAMESPACE/NAME");

export function toObjectRef(text: string): ObjectRef {
  const slash = text.indexOf("/");
  return { namespace: text.slice(0, Math.max(0, slash)), name: text.slice(slash + 1) };
}

const objectName = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
