export { robotErrors } from "./errors.ts";
export { openRobots, type Robots } from "./robots.ts";
