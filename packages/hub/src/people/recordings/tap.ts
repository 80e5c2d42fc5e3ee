import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { Asciicast } from "./asciicast.ts";
import { createChannelDecoder } from "./channels.ts";
import { recordingsErrors } from "./errors.ts";
import { createSpdyDecoder } from "./spdy.ts";
import type { Channel, Decoder, RecordingTarget, SessionEnd, SessionStart, SessionTap } from "./types.ts";

export interface TapOptions {
  readonly start: SessionStart;
  readonly file: RecordingTarget;
  readonly withInput: boolean;
  readonly maxBytes: number;
  /** Called once, with how it ended. */
  onEnd(end: SessionEnd): void;
}

export function createTap(options: TapOptions): SessionTap {
  const { start, file, withInput, maxBytes, onEnd } = options;
  const cast = new Asciicast(start, { withInput });
  const startedMs = performance.now();
  const decoder: Decoder =
    start.upgrade === "websocket" ? createChannelDecoder(start.subprotocol, record) : createSpdyDecoder(record);
  let failure: FairleadError | undefined;
  let isOver = false;

  return {
    fromClient: (chunk) => pass(() => decoder.fromClient(chunk)),
    fromCluster: (chunk) => pass(() => decoder.fromCluster(chunk)),
    end() {
      if (isOver) return;
      isOver = true;
      try {
        if (!failure) file.push(cast.finish());
      } catch (thrown) {
        failure = toFairleadError(thrown);
      }
      onEnd(failure ? { state: "cut", error: failure } : { state: "complete" });
    },
  };

  function record(channel: Channel, bytes: Uint8Array): void {
    const text = cast.write(channel, bytes, performance.now() - startedMs);
    if (text === "") return;
    if (file.sizeBytes + text.length > maxBytes) throw recordingsErrors.RECORDING_TOO_LARGE({ limitBytes: maxBytes });
    file.push(text);
  }

  /** After the first failure nothing is good any more, whoever asks. */
  function pass(read: () => void): void {
    if (failure) throw failure;
    try {
      // Also of what shows nothing, or a session that only types would go on unrecorded.
      if (file.error) throw file.error;
      read();
    } catch (thrown) {
      failure = toFairleadError(thrown);
      throw failure;
    }
  }
}
