import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GIT_ADDRESS_INVALID: {
    message: "The repository's address isn't valid: {detail}.",
    hint: "Write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH. Put credentials into a Secret and refer to it.",
    meaning: "The address of a command's repository isn't https or ssh, or contains credentials.",
  },
  GIT_UNREACHABLE: {
    retryable: true,
    message: "The repository {repository} can't be reached ({reason}).",
    hint: "Check that the agent's pod can reach the host: network policies, proxies and DNS.",
    meaning: "The repository's host doesn't answer, or answers too slowly.",
  },
  GIT_CREDENTIALS_REFUSED: {
    message: "The repository {repository} denied access to the command.",
    hint: "Check the Secret that the credentials refer to, and that they allow reading the repository.",
  },
  GIT_HOST_KEY_REFUSED: {
    message: "The host of {repository} didn't present a key that knownHosts lists.",
    hint: "If its key has changed, verify the new key through another channel before you add it to knownHosts.",
    meaning: "An SSH host presented no key, or a key that isn't in `knownHosts`.",
  },
  GIT_REPOSITORY_MISSING: {
    message: "The repository {repository} doesn't exist, or the credentials can't see it.",
    hint: "Check the address. The agent doesn't follow redirects: write the address as the server has it, with .git if it ends so.",
    meaning: "The repository doesn't exist, or the credentials can't see it.",
  },
  GIT_COMMIT_MISSING: {
    message: "The repository {repository} has no {what}, or doesn't serve it.",
    hint: "The history may have been rewritten. Name a commit that a branch or a tag contains.",
    meaning: "The repository doesn't have the commit, branch or tag, or doesn't serve it.",
  },
  GIT_REF_AMBIGUOUS: {
    message: "{ref} is both a branch and a tag of {repository}, and they differ.",
    hint: "Write refs/heads/… or refs/tags/….",
  },
  GIT_SUBMODULES: {
    message: "The repository {repository} has submodules, which the agent doesn't fetch ({path}).",
    hint: "Use a repository without submodules, or set submodules to ignore: their folders then stay empty.",
  },
  GIT_LINK_LEAVES: {
    message: "{path} is a symbolic link that leads out of the repository.",
    hint: "Remove it, or check out only the folders that the command needs (subPaths).",
    meaning: "A symbolic link leads out of the repository.",
  },
  GIT_TOO_LARGE: {
    message: "The repository {repository} is too large to check out (at most {limit}).",
    hint: "Move what the command needs to a smaller repository.",
    meaning: "The repository is larger than 512 MiB or has more than 100,000 files at this commit.",
  },
  GIT_FAILED: {
    message: "git failed on {repository}: {reason}.",
    hint: "See the log for git's full output.",
    meaning: "Git failed for a reason that has no code of its own.",
  },
} as const;

export const gitErrors: Errors<typeof table> = defineErrors(table);
