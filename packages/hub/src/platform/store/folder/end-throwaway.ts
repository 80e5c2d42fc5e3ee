// A process of its own, beside a hub whose store is in the folder of its first argument: it ends that store when the hub is
// gone, and ends quietly when it is told that there is no need. It lies idle all the time that the hub lives, so it loads
// what it needs for its work only then.
const [, , dataDir = ""] = process.argv;

process.stdin.once("data", () => process.exit());
process.stdin.once("error", () => process.stdin.destroy());
process.stdin.once("close", () => void clearUp());

async function clearUp(): Promise<void> {
  const { removeThrowaway } = await import("./remove-throwaway.ts");
  await removeThrowaway(dataDir);
}
