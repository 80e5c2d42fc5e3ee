export { createProxyAcceptor, type ProxyOptions, proxyCapabilities } from "./acceptor.ts";
export { createProxyCounters, type ProxyCounters } from "./counters.ts";
