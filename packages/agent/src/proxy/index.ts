export { createProxyAcceptor, type ProxyOptions } from "./acceptor.ts";
export { createProxyCounters, type ProxyCounters } from "./counters.ts";
