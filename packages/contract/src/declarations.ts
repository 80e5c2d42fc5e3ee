// The declarations that the hub read from files, and whether they are in force.
import { z } from "zod";
import { timestampSchema } from "./primitives.ts";

export interface DeclarationItem {
  readonly kind: "Cluster" | "Role" | "Binding" | "Robot" | "Limits";
  readonly name: string;
  /** The file that declares it. */
  readonly file?: string | undefined;
  /**
   * `declared`: it is as declared; `missing`: declared, and not there (yet); `withdrawn`: a cluster that isn't declared any
   * more; `kept`: it isn't declared any more and can't go; `undeclared`: it was never declared.
   */
  readonly state: "declared" | "missing" | "withdrawn" | "kept" | "undeclared";
  readonly detail?: string | undefined;
  /** When it was last found to be otherwise, and put right. */
  readonly drift?: { readonly at: string; readonly detail: string } | undefined;
}

export interface DeclarationList {
  readonly folder: string;
  /** The hub forgets all that isn't declared when it ends. */
  readonly keepsNothing: boolean;
  readonly readAt: string;
  /** Why what the files say now isn't in force; what they said before is. */
  readonly problem?:
    | { readonly code: string; readonly message: string; readonly hint?: string | undefined; readonly since: string }
    | undefined;
  readonly items: DeclarationItem[];
}

const itemSchema: z.ZodType<DeclarationItem> = z
  .object({
    kind: z.enum(["Cluster", "Role", "Binding", "Robot", "Limits"]),
    name: z.string(),
    file: z.string().optional(),
    state: z.enum(["declared", "missing", "withdrawn", "kept", "undeclared"]),
    detail: z.string().optional(),
    drift: z.object({ at: timestampSchema, detail: z.string() }).optional(),
  })
  .meta({ id: "DeclarationItem" });

export const declarationListSchema: z.ZodType<DeclarationList> = z
  .object({
    folder: z.string(),
    keepsNothing: z.boolean(),
    readAt: timestampSchema,
    problem: z
      .object({ code: z.string(), message: z.string(), hint: z.string().optional(), since: timestampSchema })
      .optional(),
    items: z.array(itemSchema),
  })
  .meta({ id: "DeclarationList" });
