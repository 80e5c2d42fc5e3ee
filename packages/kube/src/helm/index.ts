export { type Hook, packRelease, type Release, readRelease, unpackRelease } from "./release.ts";
