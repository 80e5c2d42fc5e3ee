// A subscription to runs as the live socket has one, and what its client is told.
import type { RunLiveMessage, RunSubscribeRequest } from "@fairlead/contract";
import { toFairleadError } from "@fairlead/kernel";
import type { OpenSubscription, SubscribeToRuns } from "../../picture/live/index.ts";

export interface RunFollower {
  readonly messages: RunLiveMessage[];
  /** Codes. */
  readonly errors: string[];
  /** The states that it was told, in order. */
  states(): string[];
  /** All that it was told of the log; throws when there is a gap. */
  log(): string;
  isOver(): boolean;
  addCredit(messages: number): void;
  /** False: its socket is full. */
  hasRoom: boolean;
  leave(): void;
}

export async function followAs(
  user: string,
  subscribeToRuns: SubscribeToRuns,
  request: RunSubscribeRequest,
): Promise<RunFollower> {
  const messages: RunLiveMessage[] = [];
  const errors: string[] = [];
  let open: OpenSubscription | undefined;
  let isOver = false;
  const follower: RunFollower & { hasRoom: boolean } = {
    messages,
    errors,
    hasRoom: true,
    states: () => messages.flatMap((message) => (message.type === "run" ? [message.run.state] : [])),
    log: () => readLog(messages),
    isOver: () => isOver,
    addCredit: (count) => open?.addCredit(count),
    leave: () => open?.[Symbol.dispose](),
  };
  const principal = { kind: "user", name: user, uid: `uid-${user}`, groups: [] } as const;
  const end = (): void => {
    isOver = true;
    open?.[Symbol.dispose]();
  };
  try {
    open = await subscribeToRuns(principal)(request, {
      canSend: () => follower.hasRoom,
      send: (text) => void messages.push(JSON.parse(text) as RunLiveMessage),
      inTurn: (read) => read(),
      onOver: end,
      onError(error) {
        errors.push(error.code);
        end();
      },
      isWanted: () => true,
    });
  } catch (thrown) {
    errors.push(toFairleadError(thrown).code);
    isOver = true;
  }
  return follower;
}

function readLog(messages: readonly RunLiveMessage[]): string {
  const pieces: Buffer[] = [];
  let next: number | undefined;
  for (const message of messages) {
    if (message.type !== "log") continue;
    if (next !== undefined && message.offset !== next) throw new Error(`a gap at ${next}: ${message.offset} came`);
    const bytes = Buffer.from(message.data, "base64");
    next = message.offset + bytes.byteLength;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString();
}
