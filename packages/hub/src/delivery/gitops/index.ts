export { type GitopsRoom, openGitops } from "./open.ts";
