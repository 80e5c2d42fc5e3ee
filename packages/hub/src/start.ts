import { isFairleadError, redact } from "@fairlead/kernel";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { printConfig, printHelp, readEnvironment, readInvocation } from "./config/index.ts";
import { handOverFirstToken } from "./first-token.ts";
import { type Hub, startHub } from "./hub.ts";
import { describeError } from "./telemetry/index.ts";
import { hubVersion } from "./version.ts";

try {
  await run();
} catch (thrown) {
  complain(thrown);
  process.exit(1);
}

async function run(): Promise<void> {
  const invocation = readInvocation({ args: process.argv.slice(2), env: readEnvironment() });
  switch (invocation.kind) {
    case "help":
      process.stdout.write(printHelp());
      return;
    case "version":
      process.stdout.write(`fairlead-hub ${hubVersion}\n`);
      return;
    case "print-config":
      process.stdout.write(printConfig(invocation.config));
      return;
    case "serve": {
      // Little lives in this thread, as the database has one of its own: at 50 a transfer cost half as much again.
      tuneGarbageCollection({ heapGrowingPercent: 200 });
      // Until the hub runs there is nothing to end in order, and a signal has its usual effect.
      const hub = await startHub(invocation.config);
      const stopping = waitForSignal();
      await greet(hub, invocation.config.adminTokenOut);
      await stopping;
      await hub[Symbol.asyncDispose]();
      hub.log.info("hub has stopped");
      return process.exit(0);
    }
  }
}

async function greet(hub: Hub, tokenFile: string | undefined): Promise<void> {
  const { peopleUrl, agentUrl, caFingerprint, firstAdminToken: token } = hub;
  // Not through the logger, which would mask the token, and whose lines are kept.
  if (token !== undefined) {
    process.stderr.write(await handOverFirstToken({ token, peopleUrl, caFingerprint }, tokenFile));
  }
  hub.log.info({ listen: peopleUrl, agentListen: agentUrl, caFingerprint, version: hubVersion }, "hub is ready");
}

/** The first signal asks to stop in order, the second to stop at once. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(code);
        isAsked = true;
        resolve();
      });
    }
  });
}

function complain(thrown: unknown): void {
  if (!isFairleadError(thrown)) {
    process.stderr.write(
      `fairlead-hub: something unexpected went wrong (INTERNAL)\n  ${JSON.stringify(describeError(thrown))}\n`,
    );
    return;
  }
  const hint = thrown.hint === undefined ? "" : `  ${redact(thrown.hint)}\n`;
  process.stderr.write(`fairlead-hub: ${redact(thrown.message)} (${thrown.code})\n${hint}`);
}
