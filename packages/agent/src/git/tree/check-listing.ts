// Looks at what a commit holds before any of it is written.
import type { GitAddress } from "../address.ts";
import { gitErrors } from "../errors.ts";
import type { Git, GitLimits } from "../run-git.ts";

export async function checkListing(options: {
  readonly git: Git;
  readonly address: GitAddress;
  readonly submodules: "refuse" | "ignore";
  readonly limits: GitLimits;
}): Promise<{ readonly submodules: readonly string[] }> {
  const { git, address, submodules: rule, limits } = options;
  const repository = address.url;
  const lines = (await git(["ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD"])).split("\0").filter(Boolean);
  if (lines.length > limits.files) throw gitErrors.GIT_TOO_LARGE({ repository, limit: `${limits.files} files` });
  let sizeBytes = 0;
  const submodules: string[] = [];
  for (const line of lines) {
    const [, type, size, path = ""] = /^\d+ (\w+) \S+ +(\S+)\t(.*)$/s.exec(line) ?? [];
    if (type === "commit") submodules.push(path);
    else sizeBytes += Number(size);
  }
  const [path] = submodules;
  if (path !== undefined && rule === "refuse") throw gitErrors.GIT_SUBMODULES({ repository, path });
  if (sizeBytes > limits.sizeBytes) throw gitErrors.GIT_TOO_LARGE({ repository, limit: `${limits.sizeBytes} bytes` });
  return { submodules };
}
