// Kubernetes over WebSocket: each message begins with the number of its channel, as a byte or, in the base64 variants,
// as a digit before base64. Version 5 adds channel 255, which says that another one is closed.
import { recordingsErrors } from "./errors.ts";
import type { Channel, Decoder, OnChannelData } from "./types.ts";
import { type MessagePiece, WebSocketReader } from "./websocket.ts";

/** Throws for what isn't one of Kubernetes' protocols. */
export function createChannelDecoder(subprotocol: string | undefined, onData: OnChannelData): Decoder {
  const isBase64 = readKind(subprotocol) === "base64";
  const client = new WebSocketReader(createDemux(isBase64, onData));
  const cluster = new WebSocketReader(createDemux(isBase64, onData));
  return { fromClient: (chunk) => client.push(chunk), fromCluster: (chunk) => cluster.push(chunk) };
}

function readKind(subprotocol: string | undefined): "binary" | "base64" {
  switch (subprotocol ?? "") {
    case "":
    case "channel.k8s.io":
    case "v4.channel.k8s.io":
    case "v5.channel.k8s.io":
      return "binary";
    case "base64.channel.k8s.io":
    case "v4.base64.channel.k8s.io":
      return "base64";
    default:
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: "an unknown WebSocket subprotocol" });
  }
}

function createDemux(isBase64: boolean, onData: OnChannelData): (piece: MessagePiece) => void {
  let channel: Channel | undefined;
  let decode = createBase64Decoder();
  return ({ bytes, isFirst }) => {
    let rest = bytes;
    if (isFirst) {
      decode.end();
      const number = (bytes[0] ?? 0) - (isBase64 ? digitZero : 0);
      channel = channels[number];
      if (channel === undefined && number !== closeChannel)
        throw recordingsErrors.RECORDING_UNREADABLE({ reason: `channel ${number}` });
      decode = createBase64Decoder();
      rest = bytes.subarray(1);
    }
    if (channel === undefined || rest.length === 0) return;
    const data = isBase64 ? decode.take(rest) : rest;
    if (data.length > 0) onData(channel, data);
  };
}

interface Base64Decoder {
  take(piece: Uint8Array): Uint8Array;
  end(): void;
}

/**
 * Four characters are three bytes; what is left over waits for more. Node would pass over what isn't base64, and so make
 * other bytes of a message than the other side does.
 */
function createBase64Decoder(): Base64Decoder {
  let left = "";
  let isPadded = false;
  return {
    take(piece) {
      const text = left + Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
      const whole = text.slice(0, text.length - (text.length % 4));
      left = text.slice(whole.length);
      if (whole === "") return noBytes;
      if (isPadded || !/^[A-Za-z0-9+/]*={0,2}$/.test(whole)) throw unreadable();
      isPadded = whole.endsWith("=");
      return Buffer.from(whole, "base64");
    },
    end() {
      if (left !== "") throw unreadable();
    },
  };
}

function unreadable(): Error {
  return recordingsErrors.RECORDING_UNREADABLE({ reason: "a message that isn't base64" });
}

const noBytes = new Uint8Array();

const channels: readonly (Channel | undefined)[] = ["stdin", "stdout", "stderr", "error", "resize"];
const closeChannel = 255;
const digitZero = 0x30;
