import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GIT_ADDRESS_INVALID: {
    message: "The address of the repository can't be used: {detail}.",
    hint: "Write https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH. Credentials belong in a Secret that is referred to.",
    meaning: "A command names a repository by something else than https or ssh, or with credentials in the address.",
  },
  GIT_UNREACHABLE: {
    retryable: true,
    message: "The repository {repository} can't be reached ({reason}).",
    hint: "Check that the agent's pod may reach the host: network policies, proxies and names.",
    meaning: "The host doesn't answer, or too slowly.",
  },
  GIT_CREDENTIALS_REFUSED: {
    message: "The repository {repository} doesn't let the command in.",
    hint: "Check the Secret that the credentials refer to, and that they may read the repository.",
  },
  GIT_HOST_KEY_REFUSED: {
    message: "The host of {repository} hasn't shown a key that is in knownHosts.",
    hint: "If its key has changed, check the new one by another way before you put it into knownHosts.",
    meaning: "An SSH host has no key, or another one, in `knownHosts`.",
  },
  GIT_REPOSITORY_MISSING: {
    message: "There is no repository {repository}, or the credentials may not see it.",
    hint: "Check the address. Redirections aren't followed: write it as the server has it, with .git where that belongs to it.",
    meaning: "There is no such repository, or the credentials may not see it.",
  },
  GIT_COMMIT_MISSING: {
    message: "The repository {repository} has no {what}, or doesn't give it out.",
    hint: "It may have been rewritten. Name a commit that a branch or a tag of it has.",
    meaning: "The repository has no such commit, branch or tag, or doesn't give it out.",
  },
  GIT_REF_AMBIGUOUS: {
    message: "{ref} is a branch and a tag of {repository}, and they differ.",
    hint: "Write refs/heads/… or refs/tags/….",
  },
  GIT_SUBMODULES: {
    message: "The repository {repository} has submodules, which aren't fetched ({path}).",
    hint: "Use a repository without, or set submodules to ignore: their folders stay empty.",
  },
  GIT_LINK_LEAVES: {
    message: "{path} is a symbolic link out of the repository.",
    hint: "Remove it, or check out only the folders that are needed (subPaths).",
    meaning: "A symbolic link leads out of the repository.",
  },
  GIT_TOO_LARGE: {
    message: "The repository {repository} is too large to be checked out (at most {limit}).",
    hint: "Keep what the command needs in a smaller repository.",
    meaning: "The repository is larger than 512 MiB or has more than 100,000 files at this commit.",
  },
  GIT_FAILED: {
    message: "git failed on {repository}: {reason}.",
    hint: "The log has all that it said.",
    meaning: "Git failed for a reason that has no code.",
  },
} as const;

export const gitErrors: Errors<typeof table> = defineErrors(table);
