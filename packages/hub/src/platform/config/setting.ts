import type { z } from "zod";
import type { HubConfig } from "./hub-config.ts";

export interface Setting {
  readonly key: keyof HubConfig;
  /** The word behind the flag in the help; undefined for a switch. */
  readonly takes: string | undefined;
  readonly help: string;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
}

export function row(
  key: keyof HubConfig,
  takes: string | undefined,
  help: string,
  schema: z.ZodType,
  fallback: unknown,
): Setting {
  return { key, takes, help, schema, fallback };
}
