export { createGitopsSettingsRoutes } from "./routes.ts";
export { createGitopsSettings, type GitopsSettingsService, type HubSettings, toGitopsSettings } from "./service.ts";
export { createGitopsSettingsStore, type GitopsSettingsStore } from "./store.ts";
