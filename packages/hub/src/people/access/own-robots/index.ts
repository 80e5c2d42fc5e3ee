export { createOwnRobot, type OwnRobot } from "./own-robot.ts";
