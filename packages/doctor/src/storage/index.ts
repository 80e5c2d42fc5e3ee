export { storageChecks } from "./checks/index.ts";
export { readStorageClasses, type StorageClass } from "./storage-class.ts";
