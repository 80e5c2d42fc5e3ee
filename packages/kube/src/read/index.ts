export { getObject } from "./get-object.ts";
export { listEach, listObjects } from "./list.ts";
export { type ListOptions, readPage, type Selection } from "./list-page.ts";
export { getMetadata, listMetadata, type MetadataPage } from "./metadata.ts";
export { LineSplitter } from "./split-lines.ts";
export { openWatch, type WatchEvent } from "./watch.ts";
