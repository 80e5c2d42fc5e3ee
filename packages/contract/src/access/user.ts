import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

const userSchema = z
  .object({
    name: z.string().describe("Name of the user, as bindings and audit records have it"),
    uid: z.string().describe("ID of the user, which stays the same when the name changes"),
    issuer: z.string().describe("Issuer URL of the identity provider that the user signed in with"),
    groups: z.array(z.string()).describe("Groups of the user as of the latest sign-in"),
    createdAt: timestampSchema.describe("RFC 3339 time of the first sign-in"),
    lastSignedInAt: timestampSchema.describe("RFC 3339 time of the latest sign-in"),
    sessions: z.number().describe("Number of the user's open sessions"),
  })
  .meta({ id: "User", description: "A person who has signed in with the identity provider" });
export type User = Infer<typeof userSchema>;

export const userListSchema = z
  .object({ items: z.array(userSchema).describe("All users who have signed in") })
  .meta({ id: "UserList", description: "List of users" });
export type UserList = Infer<typeof userListSchema>;
