import type { ConnectRouter, Transport } from "@connectrpc/connect";
import type { Link, StreamAcceptor } from "./link/types.ts";

export function createLinkTransport(_options: { readonly link: Link }): Transport {
  throw new Error("not yet");
}

export function createRpcAcceptor(_options: { readonly routes: (router: ConnectRouter) => void }): StreamAcceptor {
  throw new Error("not yet");
}
