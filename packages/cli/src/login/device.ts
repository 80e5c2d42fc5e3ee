import type { HubClient, Session } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import { pause } from "../files/index.ts";
import type { Terminal } from "../terminal.ts";
import { loginErrors } from "./errors.ts";

/** The device flow (RFC 8628): the code is typed into a browser anywhere, and the hub is asked until it was. */
export async function signInWithDevice(options: {
  readonly client: HubClient;
  readonly terminal: Terminal;
  readonly wait?: typeof pause;
}): Promise<Session> {
  const { client, terminal, wait = pause } = options;
  const { signal } = terminal;
  const startedAt = performance.now();
  const start = await client.startDevice({ signal });
  // By how long it lasts rather than by the clock, which may differ from the hub's.
  const uri = printable(start.verificationUriComplete ?? start.verificationUri);
  terminal.stderr.write(
    `Open this page in any browser:\n\n  ${uri}\n\nand confirm the code:\n\n  ${printable(start.userCode)}\n\n`,
  );
  let { intervalMs } = start;
  while (performance.now() - startedAt < longestMs) {
    await wait(clamp(intervalMs), signal);
    const answer = await client.pollDevice({ deviceId: start.deviceId }, { signal });
    if (!("pending" in answer)) return answer;
    ({ intervalMs } = answer);
  }
  throw loginErrors.CLI_LOGIN_TIMEOUT({ after: "an hour" });
}

function clamp(intervalMs: number): number {
  return Math.min(Math.max(intervalMs, 500), 60_000);
}

const longestMs = 3_600_000;
