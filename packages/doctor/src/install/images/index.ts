export { collectImages } from "./collect-images.ts";
export { isMirrored, mirroredImage, valuesOfMirror } from "./mirror-images.ts";
