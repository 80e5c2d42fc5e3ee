import { z } from "zod";
import { timestampSchema } from "../primitives.ts";

/** A public key by which agents know that a command is this hub's. */
export interface CommandKey {
  readonly id: string;
  /** JWK (RFC 7517), as text. */
  readonly publicJwk: string;
  readonly signsFrom: string;
  /** Given out until then; undefined: until another one follows. */
  readonly endsAt?: string | undefined;
}

export interface CommandKeyList {
  readonly items: CommandKey[];
}

export const commandKeyListSchema: z.ZodType<CommandKeyList> = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string(),
          publicJwk: z.string(),
          signsFrom: timestampSchema,
          endsAt: timestampSchema.optional(),
        })
        .meta({ id: "CommandKey" }),
    ),
  })
  .meta({ id: "CommandKeyList" });
