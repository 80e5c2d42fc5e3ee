import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

const commandKeySchema = z
  .object({
    id: z.string().describe("ID of the key, `kid` in the signature of a command"),
    publicJwk: z.string().describe("Public key as JWK (RFC 7517), serialized as JSON"),
    signsFrom: timestampSchema.describe("RFC 3339 time from which the hub signs with the key"),
    endsAt: timestampSchema
      .optional()
      .describe("RFC 3339 time until which agents get the key. Absent until another key has followed"),
  })
  .meta({ id: "CommandKey", description: "A public key by which agents verify that a command is from this hub" });
export type CommandKey = Infer<typeof commandKeySchema>;

export const commandKeyListSchema = z
  .object({ items: z.array(commandKeySchema).describe("Keys that agents get: one, or two while one follows another") })
  .meta({ id: "CommandKeyList", description: "List of public keys for commands" });
export type CommandKeyList = Infer<typeof commandKeyListSchema>;
