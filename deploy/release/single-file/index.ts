export { buildSingleFile, type SingleFile } from "./build-single-file.ts";
export { type Bundle, bundleCommand } from "./bundle.ts";
export { type PlatformName, platformNames } from "./platforms.ts";
