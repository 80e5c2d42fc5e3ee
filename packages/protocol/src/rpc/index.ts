export { createRpcAcceptor, type RpcAcceptorOptions } from "./acceptor.ts";
export { createLinkTransport, type LinkTransportOptions } from "./transport.ts";
