import { Slots } from "@fairlead/kernel";

// At most so many connections are being opened at a time: hundreds of handshakes at once from one address are an attack
// to a hub, which bounds them.
const opening = new Slots(64);

export async function throughGate<T>(open: () => Promise<T>): Promise<T> {
  const leave = await opening.enter();
  try {
    return await open();
  } finally {
    leave();
  }
}
