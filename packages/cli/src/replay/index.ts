export { playCast } from "./play-cast.ts";
