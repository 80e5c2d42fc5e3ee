import { readFile } from "node:fs/promises";
import { type JoinToken, parseJoinToken } from "@fairlead/kernel";
import { identityErrors } from "./errors.ts";

export interface GivenToken extends JoinToken {
  readonly text: string;
}

/** Where the join token comes from. A file is read each time: a new token in it is how an agent is let in again. */
export interface TokenSource {
  /** True when another answer is possible later without a restart. */
  readonly changes: boolean;
  read(): Promise<GivenToken>;
  /** Where a new one is to be put, for messages. */
  readonly place: string;
}

export function createTokenSource(options: { token?: string | undefined; path?: string | undefined }): TokenSource {
  const { token, path } = options;
  return {
    changes: path !== undefined,
    place: path ?? "--token-file (the agent was given none, and has to be started again with it)",
    async read() {
      const text = (path === undefined ? token : await readTokenFile(path))?.trim();
      if (!text) throw identityErrors.ENROLL_TOKEN_MISSING();
      const parsed = parseJoinToken(text);
      if (!parsed) throw identityErrors.ENROLL_TOKEN_MALFORMED();
      return { ...parsed, text };
    },
  };
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw identityErrors.ENROLL_TOKEN_UNREADABLE({ path, cause: error });
  }
}
