export { type ApiDoor, openApiDoor } from "./api-door.ts";
