export { type BuildImagesOptions, type BuiltImage, type BuiltPlatform, buildImages } from "./build-images.ts";
export { unpackImage } from "./oci/unpack.ts";
export type { Arch } from "./platform.ts";
export type { ImageProgram } from "./recipes.ts";
