export { connectHub, connectOpenly } from "./connect.ts";
