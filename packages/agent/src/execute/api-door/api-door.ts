// A door for one run.
import { type AdmittedRun, type ApiDoor, openDoor } from "./door.ts";

export async function openApiDoor(options: AdmittedRun): Promise<ApiDoor> {
  const door = await openDoor();
  const run = door.admit(options);
  return { ...run, [Symbol.asyncDispose]: () => door[Symbol.asyncDispose]() };
}
