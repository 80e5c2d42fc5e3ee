import { z } from "zod";

/** A step of a flow that ends when objects are as awaited. */
export interface WaitSpec {
  readonly apiVersion: string;
  readonly kind: string;
  /** `default`, or that of the flow, unless told. */
  readonly namespace?: string | undefined;
  /** The name of a single object; without it all objects of `selector` are meant. */
  readonly name?: string | undefined;
  /** Labels; there has to be one such object at least. */
  readonly selector?: string | undefined;
  readonly until:
    | "ready"
    | "deleted"
    | { readonly condition: string; readonly status?: "True" | "False" | "Unknown" | undefined }
    | WaitField;
  /** 300 unless told. */
  readonly timeoutSeconds?: number | undefined;
  /** Names of outputs, with where in the object they are: `status.loadBalancer.ingress[0].ip`. */
  readonly outputs?: Readonly<Record<string, string>> | undefined;
}

/** With one of the three tests. */
interface WaitField {
  readonly field: string;
  readonly equals?: string | number | boolean | null | undefined;
  readonly exists?: boolean | undefined;
  /** `*` for any run of characters. */
  readonly matches?: string | undefined;
}

export const waitSpecSchema: z.ZodType<WaitSpec> = z
  .strictObject({
    apiVersion: z.string().min(1).max(253),
    kind: z.string().min(1).max(63),
    namespace: z.string().min(1).max(63).optional(),
    name: z.string().min(1).max(253).optional(),
    selector: z.string().min(1).max(1_000).optional(),
    until: z.union([
      z.enum(["ready", "deleted"]),
      z.strictObject({
        condition: z.string().min(1).max(316),
        status: z.enum(["True", "False", "Unknown"]).optional(),
      }),
      z.strictObject({
        field: z.string().min(1).max(500),
        equals: z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]).optional(),
        exists: z.boolean().optional(),
        matches: z.string().max(200).optional(),
      }),
    ]),
    timeoutSeconds: z.number().min(1).max(86_400).optional(),
    outputs: z.record(z.string().max(63), z.string().min(1).max(500)).optional(),
  })
  .meta({ id: "WaitSpec" });
