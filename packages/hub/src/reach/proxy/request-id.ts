import { createId } from "@fairlead/kernel";

/** A request has one id up to the API server's audit log: the client's own when it is sane, else a new one. */
export function readRequestId(incoming: string | string[] | undefined): string {
  if (typeof incoming === "string" && sane.test(incoming)) return incoming;
  count += 1;
  return `${processPrefix}-${count.toString(36)}`;
}

// kube-apiserver takes audit ids of up to 64 characters.
const sane = /^[A-Za-z0-9._:-]{1,64}$/;

// Random per process and counted within: fresh random bytes for each request would cost more than the id is worth.
const processPrefix = createId("req");
let count = 0;
