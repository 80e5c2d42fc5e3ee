import { internalErrors, toFairleadError } from "@fairlead/kernel";
import { collectGarbage, tuneGarbageCollection } from "@fairlead/protocol";
import { startAgent } from "./agent.ts";
import { type AgentConfig, printHelp, readInvocation } from "./config/index.ts";
import { createLogger } from "./telemetry/index.ts";
import { agentVersion } from "./version.ts";

/** The agent as a program: from its arguments to its exit code. */
export async function runProgram(): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (thrown) {
    const error = toFairleadError(thrown);
    const detail = internalErrors.is(error) && error.cause instanceof Error ? `\n  ${error.cause.stack}` : "";
    process.stderr.write(
      `fairlead-agent: ${error.message} (${error.code})\n${error.hint ? `  ${error.hint}\n` : ""}${detail}`,
    );
    process.exit(1);
  }
}

async function main(): Promise<number> {
  const invocation = await readInvocation({ argv: process.argv.slice(2) });
  if ("warnings" in invocation)
    for (const warning of invocation.warnings) process.stderr.write(`fairlead-agent: ${warning}\n`);
  switch (invocation.kind) {
    case "help":
      process.stdout.write(printHelp());
      return 0;
    case "version":
      process.stdout.write(`${agentVersion}\n`);
      return 0;
    case "print-config":
      process.stdout.write(invocation.text);
      return 0;
    case "run":
      break;
  }
  const { config } = invocation;
  tuneGarbageCollection({ heapGrowingPercent: chooseHeapGrowth(config.roles) });
  // A first list of everything passes through an observer at once, and what the heap takes for it stays.
  if (keepsLittle(config.roles)) collectGarbage();
  const log = createLogger({ level: config.logLevel });
  const agent = await startAgent({ config, log });
  // Sockets and timers alone don't keep this process alive while it waits for its hub to come back.
  const alive = setInterval(() => undefined, 2 ** 30);
  let signals = 0;
  const stopped = new Promise<void>((resolve, reject) => {
    const onSignal = (name: NodeJS.Signals): void => {
      signals++;
      if (signals > 1) process.exit(130);
      log.info({ signal: name, drainMs: config.drainMs }, "agent is stopping; a second signal ends it at once");
      agent.stop().then(resolve, reject);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
  try {
    await Promise.race([agent.finished, stopped]);
    if (signals > 0) await stopped;
    return 0;
  } finally {
    clearInterval(alive);
  }
}

/** Bulk passes through a proxy, and little of it lives. */
function chooseHeapGrowth(roles: AgentConfig["roles"]): number {
  if (!keepsLittle(roles)) return 400;
  return roles.includes("proxy") ? 100 : 50;
}

/** These roles keep little of all that they read, so their heaps should be small. */
function keepsLittle(roles: AgentConfig["roles"]): boolean {
  return roles.some((role) => role !== "proxy");
}
