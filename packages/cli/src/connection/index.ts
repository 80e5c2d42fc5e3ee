export { connectHub, connectLive, connectOpenly, type OpenLive } from "./connect.ts";
