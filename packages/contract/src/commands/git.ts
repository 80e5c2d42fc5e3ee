import { z } from "zod";

/** A repository at one commit. Agents look closer than what is checked here. */
export interface GitSource {
  /** https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH, without credentials. */
  readonly url: string;
  /** In full; this or `ref`. */
  readonly commit?: string | undefined;
  /** A branch or a tag, as it is when the command runs. */
  readonly ref?: string | undefined;
  /** References to Secrets of the cluster. */
  readonly credentials?: GitCredentials | undefined;
  /** Lines of a known_hosts file, or a reference to some; needed for SSH. */
  readonly knownHosts?: string | undefined;
  /** Folders that are wanted; all unless told. */
  readonly subPaths?: readonly string[] | undefined;
  /** Submodules aren't fetched: a repository that has some is refused unless told. */
  readonly submodules?: "refuse" | "ignore" | undefined;
}

export type GitCredentials =
  | { readonly username?: string | undefined; readonly password: string }
  | { readonly privateKey: string };

export const gitSourceSchema: z.ZodType<GitSource> = z
  .strictObject({
    url: z.string().min(1).max(2_000),
    commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be a whole commit id")
      .optional(),
    ref: z.string().min(1).max(250).optional(),
    credentials: z
      .union([
        z.strictObject({ username: z.string().optional(), password: z.string() }),
        z.strictObject({ privateKey: z.string() }),
      ])
      .optional(),
    knownHosts: z.string().optional(),
    subPaths: z.array(z.string()).min(1).max(100).readonly().optional(),
    submodules: z.enum(["refuse", "ignore"]).optional(),
  })
  .meta({ id: "GitSource" });
