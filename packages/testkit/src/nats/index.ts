export { type NatsOptions, startNats, type TestNats } from "./start-nats.ts";
