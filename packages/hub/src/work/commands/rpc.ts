import type { ConnectRouter } from "@connectrpc/connect";
import { isFairleadError } from "@fairlead/kernel";
import { CommandService } from "@fairlead/protocol";
import { type CallingAgent, toRpcError } from "../../reach/links/index.ts";
import { createClusterTurns, type LogIntake } from "../runs/index.ts";
import { type AgentCalls, requireExecuting } from "./agent-calls.ts";
import type { AwaitedWork, WorkWaiters } from "./await-work.ts";
import { commandErrors } from "./errors.ts";
import { readId, toCount } from "./read-call.ts";

/** Registers the calls about commands on a link. */
export function createCommandRpc(options: {
  readonly calls: AgentCalls;
  readonly waiters: WorkWaiters;
  readonly logs: LogIntake;
  /** For what the agent is told nothing about. */
  readonly onError: (error: unknown) => void;
}): (router: ConnectRouter, peer: () => CallingAgent) => void {
  const { calls, waiters, logs, onError } = options;
  const turns = createClusterTurns({ ofCluster: 2, ofAll: 4, waiting: 32, busy: commandErrors.COMMAND_CALLS_TOO_MANY });
  return (router, peer) => {
    router.service(CommandService, {
      async *await(_request, { signal }): AsyncGenerator<AwaitedWork> {
        try {
          yield* waiters.wait(peer(), signal);
        } catch (error) {
          throw toWire(error);
        }
      },
      claim: (request) => inTurn(peer(), (agent) => calls.claim(agent, request)),
      renewLeases: (request) => inTurn(peer(), (agent) => calls.renew(agent, request)),
      reportAll: (request) => inTurn(peer(), (agent) => calls.reportAll(agent, request)),
      report: (request) => inTurn(peer(), (agent) => calls.report(agent, request)),
      appendLog: ({ id, epoch, offset, chunk, lost }) =>
        coded(async () => {
          const { cluster } = requireExecuting(peer());
          const place = { cluster, command: readId(id), epoch: toCount(epoch), offset: toCount(offset) };
          const { offset: kept, ...answer } = await logs.append({ ...place, chunk, isRestLost: lost });
          return { acknowledgedOffset: BigInt(kept), ...answer };
        }),
    });
  };

  function inTurn<T>(agent: CallingAgent, run: (agent: CallingAgent) => Promise<T>): Promise<T> {
    return coded(() => turns.run(agent.cluster, () => run(agent)));
  }

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
