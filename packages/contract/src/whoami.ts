import { z } from "zod";

/** Who the bearer token belongs to. */
export interface Whoami {
  readonly name: string;
}

export const whoamiSchema: z.ZodType<Whoami> = z.object({ name: z.string() }).meta({ id: "Whoami" });
