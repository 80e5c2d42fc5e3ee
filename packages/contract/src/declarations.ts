// The declarations that the hub read from files, and whether they are in force.
import { z } from "zod";
import type { Infer } from "./infer.ts";
import type { Operation } from "./operation.ts";
import { timestampSchema } from "./primitives.ts";
import type { CallOptions, Send } from "./send.ts";

const driftSchema = z.object({
  at: timestampSchema.describe("RFC 3339 time of the correction"),
  detail: z.string().describe("What differed from the declaration, for people"),
});

const itemSchema = z
  .object({
    kind: z.enum(["Cluster", "Role", "Binding", "Robot", "Limits"]).describe("Kind of the declared object"),
    name: z.string().describe("Name of the object on the hub"),
    file: z.string().optional().describe("File that declares the object; absent where none does"),
    state: z
      .enum(["declared", "missing", "withdrawn", "kept", "undeclared"])
      .describe(
        "`declared`: the object is as declared. `missing`: it is declared but doesn't exist (yet). `withdrawn`: a cluster that is no longer declared. `kept`: the object is no longer declared but can't be removed. `undeclared`: it was never declared",
      ),
    detail: z.string().optional().describe("Why the object is in this state; absent where the state says it all"),
    drift: driftSchema
      .optional()
      .describe("Latest correction of a difference between the object and its declaration; absent before the first"),
  })
  .meta({ id: "DeclarationItem", description: "A declared object, or one that could be declared" });
export type DeclarationItem = Infer<typeof itemSchema>;

const problemSchema = z.object({
  code: z.string().describe("Stable code that docs/errors.md explains"),
  message: z.string().describe("What is wrong with the files, for people"),
  hint: z.string().optional().describe("What to do about it; absent where there is no advice"),
  since: timestampSchema.describe("RFC 3339 time at which the problem began"),
});

export const declarationListSchema = z
  .object({
    folder: z.string().describe("Folder of the declaration files on the hub's machine"),
    keepsNothing: z
      .boolean()
      .describe("Whether the hub keeps its data in memory and forgets everything undeclared when it ends"),
    readAt: timestampSchema.describe("RFC 3339 time at which the files were last read"),
    problem: problemSchema
      .optional()
      .describe("Why the current files aren't in force; the hub uses their previous content. Absent while all is well"),
    items: z.array(itemSchema).describe("All objects that are declared or could be"),
  })
  .meta({
    id: "DeclarationList",
    description: "The objects that the hub's files declare, and whether they are in force",
  });
export type DeclarationList = Infer<typeof declarationListSchema>;

export const declarationPaths = { declarations: "/api/v1/declarations" } as const;

export const declarationOperations: readonly Operation[] = [
  {
    id: "listDeclarations",
    method: "get",
    path: declarationPaths.declarations,
    summary: "What the hub's files declare, and whether it is so",
    needsToken: true,
    success: { status: 200, description: "All that is declared, or could be", body: declarationListSchema },
  },
];

export interface DeclarationCalls {
  listDeclarations(options?: CallOptions): Promise<DeclarationList>;
}

export function createDeclarationCalls(send: Send): DeclarationCalls {
  return {
    listDeclarations: (call) =>
      send({ ...call, method: "GET", path: declarationPaths.declarations, answer: declarationListSchema }),
  };
}
