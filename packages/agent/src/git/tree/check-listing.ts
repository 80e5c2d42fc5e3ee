// Looks at what a commit holds before any of it is written.
import { isFairleadError } from "@fairlead/kernel";
import { processErrors } from "../../processes/index.ts";
import type { GitAddress } from "../address.ts";
import { gitErrors } from "../errors.ts";
import type { Git, GitLimits } from "../run-git.ts";
import { showPath } from "./show-path.ts";

export async function checkListing(options: {
  readonly git: Git;
  readonly address: GitAddress;
  readonly submodules: "refuse" | "ignore";
  readonly limits: GitLimits;
}): Promise<{ readonly submodules: readonly string[] }> {
  const { address, submodules: rule, limits } = options;
  const repository = address.url;
  const lines = (await list(options)).split("\0").filter(Boolean);
  if (lines.length > limits.files) throw gitErrors.GIT_TOO_LARGE({ repository, limit: `${limits.files} files` });
  let sizeBytes = 0;
  const submodules: string[] = [];
  for (const line of lines) {
    const [, type, size, path = ""] = /^\d+ (\w+) \S+ +(\S+)\t(.*)$/s.exec(line) ?? [];
    if (type === "commit") submodules.push(path);
    else sizeBytes += Number(size);
  }
  const [path] = submodules;
  if (path !== undefined && rule === "refuse") throw gitErrors.GIT_SUBMODULES({ repository, path: showPath(path) });
  if (sizeBytes > limits.sizeBytes) throw gitErrors.GIT_TOO_LARGE({ repository, limit: `${limits.sizeBytes} bytes` });
  return { submodules };
}

/** Folders that hold each other many times list more than anybody can read. */
async function list({ git, address, limits }: Parameters<typeof checkListing>[0]): Promise<string> {
  try {
    return await git(["ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD"]);
  } catch (error) {
    if (!isFairleadError(error) || !processErrors.is(error, "PROCESS_OUTPUT_TOO_LARGE")) throw error;
    throw gitErrors.GIT_TOO_LARGE({ repository: address.url, limit: `${limits.files} files` });
  }
}
