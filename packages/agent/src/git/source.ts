// A repository as specs name it.
import { isFairleadError } from "@fairlead/kernel";
import { z } from "zod";
import { readGitAddress } from "./address.ts";

export interface GitSource {
  readonly url: string;
  /** The full id. Either this or `ref` is there. */
  readonly commit?: string | undefined;
  /** A branch or a tag; the commit that it has at the time is what counts. */
  readonly ref?: string | undefined;
  /** Their texts hold references to Secrets. */
  readonly credentials?: GitCredentials | undefined;
  /** Lines of a known_hosts file; may hold references. Needed for SSH. */
  readonly knownHosts?: string | undefined;
  /** Folders that are wanted; all unless given. */
  readonly subPaths?: readonly string[] | undefined;
  /** How a repository with submodules is treated. */
  readonly submodules?: "refuse" | "ignore" | undefined;
}

export interface GitCredentials {
  /** `git` unless given. */
  readonly username?: string | undefined;
  /** For HTTPS. */
  readonly password?: string | undefined;
  /** For SSH. */
  readonly privateKey?: string | undefined;
}

/** A path inside of a repository, as git has it. */
const path = z
  .string()
  .max(1000)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\0\r\n\\]+$/, "must be a path inside of the repository");

const reference = z.string().max(4096).includes("${secret:", { error: "must be a reference to a Secret" });

/** Each text begins with neither - nor ., so that none is taken for an option. */
const ref = z
  .string()
  .max(250)
  .regex(/^(?![-./])(?!.*(?:\.\.|\/\/|@\{|\.lock$))[\w./+@-]+$/, "must be the name of a branch or a tag");

export const gitSourceSchema: z.ZodType<GitSource> = z
  .strictObject({
    url: z.string().superRefine((url, context) => {
      try {
        readGitAddress(url);
      } catch (error) {
        context.addIssue({ code: "custom", message: isFairleadError(error) ? error.message : "isn't an address" });
      }
    }),
    commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "must be a whole commit id")
      .optional(),
    ref: ref.optional(),
    credentials: z
      .strictObject({
        username: z.string().min(1).max(1000).optional(),
        password: reference.optional(),
        privateKey: reference.optional(),
      })
      .optional(),
    knownHosts: z
      .string()
      .max(64 * 1024)
      .optional(),
    subPaths: z.array(path).min(1).max(100).readonly().optional(),
    submodules: z.enum(["refuse", "ignore"]).optional(),
  })
  .superRefine(({ url, commit, ref: name, credentials, knownHosts }, context) => {
    const say = (message: string): void => context.addIssue({ code: "custom", message });
    if ((commit === undefined) === (name === undefined)) say("needs commit or ref, and not both");
    const isSsh = !/^https?:\/\//.test(url);
    if (isSsh && knownHosts === undefined) say("needs knownHosts for SSH");
    const { password, privateKey } = credentials ?? {};
    if (isSsh && credentials && (privateKey === undefined || password !== undefined)) say("takes a privateKey for SSH");
    if (!isSsh && credentials && (password === undefined || privateKey !== undefined))
      say("takes a password for HTTPS");
  });
