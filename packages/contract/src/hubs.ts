// The hubs that share a database.
import { z } from "zod";
import { timestampSchema } from "./primitives.ts";

export interface HubMember {
  /** Another one at each start. */
  readonly id: string;
  /** Where the other hubs reach it, HOST:PORT; absent for a hub that has its database alone. */
  readonly address?: string | undefined;
  readonly version: string;
  /** Since when it is there without having been taken for dead. */
  readonly since: string;
  /** How long ago it last said that it lives, by the database's clock. */
  readonly silentMs: number;
  /** Links of agents that have introduced themselves. */
  readonly links: number;
  /** Processes that these links come from. */
  readonly agents: number;
  /** `self` is the hub that answers; `linked` says that its link to this one works. */
  readonly reach: "self" | "linked" | "unlinked";
}

export interface HubList {
  readonly items: HubMember[];
}

export const hubListSchema: z.ZodType<HubList> = z
  .object({
    items: z.array(
      z.object({
        id: z.string(),
        address: z.string().optional(),
        version: z.string(),
        since: timestampSchema,
        silentMs: z.int(),
        links: z.int(),
        agents: z.int(),
        reach: z.enum(["self", "linked", "unlinked"]),
      }),
    ),
  })
  .meta({ id: "HubList" });
