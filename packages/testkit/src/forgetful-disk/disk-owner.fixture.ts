// A process that mounts a disk, says where, and stays until it is killed.
import { once } from "node:events";
import { mountForgetful } from "./mount-forgetful.ts";

const { folder, launcher } = await mountForgetful();
console.log(JSON.stringify({ folder, launcher }));
await once(process.stdin.resume(), "end");
