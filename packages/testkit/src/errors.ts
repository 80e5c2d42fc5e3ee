import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  /** The message says what is missing; a test that fails with this code is skipped. */
  TOOLS_UNAVAILABLE: {
    message: "{detail}",
    meaning:
      "A program that tests run, such as a Kubernetes binary, is neither on the machine nor in the cache, and cannot be built or fetched.",
    remedy:
      "Do what the hint says: install Go 1.26 or newer, or point KUBEBUILDER_ASSETS at a folder that has the binaries.",
  },
  TOOLS_DOWNLOAD_FAILED: {
    retryable: true,
    message: "{url} could not be downloaded{why}.",
    hint: "Check the connection, or set FAIRLEAD_DOWNLOAD_FROM to a folder on a server that has the files of tools/downloads.json. Without --download the programs are built with Go.",
    meaning: "A program of the demo could not be downloaded.",
    remedy:
      "Try again; set FAIRLEAD_DOWNLOAD_FROM to a server of yours that has the files; or leave --download away and let Go build them.",
  },
  TOOLS_DOWNLOAD_MISMATCH: {
    message: "{url} is not the file that is expected: its {algorithm} is {actual} instead of {expected}.",
    hint: "Nothing of it was kept or run. Ask who runs the server, or the proxy in between, what it is.",
    meaning: "A downloaded file has another digest than tools/downloads.json says. Nothing of it was kept.",
    remedy: "Find out what stands in between: a proxy's error page, or someone who changed the file.",
  },
  TOOLS_BUILD_FAILED: {
    message: "{name} could not be built:\n{logTail}",
    hint: `Run "go build" in the tool's folder under tools/ to see the whole output.`,
    meaning: "Go build of a binary failed; the message carries the end of its output.",
  },
  TOOLS_LOCK_TIMEOUT: {
    retryable: true,
    message: "Another process has held {file} for more than {seconds} s.",
    hint: "If no other build is running, delete that file.",
    meaning: "Another process has held the lock of a binary that is being built for 40 minutes.",
    remedy: "If no other build is running, delete the file that the message names.",
  },
  TESTKIT_DISK_FAILED: {
    message: "The forgetful disk did not do '{command}': {reason}",
    meaning: "The disk on which tests cut the power refused a command, or its process ended; the message carries why.",
    remedy: "Read the message; a folder to be made must be empty.",
  },
  TESTKIT_PROCESS_FAILED: {
    message: "{name} {how}. End of its log:\n{logTail}",
    meaning: "A process of a test cluster ended before it was ready; the message carries the end of its log.",
    remedy: "Read the log; often a wrong flag or a port in use.",
  },
  TESTKIT_NOT_READY: {
    retryable: true,
    message: "{name} was not ready after {seconds} s. End of its log:\n{logTail}",
    meaning: "A process or a cluster was not ready in time; the message carries the end of its log.",
    remedy: "Read the log; on a busy machine try again.",
  },
  TESTKIT_NO_PORT: {
    message: "No free port was found on loopback in the range kept for test clusters.",
    hint: "Stop clusters that nobody needs any more.",
  },
  TESTKIT_REQUEST_FAILED: {
    message: "{request} was answered with {status}: {body}",
    meaning: "A test cluster's API server answered a request of testkit with an error.",
    remedy: "Read the answer in the message.",
  },
  TESTKIT_COMMAND_FAILED: {
    message: "{command} ended with {code}: {output}",
    meaning: "A command run by a test, such as kubectl, ended with an exit code other than 0.",
    remedy: "Read its stderr in the message.",
  },
  TESTKIT_NO_SHARED_CLUSTER: {
    message: "No shared cluster is offered to this process.",
    hint: "Add packages/testkit/src/vitest-global-setup.ts to globalSetup in vitest's configuration.",
    meaning: "SharedCluster() or leaseCluster() was called outside a run that offers one.",
  },
  TESTKIT_SHARED_CLUSTER_FAILED: {
    message: "The shared cluster: {detail}",
    meaning: "The cluster that a test run shares could not be started.",
    remedy: "Read the message, which carries the cause and the end of a log.",
  },
  TESTKIT_LEASE_SPOILT: {
    message: "A leased cluster can't be put back to its first state. {why}",
    meaning: "A test file gave back a cluster that can't be made what it was; it was stopped.",
    remedy:
      "Nothing has to be done: the next file gets another cluster. Tests that replace etcd start a cluster of their own.",
  },
} as const;

export const testkitErrors: Errors<typeof table> = defineErrors(table);

/** Codes of errors that come as text from another process or thread. */
export type TestkitCode = keyof typeof table;

export function toolsUnavailable(missing: Missing): FairleadError {
  return unavailable(
    missing,
    "Install Go 1.26 or newer, point KUBEBUILDER_ASSETS at a folder that has the binaries, or run 'npm run demo -- --download' where only the demo is wanted.",
  );
}

export function debianProgramUnavailable(missing: Missing): FairleadError {
  return unavailable(missing, "Install it, or run on Debian or Ubuntu, where it is unpacked from its package.");
}

export function clientUnavailable(missing: Missing): FairleadError {
  return unavailable(missing, "Have npm, and Python 3 with pip, on this machine, and let them reach their registries.");
}

export function diskUnavailable(reason: string, cause?: unknown): FairleadError {
  const hint = "Run the tests as root on Linux, with /dev/fuse.";
  return unavailable({ name: "A disk that forgets", reason, cause }, hint);
}

export function networkUnavailable(cause: unknown): FairleadError {
  const reason = "the kernel lets this user make no network namespace";
  const hint = "Run the tests as root on Linux, or let users make user namespaces.";
  return unavailable({ name: "A network of Argo CD's own", reason, cause }, hint);
}

interface Missing {
  readonly name: string;
  readonly reason: string;
  readonly cause?: unknown;
}

function unavailable({ name, reason, cause }: Missing, hint: string): FairleadError {
  return testkitErrors.TOOLS_UNAVAILABLE({ detail: `${name} is missing: ${reason}.`, hint, cause });
}

export function downloadFailed(url: string, cause: unknown): FairleadError {
  const why = cause instanceof Error ? `: ${(cause.cause instanceof Error ? cause.cause : cause).message}` : "";
  return testkitErrors.TOOLS_DOWNLOAD_FAILED({ url, why, cause });
}

export function processFailed(name: string, how: string, logTail: string): FairleadError {
  return testkitErrors.TESTKIT_PROCESS_FAILED({ name, how, logTail: logTail || "(empty)" });
}

export function processNotReady(name: string, waitedMs: number, logTail: string): FairleadError {
  const seconds = Math.round(waitedMs / 1000);
  return testkitErrors.TESTKIT_NOT_READY({ name, seconds, logTail: logTail || "(empty)" });
}
