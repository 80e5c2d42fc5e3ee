import type { ConnectRouter } from "@connectrpc/connect";
import { isFairleadError } from "@fairlead/kernel";
import { CommandService } from "@fairlead/protocol";
import { type CallingAgent, toRpcError } from "../../reach/links/index.ts";
import type { LogIntake } from "../runs/index.ts";
import { type AgentCalls, readId, requireExecuting, toCount } from "./agent-calls.ts";
import type { AwaitedWork, WorkWaiters } from "./await-work.ts";

/** Registers the calls about commands on a link. */
export function createCommandRpc(options: {
  readonly calls: AgentCalls;
  readonly waiters: WorkWaiters;
  readonly logs: LogIntake;
  /** For what the agent is told nothing about. */
  readonly onError: (error: unknown) => void;
}): (router: ConnectRouter, peer: () => CallingAgent) => void {
  const { calls, waiters, logs, onError } = options;
  return (router, peer) => {
    router.service(CommandService, {
      async *await(_request, { signal }): AsyncGenerator<AwaitedWork> {
        try {
          yield* waiters.wait(peer(), signal);
        } catch (error) {
          throw toWire(error);
        }
      },
      claim: (request) => coded(() => calls.claim(peer(), request)),
      renewLeases: (request) => coded(() => calls.renew(peer(), request)),
      report: (request) => coded(() => calls.report(peer(), request)),
      appendLog: ({ id, epoch, offset, chunk }) =>
        coded(async () => {
          const { cluster } = requireExecuting(peer());
          const piece = { cluster, command: readId(id), epoch: toCount(epoch), offset: toCount(offset), chunk };
          const { offset: kept, ...answer } = await logs.append(piece);
          return { acknowledgedOffset: BigInt(kept), ...answer };
        }),
    });
  };

  async function coded<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      throw toWire(thrown);
    }
  }

  function toWire(thrown: unknown): Error {
    if (!isFairleadError(thrown)) onError(thrown);
    return toRpcError(thrown);
  }
}
