export { createLive, type Live } from "./service.ts";
