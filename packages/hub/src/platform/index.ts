export { type Listeners, openListeners } from "./listeners.ts";
export { openPlatform, type Platform, readDatabase } from "./platform.ts";
