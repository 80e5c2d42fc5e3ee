import { z } from "zod";
import { timestampSchema } from "../primitives.ts";

/** Someone who has signed in by the identity provider. */
export interface User {
  readonly name: string;
  /** Stays the same when the name changes. */
  readonly uid: string;
  readonly issuer: string;
  /** As of the latest sign-in. */
  readonly groups: string[];
  readonly createdAt: string;
  readonly lastSignedInAt: string;
  /** How many sessions are open. */
  readonly sessions: number;
}

export interface UserList {
  readonly items: User[];
}

export const userListSchema: z.ZodType<UserList> = z
  .object({
    items: z.array(
      z
        .object({
          name: z.string(),
          uid: z.string(),
          issuer: z.string(),
          groups: z.array(z.string()),
          createdAt: timestampSchema,
          lastSignedInAt: timestampSchema,
          sessions: z.number(),
        })
        .meta({ id: "User" }),
    ),
  })
  .meta({ id: "UserList" });
