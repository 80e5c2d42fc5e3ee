export { robotErrors } from "./errors.ts";
export { openRobots, type Robots, type RobotWithTokens } from "./robots.ts";
