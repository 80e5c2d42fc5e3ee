// Turns git's messages into errors. Git has no codes, so the sentences are those of git, curl and OpenSSH in English. A
// sentence that isn't known is passed on as it is.
import type { FairleadError } from "@fairlead/kernel";
import { gitErrors } from "./errors.ts";

export function explainGit(options: {
  readonly repository: string;
  readonly said: readonly string[];
  readonly exitCode: number;
}): FairleadError {
  const { repository, said, exitCode } = options;
  const text = said.join("\n");
  if (hostKey.test(text)) return gitErrors.GIT_HOST_KEY_REFUSED({ repository });
  if (refused.test(text)) return gitErrors.GIT_CREDENTIALS_REFUSED({ repository });
  if (missingCommit.test(text)) return gitErrors.GIT_COMMIT_MISSING({ repository, what: "such commit" });
  if (missing.test(text)) return gitErrors.GIT_REPOSITORY_MISSING({ repository });
  const reason = lastWords(said) ?? `exit code ${exitCode}`;
  if (unreachable.test(text)) return gitErrors.GIT_UNREACHABLE({ repository, reason });
  return gitErrors.GIT_FAILED({ repository, reason });
}

function lastWords(said: readonly string[]): string | undefined {
  const line = said.findLast((each) => /^(?:fatal|error):/.test(each)) ?? said.at(-1);
  // It isn't cut before it is masked.
  return line?.replace(/^(?:fatal|error):\s*/, "").replace(/\.$/, "");
}

const hostKey = /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No \S+ host key is known/;
const refused =
  /Authentication failed|could not read (?:Username|Password)|Permission denied \(|returned error: 40[13]\b|HTTP Basic: Access denied/;
const missingCommit =
  /not our ref|unadvertised object|couldn't find remote ref|Could not find remote ref|remote error: .*bad object/i;
const missing =
  /repository '.*' not found|does not appear to be a git repository|returned error: (?:404|30\d)\b|redirect/i;
const unreachable =
  /Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset|closed)|Operation timed out|No route to host|Operation too slow|returned error: 5\d\d|early EOF|unexpected disconnect|hung up|SSL|certificate/i;
