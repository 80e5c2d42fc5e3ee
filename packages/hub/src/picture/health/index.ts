export { assessHealth } from "./assess.ts";
