import type { FairleadError } from "@fairlead/kernel";

/** A session that is about to begin, as the proxy knows it. */
export interface SessionStart {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly principal: { readonly name: string };
  readonly cluster: string;
  readonly attributes: { readonly subresource: string; readonly namespace: string; readonly name: string };
  readonly upgrade: "websocket" | "spdy/3.1";
  /** As the API server chose it. */
  readonly subprotocol: string | undefined;
  readonly query: string;
}

/** Sees every byte of a session. An error thrown here ends the session: nothing passes that isn't recorded. */
export interface SessionTap {
  fromClient(chunk: Uint8Array): void;
  fromCluster(chunk: Uint8Array): void;
  end(): void;
}

/** Takes a recording's text in order. A failure is thrown at the next `push`. */
export interface RecordingTarget {
  push(text: string): void;
  /** For what goes wrong elsewhere and should end the session all the same. */
  fail(error: unknown): void;
  readonly error: unknown;
  readonly sizeBytes: number;
  /** Resolves when all is written that can be. */
  close(): Promise<void>;
}

/** A channel that Kubernetes carries within one connection. */
export type Channel = "stdin" | "stdout" | "stderr" | "error" | "resize";

/** Reads one kind of connection. Throws what it can't read. */
export interface Decoder {
  fromClient(chunk: Uint8Array): void;
  fromCluster(chunk: Uint8Array): void;
}

export type OnChannelData = (channel: Channel, bytes: Uint8Array) => void;

export type SessionEnd = { readonly state: "complete" } | { readonly state: "cut"; readonly error: FairleadError };
