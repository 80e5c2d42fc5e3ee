export { createHubs, type Hubs } from "./service.ts";
