export { type BusOptions, openBus } from "./bus.ts";
export { createMemoryAdapter, type MemoryHall } from "./memory.ts";
export { createNatsAdapter, type NatsAdapterOptions } from "./nats.ts";
export { createPostgresAdapter, type PostgresAdapterOptions } from "./postgres.ts";
export { createTopicNews, type TopicNews } from "./topic-news.ts";
export type { Adapter, Bus, BusCounters, BusState, Hint, Transport, TransportEvents } from "./types.ts";
