export { type BuildImagesOptions, type BuiltImage, type BuiltPlatform, buildImages } from "./build-images.ts";
export { type Arch, arches } from "./platform.ts";
export { type ImageProgram, programs } from "./recipes.ts";
