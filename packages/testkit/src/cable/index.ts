export { type Cable, startCable } from "./start-cable.ts";
