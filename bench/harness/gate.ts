// At most so many connections are being opened at a time: hundreds of handshakes at once from one address are an attack
// to a hub, which bounds them.
const most = 64;

let opening = 0;
const waiting: (() => void)[] = [];

export async function throughGate<T>(open: () => Promise<T>): Promise<T> {
  if (opening >= most) await new Promise<void>((resolve) => waiting.push(resolve));
  else opening += 1;
  try {
    return await open();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else opening -= 1;
  }
}
