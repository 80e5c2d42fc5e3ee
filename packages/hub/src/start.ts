import { describeError, isFairleadError, redact } from "@fairlead/kernel";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { runAdminTokenCommand } from "./admin-token-command.ts";
import { type Hub, startHub } from "./hub.ts";
import { handOverFirstToken } from "./people/access/index.ts";
import { printConfig, printHelp, readEnvironment, readInvocation } from "./platform/config/index.ts";
import { runStoreCommand } from "./store-command.ts";
import { hubVersion } from "./version.ts";

try {
  await run();
} catch (thrown) {
  complain(thrown);
  process.exit(1);
}

async function run(): Promise<void> {
  const invocation = readInvocation({ args: process.argv.slice(2), env: readEnvironment() });
  if ("warnings" in invocation)
    for (const warning of invocation.warnings) process.stderr.write(`fairlead-hub: ${warning}\n`);
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
    case "store": {
      watchSignals();
      const { command, config } = invocation;
      process.stderr.write(`fairlead-hub: ${await runStoreCommand(command, config)}\n`);
      return process.exit(0);
    }
    case "admin-token": {
      watchSignals();
      const { config, revokesOthers } = invocation;
      const show = (token: string): void => void process.stdout.write(`${token}\n`);
      process.stderr.write(`fairlead-hub: ${await runAdminTokenCommand(config, { revokesOthers, show })}\n`);
      return process.exit(0);
    }
    case "serve": {
      // Little lives in this thread, as the database has one of its own: at 50 a transfer cost half as much again.
      tuneGarbageCollection({ heapGrowingPercent: 200 });
      const signals = watchSignals();
      const hub = await startHub(invocation.config);
      const stopping = signals.untilAsked();
      await greet(hub, invocation.config.adminTokenOut);
      const lost = await Promise.race([stopping, hub.lost]);
      if (lost) hub.log.error({ err: lost }, "this hub can't go on with its database; it ends");
      await hub[Symbol.asyncDispose]();
      hub.log.info("hub has stopped");
      return process.exit(lost ? 1 : 0);
    }
  }
}

async function greet(hub: Hub, tokenFile: string | undefined): Promise<void> {
  const { peopleUrl, agentUrl, metricsUrl, caFingerprint, firstAdminToken: token } = hub;
  // Not through the logger, which would mask the token, and whose lines are kept.
  if (token !== undefined) {
    process.stderr.write(await handOverFirstToken({ token, peopleUrl, caFingerprint }, tokenFile));
  }
  const addresses = { listen: peopleUrl, agentListen: agentUrl, metricsListen: metricsUrl };
  hub.log.info({ ...addresses, caFingerprint, version: hubVersion }, "hub is ready");
}

/**
 * The first signal asks to stop in order, the second to stop at once. Until the hub runs there is nothing to end in order.
 * Without a listener a signal would end this process before it can tell its database, and none would end a process 1.
 */
function watchSignals(): { untilAsked(): Promise<void> } {
  const asked = Promise.withResolvers<void>();
  let stage: "starting" | "running" | "stopping" = "starting";
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => {
      if (stage !== "running") process.exit(code);
      stage = "stopping";
      asked.resolve();
    });
  }
  return {
    untilAsked() {
      stage = "running";
      return asked.promise;
    },
  };
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
